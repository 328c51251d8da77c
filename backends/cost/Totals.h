// The totals of a step, on the critical stage: times that add up, rates by three FLOP conventions, cost, energy.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/Simulation.h"

namespace planc::cost {

Totals totals(const Simulation& sim, const CostModel& model);

/// A multiplicative interval around a prediction.
struct IntervalRule {
  std::string_view name;
  double low = 1, high = 1;
};
/// Development quantiles with a coverage of 90 % (docs/cost-model.md, section 5): asymmetric, since terms that a model
/// misses make the truth longer. Calibrated: every price stands on samples; uncalibrated: one stands on a nominal
/// number or outside a curve.
inline constexpr IntervalRule kCalibrated{"calibrated", 0.90, 1.15};
inline constexpr IntervalRule kUncalibrated{"uncalibrated", 0.80, 1.40};
inline constexpr IntervalRule kExperts{"mixture of experts", 0.75, 1.65};
inline constexpr double kIntervalCoverage = 0.9;

} // namespace planc::cost
