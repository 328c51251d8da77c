// The interface of this folder: elaborates one plan into ir::Plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/plan/Merged.h"
#include "ir/plan/Plan.h"

#include <memory>
#include <vector>

namespace planc::frontend {

/// Elaborates the plan with its arguments; null after errors. `use`: the place that uses the plan. `edits`: facts set
/// from outside of the file, in the plan that `editsOf` names if this plan extends it. `search`: the requested results
/// of its search. `demands`: policies and tests that judge it in addition to its own assertions.
std::unique_ptr<ir::Plan> buildPlan(Evaluator& evaluator, Machines& machines, const BoundDecl& decl, SourceRange use,
                                    const std::vector<Edit>& edits = {}, Symbol editsOf = {},
                                    const SearchRequest& search = {}, const Demands& demands = {});

} // namespace planc::frontend
