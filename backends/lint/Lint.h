// Lints of a priced plan. They warn of parts of its step and its memory that could cost less. Each lint has its own
// file and a row of the table in Lint.cpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/result/Estimate.h"
#include "ir/program/Program.h"
#include "support/Diagnostics.h"

#include <functional>
#include <optional>

namespace planc::lint {

/// The price of a plan that differs in one statement.
struct Other {
  double peak = 0; ///< bytes of its fullest device
  double step = 0; ///< seconds
};

/// The priced plan that is linted.
struct Subject {
  const ir::Program& program;
  const cost::Estimate& estimate; ///< with rows
  /// Returns the price of the plan without one of its `recompute` statements; null if that plan cannot be priced. Takes
  /// about as long as the estimate, so lints call it only if cheaper tests do not decide.
  std::function<std::optional<Other>(size_t statement)> withoutRecompute;

  const ir::Plan& plan() const { return *program.plan; }
};

/// Runs all lints.
void lint(const Subject& subject, DiagnosticEngine& diagnostics);

} // namespace planc::lint
