// How sure a step time is: the calibrated records that it stands on, with their shares and errors, and its interval
// (docs/cost-model.md, section 5).
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/facts/Facts.h"
#include "backends/cost/result/Estimate.h"
#include "backends/cost/simulate/Simulation.h"

namespace planc::cost {

/// Standard deviations of a normal variable on either side of which five of a hundred lie.
inline constexpr double kNinetyPercent = 1.6449;

/// The terms of the step on the critical stage, widest first, and the interval, if the stack says how far its runs lie
/// from their predictions. What is read outside of its samples for a share of the step that counts is noted in the
/// facts of the model, which report it.
Confidence confidence(const Simulation& sim, const CostModel& model, Facts& facts);

/// What a record is called in `RecordShare::what`. `nominal`: a level's numbers that stand on no record.
std::string recordText(const Owner& owner, std::string_view record, bool nominal);

/// The half-width that the terms make of an interval, in logarithms; without distances that of records alone.
double termsWidth(const Confidence& confidence, bool distances = true);

/// The multiples of a prediction between which a measured value lies nine times of ten: the stack's own spread and the
/// terms, as independent errors of the logarithm.
void setInterval(Confidence& confidence, const ir::Accuracy& accuracy);

} // namespace planc::cost
