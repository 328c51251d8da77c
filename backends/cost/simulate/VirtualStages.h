// Times of the passes of virtual stages, and the communication of the step around them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/simulate/Simulation.h"

namespace planc::cost {

/// Costs and devices of all virtual stages, from their stage passes. Blocking shares of the communication of the step
/// go to the devices that hold it.
void addVirtualStages(Simulation& sim);
/// The passes that complete the gradients, of the kinds that the orders of the pipeline have.
void addLastPasses(Simulation& sim);

} // namespace planc::cost
