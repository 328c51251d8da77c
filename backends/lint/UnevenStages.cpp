// Uneven stages: the one with the most work holds up all others, and another cut could even that out.
// SPDX-License-Identifier: Apache-2.0
#include "backends/lint/Lints.h"

#include <fmt/format.h>

namespace planc::lint {

PLANC_WARNING(UnevenStages, 1170, "stages are uneven: stage {stage} works {work} of a step, the mean of all is {all}",
              Reached::Priced)

namespace {

/// Of the step. Layers that differ keep the best cut that there is some percent from even: 7 % of an encoder-decoder
/// whose decoder has more to do.
constexpr double kUnevenShare = 0.1;

/// Layers on a device: instances of repeats, and plain ones.
int64_t layersOn(const ir::Program& program, int64_t stage) {
  int64_t layers = 0;
  for (size_t virtualStage : program.heldBy(stage))
    for (const auto& [id, count] : program.kindOf(virtualStage).classes)
      if (!program.classes[id].boundaryReshard) layers += count;
  return layers;
}

/// Where the plan cuts: its `stages = …`, the line of the stage, or the pipeline.
SourceRange placeOf(const ir::Program& program, int64_t stage) {
  const ir::Pipeline& pipeline = *program.plan->pipeline;
  if (pipeline.cut) return pipeline.cut->range;
  for (size_t virtualStage : program.heldBy(stage))
    for (const ir::StageLine& line : pipeline.stages)
      if (line.index == static_cast<int64_t>(virtualStage)) return line.range;
  return pipeline.range;
}

} // namespace

/// Layers are not divided, so a difference of less than one of them is as even as a cut can be; and a balanced cut is
/// the best that there is.
void warnOfUnevenStages(const Subject& subject, DiagnosticEngine& diagnostics) {
  const cost::Totals& t = subject.estimate.totals;
  const auto& pipeline = subject.plan().pipeline;
  if (!pipeline || t.imbalance <= kUnevenShare * t.stepTime) return;
  if (pipeline->cut && pipeline->cut->cut == ir::StageCut::Balanced) return;
  const int64_t layers = layersOn(subject.program, t.critical);
  if (layers < 2 || t.work - t.meanWork <= t.work / static_cast<double>(layers)) return;
  diagnostics
      .report(UnevenStages, placeOf(subject.program, t.critical),
              {{"stage", t.critical}, {"work", seconds(t.work)}, {"all", seconds(t.meanWork)}})
      .primary(fmt::format("{} layers on stage {}, of {} of work each in the mean", layers, t.critical,
                           seconds(t.work / static_cast<double>(layers))))
      .help("let planc cut them: `stages = balanced`")
      .note(fmt::format("equal stages would save {}, {} of the step", seconds(t.imbalance),
                        percent(t.imbalance / t.stepTime)));
}

} // namespace planc::lint
