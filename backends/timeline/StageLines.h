// The step of one device stage as spans, from the slices of the pipeline simulation.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/timeline/PassDetails.h"

namespace planc::timeline {

/// What the pipeline simulation said of one stage.
struct StageSlices {
  std::vector<cost::Slice> computing, communicating; ///< each stream in order
};

/// Makes the line of a stage, without memory. Every second of its step has a span of the compute stream. The spans are
/// divided as the stage's account is, so that both have equal sums. `times`: of the run that made the slices.
StageLine stageLine(const cost::Simulation& sim, int64_t stage, const StageSlices& slices,
                    const cost::StageTimes& times, WorkTable& works, PassDetails& details);

} // namespace planc::timeline
