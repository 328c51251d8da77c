// The reference of the pipeline simulation: every action in order, and every slice of time for an observer.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/simulate/Slices.h"
#include "backends/cost/simulate/pipeline/Pipeline.h"

#include <vector>

namespace planc::cost {

/// Returns the same times as `runPipeline`, the fast engine, which is tested against this function. Runs every action,
/// so its own run time grows with the number of micro-batches. `observer` receives the slices of one step, with stages
/// mixed; null: no observer. On the compute stream of a stage the slices follow each other without a gap and add up to
/// its `StageTimes`. Seconds of `WaitsForPort` are booked on the transfers of the stage, or on communication that its
/// passes left behind.
std::vector<StageTimes> runTimeline(const PipelineInput& input, SliceObserver* observer = nullptr);

} // namespace planc::cost
