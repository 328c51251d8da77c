// `compare` declarations: evaluates their rows to plans with arguments.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/eval/Evaluator.h"

#include <vector>

namespace planc::frontend {

/// One row: `hsdp = base(rep = 2)`.
struct ComparedPlan {
  Symbol label;
  SourceRange range; ///< of the label
  SourceRange written;
  BoundDecl decl;
};

/// The rows of a `compare` declaration that are plans, in order. Errors are reported.
std::vector<ComparedPlan> comparedPlans(Evaluator& evaluator, DeclInfo& comparison);

} // namespace planc::frontend
