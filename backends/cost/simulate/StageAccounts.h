// The account of a step on every device stage, its idle time, and its idle time if all stages were equal.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/simulate/Simulation.h"
#include "backends/cost/simulate/pipeline/FastPipeline.h"

#include <vector>

namespace planc::cost {

class DeviceStages;

/// Returns the account of a device stage: passes, pairs, transfers and state collectives. Does not set its `kind`.
/// `devices`: the device stages of the program; null: created when needed.
StageAccount accountStage(const Simulation& sim, size_t stage, const DeviceStages* devices = nullptr);
/// Returns the accounts of all device stages, by stage, with `kind` set.
std::vector<StageAccount> accountStages(const Simulation& sim);

/// Adds `seconds` that the pipeline booked for a virtual stage under a cause to the classes whose work or communication
/// takes them. Adds nothing for transfers, which belong to no class.
void addBooked(Account& account, const Simulation& sim, const HeldStage& held, Cause cause, double seconds);
/// Returns the blocking shares of the step's reductions on a virtual stage.
Account inlinedReductions(const Simulation& sim, int64_t virtualStage);

/// Simulates the schedule of `sim` with the same orders, but gives every virtual stage the mean cost of all virtual
/// stages. Returns the idle time of the stage with the most work, and the end of the step; both are 0 for one stage.
EvenStages evenStages(const Simulation& sim, FastPipeline& engine);

} // namespace planc::cost
