// The reference of the pipeline simulation: every action in order, and every slice of time for an observer.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/simulate/Slices.h"
#include "backends/cost/simulate/pipeline/Pipeline.h"

#include <vector>

namespace planc::cost {

/// Returns the same as `runPipeline`, which is the optimised form and is tested against this one. Runs every action, so
/// its time grows with the micro-batches. `observer` gets the slices of one step, with stages mixed; null: none.
/// On the compute stream of a stage the slices follow each other without a gap and add up to its `StageTimes`; seconds
/// of `WaitsForPort` are booked on the transfers of the stage, or on what its passes left.
std::vector<StageTimes> runTimeline(const PipelineInput& input, SliceObserver* observer = nullptr);

} // namespace planc::cost
