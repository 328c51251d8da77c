// The uncertainty of a step time: the calibrated records on which it depends, with their shares and errors, and its
// interval (docs/cost-model.md, section 5).
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/facts/Facts.h"
#include "backends/cost/result/Estimate.h"
#include "backends/cost/simulate/Simulation.h"

namespace planc::cost {

/// Half-width of the two-sided 90 % interval of a normal variable, in standard deviations.
inline constexpr double kNinetyPercent = 1.6449;

/// Returns the terms of the step on the critical stage, widest first, and the interval if the stack states its
/// accuracy. Facts read outside of their samples for a large share of the step are recorded in `facts`, which reports
/// them.
Confidence confidence(const Simulation& sim, const CostModel& model, Facts& facts);

/// Returns the text of `RecordShare::what`. `nominal`: the numbers of a level without a record.
std::string recordText(const Owner& owner, std::string_view record, bool nominal);

/// Returns the distance of one end of the interval from the prediction by the terms alone, in logarithms.
/// `distances` false: by records alone, which move both ends.
double termsWidth(const Confidence& confidence, Ends end, bool distances = true);

/// Sets the interval, as multiples of the prediction, that holds a measured value nine times out of ten. The stack's
/// own spread and the terms count as independent errors of the logarithm.
void setInterval(Confidence& confidence, const ir::Accuracy& accuracy);

} // namespace planc::cost
