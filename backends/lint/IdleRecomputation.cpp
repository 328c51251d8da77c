// Idle recomputation: layers are computed again, and the peak of memory is hardly lower for it.
// SPDX-License-Identifier: Apache-2.0
#include "backends/lint/Lints.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::lint {

PLANC_WARNING(LittleFreed, 1173, "`recompute {statement}` frees {freed} of a peak of {peak}, {share}", Reached::Priced)

namespace {

/// Less is lost again to the rounding of an allocator (docs/cost-model.md, section 3a).
constexpr double kLittle = 0.01;

/// Bytes of what one micro-batch computes again for a statement on the fullest stage: about what would be kept there
/// without it, for each micro-batch that is under way.
double replayedBytes(const Subject& subject, const ir::Recompute& statement) {
  const ir::Program& program = subject.program;
  double bytes = 0;
  for (size_t virtualStage : program.heldBy(subject.estimate.memory.fullest))
    for (const auto& [id, count] : program.kindOf(virtualStage).classes)
      for (const ir::Node& node : program.classes[id].backward) {
        const ir::Compute* compute = node.asCompute();
        if (!compute || node.phase != ir::Phase::Recompute || !node.op.valid()) continue;
        const std::vector<Symbol>& path = program.model->ops[node.op].path;
        if (llvm::any_of(statement.selectors, [&](const ir::Selector& s) { return s.matches(path).has_value(); }))
          bytes += compute->work.resultBytes * node.times * static_cast<double>(count);
      }
  return bytes;
}

/// Micro-batches that are under way at the fullest moment: what lives for backward, over what one of them keeps.
double underWay(const Subject& subject) {
  const cost::Memory& memory = subject.estimate.memory;
  double kept = 0;
  for (const cost::LayerRow& row : subject.estimate.layers)
    if (row.stage == memory.fullest) kept += row.activationBytes * static_cast<double>(row.count);
  const double live = memory.stages[static_cast<size_t>(memory.fullest)].activations;
  return kept > 0 ? std::max(1.0, live / kept) : 1;
}

/// May the peak be hardly lower? Only then the plan without the statement is worth its price: what would be kept is
/// little, or less than what the optimizer's step needs beyond the passes. Nothing is made again for a statement that
/// does nothing.
bool mayBeIdle(const Subject& subject, const ir::Recompute& statement) {
  const cost::Memory& memory = subject.estimate.memory;
  const cost::StageMemory& stage = memory.stages[static_cast<size_t>(memory.fullest)];
  const double slack = std::max(0.0, stage.stepPeak - stage.passPeak);
  const double replayed = replayedBytes(subject, statement) * underWay(subject);
  return replayed > 0 && replayed < slack + kLittle * memory.peak;
}

/// What frees nothing at all is said where plans are checked, at a place inside of the statement.
bool isToldOf(const ir::Recompute& statement, const DiagnosticEngine& diagnostics) {
  const SourceRange& r = statement.range;
  return llvm::any_of(diagnostics.sorted(), [&](const Diagnostic* d) {
    return d->range.file == r.file && d->range.begin >= r.begin && d->range.end <= r.end;
  });
}

} // namespace

void warnOfIdleRecomputation(const Subject& subject, DiagnosticEngine& diagnostics) {
  const ir::Plan& plan = subject.plan();
  const double peak = subject.estimate.memory.peak;
  for (size_t i = 0; i < plan.recompute.size(); ++i) {
    const ir::Recompute& statement = plan.recompute[i];
    if (isToldOf(statement, diagnostics) || !mayBeIdle(subject, statement)) continue;
    const auto without = subject.withoutRecompute(i);
    if (!without || without->peak - peak >= kLittle * peak) continue;
    const double freed = std::max(0.0, without->peak - peak);
    diagnostics
        .report(LittleFreed, statement.range,
                {{"statement", statement.str()},
                 {"freed", bytes(freed)},
                 {"peak", bytes(peak)},
                 {"share", percent(freed / peak)}})
        .help("take it out, or name what keeps more: `planc explain FILE memory` lists what lives at the peak")
        .note(fmt::format("without it a step takes {} in place of {}", seconds(without->step),
                          seconds(subject.estimate.totals.stepTime)));
  }
}

} // namespace planc::lint
