// What reports call a plan, and what it names.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/plan/Merged.h"

#include <string>
#include <utility>
#include <vector>

namespace planc::frontend {

/// `base(rep = 2)`: a plan with its arguments, of which some may be set to another value.
std::string titleOf(const BoundDecl& decl, const PlanEdits& edits);
/// All parameters of the plan itself with their values.
std::vector<std::pair<Symbol, std::string>> argumentsOf(Evaluator& ev, MergedPlan& merged);
/// What a fact names: as written, with the values of its arguments; empty if there is no such fact.
std::string written(Elaboration& elab, MergedPlan& merged, std::string_view fact);

} // namespace planc::frontend
