// Lower bounds of times on a part. Samples below them are not believed.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/fit/Fits.h"

namespace planc::calibrate {

/// Returns a lower bound of a sample's time in seconds: its FLOPs at peak, bytes at memory bandwidth, or wire bytes at
/// link bandwidth. 0 if no bound is known.
double leastTime(const Part& part, const Sample& sample, Direction direction);

/// Returns the FLOPs of both products of attention in the forward pass, without the part that a causal mask skips.
double attentionFlops(const Sample& sample);

/// Returns the smallest ratio of backward to forward FLOPs (docs/cost-model.md, section 1).
double gradientWork(Kind kind);

/// Returns the B/s that the ranks of one unit in a group can move together: over the network cards if the group spans
/// several units, otherwise over the link. 0 if it is unknown.
double lineRate(const Part& part, const Sample& sample);

} // namespace planc::calibrate
