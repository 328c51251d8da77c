// The first forward pass of a virtual stage, which waits for the new parameters of the step (docs/cost-model.md, 2.4).
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/simulate/StagePass.h"

namespace planc::cost {

/// Returns the seconds that a first forward pass takes in addition to its computing if it begins together with the
/// step's gathers. No layer begins before the last message that holds some of its parameters has arrived. Counts the
/// share of the gathers that is not inline. Messages of one kind arrive in the order in which the layers fill them.
double waitForGathers(const ir::Schedule& schedule, const std::vector<ClassCost>& costs, const ir::StageKind& stage);

} // namespace planc::cost
