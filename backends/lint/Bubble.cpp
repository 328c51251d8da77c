// Bubble: the stage with the most work waits too long for other stages.
// SPDX-License-Identifier: Apache-2.0
#include "backends/lint/Lints.h"

#include <fmt/format.h>

namespace planc::lint {

PLANC_WARNING(LongBubble, 1171, "{share} of the step is pipeline bubble: {micro} micro-batches for {stages} stages",
              Reached::Priced)

namespace {

/// Least share of the step for a warning. A plain schedule idles about that long with four times as many micro-batches
/// as stages, and published large runs idle less.
constexpr double kLongBubble = 0.2;

} // namespace

void warnOfBubble(const Subject& subject, DiagnosticEngine& diagnostics) {
  const cost::Totals& t = subject.estimate.totals;
  const ir::Program& program = subject.program;
  if (!subject.plan().pipeline || t.bubble <= kLongBubble * t.stepTime) return;
  const ir::Pipeline& pipeline = *subject.plan().pipeline;
  auto report = diagnostics.report(
      LongBubble, pipeline.range,
      {{"share", percent(t.bubble / t.stepTime)}, {"micro", program.microBatches}, {"stages", program.stages}});
  if (subject.plan().workload.microBatchRange.valid())
    report.label(
        subject.plan().workload.microBatchRange,
        fmt::format("{} micro-batches of {} in a step", program.microBatches, subject.plan().workload.microBatch));
  report.note(fmt::format("{} of {}: equal stages would idle {}, their imbalance adds {}", seconds(t.bubble),
                          seconds(t.stepTime), seconds(t.bubbleEven), seconds(t.bubbleImbalance)));
  if (t.bubbleImbalance > t.bubbleEven)
    report.help("balance the stages: `stages = balanced`");
  else
    report.help(fmt::format("use more micro-batches in a step, {}fewer stages",
                            program.chunks == 1 ? "a schedule with several chunks per device, or " : "or "));
}

} // namespace planc::lint
