// Settles `stages = balanced`: prices the layers, cuts them, and prices the cuts that may be best over the same layers.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/plan/Plan.h"
#include "search/Engine.h"

#include <vector>

namespace planc::search {

/// The stage lines of the soonest step, of the cuts compared that fit in the memory; of the least memory if none does.
/// Empty where the plan cannot be priced, or cannot be lowered whatever its cut: whoever lowers it says why.
/// `engine`: prices the cuts; what it knows of the layers is taken from there.
std::vector<ir::StageLine> balancedStages(const ir::Plan& plan, Engine& engine);

/// Gives a plan whose cut is to be balanced its stage lines, if it has none yet.
void settleStages(ir::Plan& plan, Engine& engine);

} // namespace planc::search
