// The names of a plan, its model, its cluster and its software in reports.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/plan/Merged.h"

#include <string>
#include <utility>
#include <vector>

namespace planc::frontend {

/// `base(rep = 2)`: the plan's name with its arguments. Uses the values of `edits`, which may override them.
std::string titleOf(const BoundDecl& decl, const PlanEdits& edits);
/// All parameters of the plan itself, with their values.
std::vector<std::pair<Symbol, std::string>> argumentsOf(Evaluator& ev, MergedPlan& merged);
/// The name in a fact, as written, with the values of its arguments; empty if there is no such fact.
std::string written(Elaboration& elab, MergedPlan& merged, std::string_view fact);

} // namespace planc::frontend
