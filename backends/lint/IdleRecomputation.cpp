// Idle recomputation: layers are recomputed, but the peak of memory is hardly lower.
// SPDX-License-Identifier: Apache-2.0
#include "backends/lint/Lints.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::lint {

PLANC_WARNING(LittleFreed, 1173, "`recompute {statement}` frees {freed} of a peak of {peak}, {share}", Reached::Priced)

namespace {

/// A smaller share of the peak is lost again to the rounding of an allocator (docs/cost-model.md, section 3a).
constexpr double kLittle = 0.01;

/// Returns the bytes that one micro-batch recomputes for a statement on the fullest stage. Without the statement about
/// as much would be kept for each micro-batch in flight.
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

/// Returns the micro-batches in flight at the peak: all activations kept for backward over those of one micro-batch.
double underWay(const Subject& subject) {
  const cost::Memory& memory = subject.estimate.memory;
  double kept = 0;
  for (const cost::LayerRow& row : subject.estimate.layers)
    if (row.stage == memory.fullest) kept += row.activationBytes * static_cast<double>(row.count);
  const double live = memory.stages[static_cast<size_t>(memory.fullest)].activations;
  return kept > 0 ? std::max(1.0, live / kept) : 1;
}

/// Returns whether the peak may be hardly lower, so that pricing the plan without the statement is worthwhile. The kept
/// bytes would then be few, or fewer than the optimizer's step needs beyond the passes. A statement without effect
/// recomputes nothing.
bool mayBeIdle(const Subject& subject, const ir::Recompute& statement) {
  const cost::Memory& memory = subject.estimate.memory;
  const cost::StageMemory& stage = memory.stages[static_cast<size_t>(memory.fullest)];
  const double slack = std::max(0.0, stage.stepPeak - stage.passPeak);
  const double replayed = replayedBytes(subject, statement) * underWay(subject);
  return replayed > 0 && replayed < slack + kLittle * memory.peak;
}

/// Returns whether a diagnostic lies inside the statement. Checks of the plan already report statements that free
/// nothing.
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
        .help("remove it, or name layers that keep more: `planc explain FILE memory` lists the memory at the peak")
        .note(fmt::format("without it a step takes {} instead of {}", seconds(without->step),
                          seconds(subject.estimate.totals.stepTime)));
  }
}

} // namespace planc::lint
