// The first forward pass of a virtual stage, which meets the new parameters of the step (docs/cost-model.md, 2.4).
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/simulate/StagePass.h"

namespace planc::cost {

/// Whether new parameters are gathered once per step.
bool gathersOnce(const ir::StateCollective& state);

/// Seconds for which a forward pass that begins together with its gathers of the step waits for them, beside what it
/// computes: no layer begins before the last message that holds some of its parameters has arrived. Of gathers the
/// share that is not inline. Messages of one kind arrive one after the other, as the layers fill them.
double waitForGathers(const ir::Schedule& schedule, const std::vector<ClassCost>& costs, const ir::StageKind& stage);

} // namespace planc::cost
