// `test` and `policy` declarations: checks them, and lists the values of a test's parameters.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/eval/Evaluator.h"

#include <optional>
#include <vector>

namespace planc::frontend {

/// The combinations of a checked test declaration.
struct TestSpace {
  const syntax::TestDecl* decl = nullptr;
  const DiagnosticKind* fails = nullptr;  ///< error that its plan must have; null: the plan is judged
  std::vector<std::vector<Value>> values; ///< by parameter
  size_t combinations = 1;

  /// Binds the test's parameters to the values of one combination. The last parameter changes fastest.
  void bind(size_t combination, Scope& scope) const;
  /// The name of the test with its values: `sizes(nodes = 4)`.
  std::string name(const Scope& scope) const;
};

/// Checks a test. Returns nothing after a report.
std::optional<TestSpace> testSpace(Evaluator& evaluator, DeclInfo& decl);
/// The plan of a test, with its arguments; null after a report.
const BoundDecl* planOfTest(Evaluator& evaluator, const syntax::TestDecl& test, Scope& scope);

/// Reports errors of a policy that do not depend on a plan: names that are neither a metric, nor part of a plan, nor
/// defined in its file. Returns false after a report; the policy then applies to no plan.
bool checkPolicy(Evaluator& evaluator, DeclInfo& decl);

} // namespace planc::frontend
