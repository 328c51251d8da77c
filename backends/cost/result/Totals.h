// Totals of a step on the critical stage: times that add up, rates in three FLOP conventions, cost, energy.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/result/Estimate.h"
#include "backends/cost/simulate/Simulation.h"

namespace planc::cost {

/// Returns the totals. `collectives`: the rows of all stages. If `wanted.rows` is false, the comparison of stages stays
/// 0, because the simulation then has no account per stage.
Totals totals(const Simulation& sim, const CostModel& model, Facts& facts,
              const std::vector<CollectiveRow>& collectives, Wanted wanted);

/// Adds the amounts that follow from the step time in `totals` on `devices` devices: samples and tokens per second,
/// device-hours, cost, energy. `tokensPerSample`: null if the model has no tokens.
void addAmounts(Totals& totals, const ir::Plan& plan, double devices, const std::optional<double>& tokensPerSample);

} // namespace planc::cost
