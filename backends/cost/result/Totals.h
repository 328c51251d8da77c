// The totals of a step, on the critical stage: times that add up, rates by three FLOP conventions, cost, energy.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/result/Estimate.h"
#include "backends/cost/simulate/Simulation.h"

namespace planc::cost {

/// `collectives`: the rows of all stages. Without rows, what compares the stages stays 0: the simulation has no
/// accounts of them.
Totals totals(const Simulation& sim, const CostModel& model, Facts& facts,
              const std::vector<CollectiveRow>& collectives, Wanted wanted);

/// What follows from the step time that the totals have, on so many devices: samples and tokens per second, device
/// hours, cost, energy. `tokensPerSample`: none without tokens.
void addAmounts(Totals& totals, const ir::Plan& plan, double devices, const std::optional<double>& tokensPerSample);

} // namespace planc::cost
