// What a part cannot undercut: samples that do are not believed.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/fit/Fits.h"

namespace planc::calibrate {

/// Seconds that the part cannot undercut: FLOPs at its peak, bytes at its bandwidth, the wire at its link. 0: not
/// known.
double leastTime(const Part& part, const Sample& sample, Direction direction);

/// FLOPs of both products of attention forward, less what a causal mask leaves out.
double attentionFlops(const Sample& sample);

/// FLOPs of backward over those of forward, at the least (docs/cost-model.md, section 1).
double gradientWork(Kind kind);

/// B/s that the ranks of a group in one unit can move at once: over the cards if it lies in several units, else over
/// the link. 0: not known.
double lineRate(const Part& part, const Sample& sample);

} // namespace planc::calibrate
