// Elaborates one plan into ir::Plan: the door of this folder.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/plan/Merged.h"
#include "ir/plan/Plan.h"

#include <memory>
#include <vector>

namespace planc::frontend {

/// The plan with its arguments; null after errors. `use`: where it was asked for. `edits` are facts set beside the
/// file; where `editsOf` names a plan that this one extends, they are set there. `search`: what is wanted of its
/// search. `demands`: what it is judged by beside its own lines.
std::unique_ptr<ir::Plan> buildPlan(Evaluator& evaluator, Machines& machines, const BoundDecl& decl, SourceRange use,
                                    std::vector<Edit> edits = {}, Symbol editsOf = {}, const SearchRequest& search = {},
                                    const Demands& demands = {});

} // namespace planc::frontend
