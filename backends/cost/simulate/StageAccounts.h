// The account of a step on every device stage, its idle time, and its idle time if all stages were equal.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/simulate/Simulation.h"
#include "backends/cost/simulate/pipeline/FastPipeline.h"

#include <vector>

namespace planc::cost {

class DeviceStages;

/// Books the passes, pairs, transfers and state collectives of a device stage; of no kind yet.
/// `devices`: those of the program; null: made when needed.
StageAccount accountStage(const Simulation& sim, size_t stage, const DeviceStages* devices = nullptr);
/// Idem of every device stage, by stage.
std::vector<StageAccount> accountStages(const Simulation& sim);

/// The schedule of `sim`, its orders unchanged, with the mean of all virtual stages in place of each: what the stage
/// with the most work idles then, and when its step ends. Nothing is idle on one stage.
EvenStages evenStages(const Simulation& sim, FastPipeline& engine);

} // namespace planc::cost
