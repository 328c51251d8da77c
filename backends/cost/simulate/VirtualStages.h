// Times of the passes of virtual stages, and the communication of the step around them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/simulate/Simulation.h"

namespace planc::cost {

/// Adds the costs and the devices of all virtual stages to `sim.pipeline`. Adds the blocking shares of the step's
/// reductions to `sim.steps` of the devices that hold the virtual stages.
void addVirtualStages(Simulation& sim);
/// Simulates the passes that complete the gradients, and adds their costs to `sim.pipeline`. Covers only the kinds of
/// backward pass that `sim.pipeline.actions` contains.
void addLastPasses(Simulation& sim);

} // namespace planc::cost
