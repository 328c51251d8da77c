// Makes the timeline of a schedule.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/result/Estimate.h"
#include "backends/timeline/Timeline.h"
#include "ir/program/Task.h"
#include "support/Diagnostics.h"

#include <memory>

namespace planc::timeline {

/// Simulates a priced schedule with an observer. The result stands without the schedule, except for source ranges.
/// Returns null after a diagnostic: PLAN0850 if the step has more passes than a timeline holds, PLAN08xx if a fact is
/// missing.
std::unique_ptr<Timeline> build(const ir::Schedule& schedule, DiagnosticEngine& diagnostics);

} // namespace planc::timeline
