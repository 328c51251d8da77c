// Uneven stages: the stage with the most work holds up all others, and another cut could be more even.
// SPDX-License-Identifier: Apache-2.0
#include "backends/lint/Lints.h"

#include <fmt/format.h>

namespace planc::lint {

PLANC_WARNING(UnevenStages, 1170, "stages are uneven: stage {stage} takes {work} of a step, but the mean is {all}",
              Reached::Priced)

namespace {

/// Least share of the step for a warning. With unequal layers even the best cut is some percent uneven: 7 % in an
/// encoder-decoder with a heavier decoder.
constexpr double kUnevenShare = 0.1;

/// Returns the number of layers on a device: instances of repeats, and plain layers.
int64_t layersOn(const ir::Program& program, int64_t stage) {
  int64_t layers = 0;
  for (size_t virtualStage : program.heldBy(stage))
    for (const auto& [id, count] : program.kindOf(virtualStage).classes)
      if (!program.classes[id].boundaryReshard) layers += count;
  return layers;
}

/// Returns the place where the plan cuts: its `stages = …`, the line of the stage, or the pipeline.
SourceRange placeOf(const ir::Program& program, int64_t stage) {
  const ir::Pipeline& pipeline = *program.plan->pipeline;
  if (pipeline.cut) return pipeline.cut->range;
  for (size_t virtualStage : program.heldBy(stage))
    for (const ir::StageLine& line : pipeline.stages)
      if (line.index == static_cast<int64_t>(virtualStage)) return line.range;
  return pipeline.range;
}

} // namespace

/// Layers are not divided, so an imbalance of less than one layer is as even as possible. A balanced cut is the best
/// one.
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
