// Thin margin: a plan fits, and so closely that a run may not.
// SPDX-License-Identifier: Apache-2.0
#include "backends/lint/Lints.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::lint {

PLANC_WARNING(ThinMargin, 1174, "plan `{plan}` leaves {left} of {capacity} free, {share}", Stage::Priced)

namespace {

/// Memory is not predicted closer than this: allocators, drivers and libraries hold more or less of it.
constexpr double kMargin = 0.05;
/// The largest that live then, all in one note: parameters, their states and activations are three, and what is behind
/// them frees too little to look at first.
constexpr size_t kLines = 3;

} // namespace

/// What does not fit is said in the report itself.
void warnOfThinMargin(const Subject& subject, DiagnosticEngine& diagnostics) {
  const cost::Memory& memory = subject.estimate.memory;
  const double left = memory.capacity - memory.peak;
  if (!memory.fits || left >= kMargin * memory.capacity) return;
  const ir::Plan& plan = subject.plan();
  auto report = diagnostics.report(ThinMargin, plan.range,
                                   {{"plan", plan.name.str()},
                                    {"left", bytes(left)},
                                    {"capacity", bytes(memory.capacity)},
                                    {"share", percent(left / memory.capacity)}});
  if (plan.workload.microBatchRange.valid()) report.label(plan.workload.microBatchRange, "activations grow with it");
  const cost::StageMemory& stage = memory.stages[static_cast<size_t>(memory.fullest)];
  std::string most;
  for (size_t i = 0; i < std::min(kLines, stage.live.size()); ++i)
    most += fmt::format("{}{} {}", i ? ", " : "", stage.live[i].what, bytes(stage.live[i].bytes));
  report.note(fmt::format("largest at the peak of {}: {}", bytes(memory.peak), most));
  report.help("recompute or split more of it, or try it on the cluster and `allow PLAN1174` with what was measured");
}

} // namespace planc::lint
