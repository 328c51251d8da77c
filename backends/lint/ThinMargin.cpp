// Thin margin: a plan fits so closely that a run may fail.
// SPDX-License-Identifier: Apache-2.0
#include "backends/lint/Lints.h"
#include "ir/facts/StackFacts.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::lint {

PLANC_WARNING(ThinMargin, 1174, "plan `{plan}` leaves {left} of {capacity} free{where}, {share}{sure}", Reached::Priced)

namespace {

/// Least probability of fitting without a warning. A run that fails in its first step costs more than a slower plan
/// with more room.
constexpr double kSure = 0.9;
/// Least free share without a warning, if the stack gives no error of peaks. Peaks are not predicted more exactly than
/// this.
constexpr double kMargin = 0.05;
/// Number of largest contents in the note. Parameters, their states and activations are three; smaller contents free
/// too little to look at first.
constexpr size_t kLines = 3;

std::string largestOf(std::vector<cost::LiveBytes> live) {
  std::stable_sort(live.begin(), live.end(), [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  std::string most;
  for (size_t i = 0; i < std::min(kLines, live.size()); ++i)
    most += fmt::format("{}{} {}", i ? ", " : "", live[i].what, bytes(live[i].bytes));
  return most;
}

} // namespace

/// Warns of plans that fit. The report itself covers plans that do not.
void warnOfThinMargin(const Subject& subject, DiagnosticEngine& diagnostics) {
  const cost::Memory& memory = subject.estimate.memory;
  const bool host = memory.hostIsFuller();
  const double peak = host ? memory.hostPeak : memory.peak, room = host ? memory.hostCapacity : memory.room();
  const std::optional<double>& sure = memory.fitsProbability;
  if (!memory.fits || (sure ? *sure >= kSure : room - peak >= kMargin * room)) return;
  const ir::Plan& plan = subject.plan();
  auto report = diagnostics.report(ThinMargin, plan.range,
                                   {{"plan", plan.name.str()},
                                    {"left", bytes(room - peak)},
                                    {"capacity", bytes(room)},
                                    {"where", host ? " in the host's memory" : ""},
                                    {"share", percent((room - peak) / room)},
                                    {"sure", sure ? fmt::format(": it is {} sure to fit", percent(*sure)) : ""}});
  if (plan.workload.microBatchRange.valid()) report.label(plan.workload.microBatchRange, "activations grow with this");
  const auto onHost = std::max_element(memory.stages.begin(), memory.stages.end(),
                                       [](const auto& a, const auto& b) { return a.hostBytes < b.hostBytes; });
  const cost::StageMemory& stage = host ? *onHost : memory.stages[static_cast<size_t>(memory.fullest)];
  report.note(fmt::format("largest at the peak of {}: {}", bytes(peak), largestOf(host ? stage.host : stage.live)));
  if (const ir::Number* error = plan.stack->number(ir::StackFact::AccuracyMemory))
    report.note(
        fmt::format("`accuracy.memory` of stack `{}`: two of three measured peaks are within {} of the predicted ones",
                    plan.stack->name.view(), percent(error->value)));
  report.help("recompute or split more, or run it on the cluster and write `allow PLAN1174` with the measured peak");
}

} // namespace planc::lint
