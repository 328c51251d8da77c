// The totals of a step, on the critical stage: times that add up, rates by three FLOP conventions, cost, energy.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/result/Estimate.h"
#include "backends/cost/simulate/Simulation.h"

namespace planc::cost {

/// `collectives`: the rows of all stages. `stages`: whether the simulation has accounts of all; without it what
/// compares them stays 0.
Totals totals(const Simulation& sim, const CostModel& model, Facts& facts,
              const std::vector<CollectiveRow>& collectives, bool stages, bool withConfidence);

} // namespace planc::cost
