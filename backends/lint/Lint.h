// What a priced plan is warned of: shares of step and memory that it could have for less. Each lint is a file, and a
// row of the table in Lint.cpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/result/Estimate.h"
#include "ir/program/Program.h"
#include "support/Diagnostics.h"

#include <functional>
#include <optional>

namespace planc::lint {

/// A plan that differs in one statement, priced.
struct Other {
  double peak = 0; ///< bytes of its fullest device
  double step = 0; ///< seconds
};

struct Subject {
  const ir::Program& program;
  const cost::Estimate& estimate; ///< with rows
  /// The plan without one of its `recompute` statements; nothing where it has no price. Takes about as long as the
  /// estimate did: asked only where less does not tell.
  std::function<std::optional<Other>(size_t statement)> withoutRecompute;

  const ir::Plan& plan() const { return *program.plan; }
};

/// Runs all lints.
void lint(const Subject& subject, DiagnosticEngine& diagnostics);

} // namespace planc::lint
