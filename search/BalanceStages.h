// Settles `stages = balanced`: prices the layers, cuts them into stages, and prices the most promising cuts.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/plan/Plan.h"
#include "search/Engine.h"

#include <vector>

namespace planc::search {

/// Returns the stage lines of the cut with the shortest step among the compared cuts that fit in memory; if none fits,
/// of the cut with the least memory. Empty if the plan cannot be priced or lowered with any cut; lowering it reports
/// why. `engine` prices the cuts and caches the layers.
std::vector<ir::StageLine> balancedStages(const ir::Plan& plan, Engine& engine);

/// Gives a plan with `stages = balanced` its stage lines, unless it has some already.
void settleStages(ir::Plan& plan, Engine& engine);

} // namespace planc::search
