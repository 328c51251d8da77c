// `test` and `policy` declarations: their own mistakes, and the values that a test goes through.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/eval/Evaluator.h"

#include <optional>
#include <vector>

namespace planc::frontend {

/// What a test is of, once its declaration was looked at.
struct TestSpace {
  const syntax::TestDecl* decl = nullptr;
  const DiagnosticKind* fails = nullptr;  ///< what its plan is to fail with
  std::vector<std::vector<Value>> values; ///< of each parameter
  size_t combinations = 1;

  /// The parameters with the values of one combination; the last parameter changes fastest.
  void bind(size_t combination, Scope& scope) const;
  /// `sizes(nodes = 4)`
  std::string name(const Scope& scope) const;
};

/// Nothing after a report.
std::optional<TestSpace> testSpace(Evaluator& evaluator, DeclInfo& decl);
/// The plan with its arguments that a test is of; nothing after a report.
const BoundDecl* planOfTest(Evaluator& evaluator, const syntax::TestDecl& test, Scope& scope);

/// The mistakes of a policy that can be told without a plan: what of its names can be neither a metric, nor of a plan,
/// nor of its file. False after a report: no plan is held against it.
bool checkPolicy(Evaluator& evaluator, DeclInfo& decl);

} // namespace planc::frontend
