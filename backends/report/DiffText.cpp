// A difference as a person reads it in a terminal.
// SPDX-License-Identifier: Apache-2.0
#include "backends/report/Cells.h"
#include "backends/report/DiffParts.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::report {

namespace {

constexpr size_t kBelowHead = 4;

std::string priceText(const diff::Result& result) {
  const auto step = result.metric("step_time"), memory = result.metric("memory.peak");
  return fmt::format("step {}   memory {}", step ? formatQuantity(*step, units::time) : "-",
                     memory ? formatQuantity(*memory, units::bytes) : "-");
}

std::string changedText(const PlanDiff& plan, const TextOptions& options) {
  const diff::Difference& d = *plan.difference;
  std::string head = "~ " + plan.id;
  for (const Headline& h : headlines(d)) head += fmt::format("   {} {}", h.head, metricChange(d, h.metric));
  std::string out = styledLine(head, TextStyle::Bold, options.color);
  const std::string pad(kBelowHead, ' ');
  if (!plan.was.empty()) out += pad + "was " + plan.was + "\n";
  for (const std::string& line : reasonLines(d)) out += pad + line + "\n";
  if (const std::string stage = stageText(d); !stage.empty()) out += pad + stage + "\n";
  Table table("rll");
  for (const PartLine& line : partLines(d, options.allLayers)) table.add({line.time, line.what, line.because});
  return out + (table.empty() ? "" : table.str(options.color, kBelowHead));
}

std::string planText(const PlanDiff& plan, const TextOptions& options) {
  switch (plan.fate) {
  case Fate::Changed:
    return changedText(plan, options);
  case Fate::Added:
    return styledLine(fmt::format("+ {}   {}", plan.id, priceText(*plan.result)), TextStyle::Bold, options.color);
  case Fate::Removed:
    return styledLine(fmt::format("- {}   {}", plan.id, priceText(*plan.result)), TextStyle::Bold, options.color);
  case Fate::Broken:
    return styledLine("! " + plan.id + "   is broken", TextStyle::Error, options.color) + std::string(kBelowHead, ' ') +
           plan.error + "\n";
  case Fate::Mended:
    return styledLine(fmt::format("+ {}   {}, was broken", plan.id, priceText(*plan.result)), TextStyle::Bold,
                      options.color) +
           std::string(kBelowHead, ' ') + plan.error + "\n";
  }
  return "";
}

} // namespace

void sortWorstFirst(DiffReport& report) {
  const auto rank = [](const PlanDiff& plan) {
    const double change = plan.difference ? plan.difference->relative("step_time").value_or(0) : 0;
    return std::pair(plan.fate == Fate::Broken ? 0 : plan.fate == Fate::Changed ? 1 : 2, -change);
  };
  std::stable_sort(report.plans.begin(), report.plans.end(),
                   [&](const PlanDiff& a, const PlanDiff& b) { return rank(a) < rank(b); });
}

std::string diffText(const DiffReport& report, const TextOptions& options) {
  std::string out = summaryText(report) + "\n";
  for (const PlanDiff& plan : report.plans) out += "\n" + planText(plan, options);
  if (!report.failures.empty()) out += "\n";
  for (const GateFailure& f : report.failures)
    out += styledLine(fmt::format("gate {} fails: {}, {}", f.gate, f.id, f.what), TextStyle::Error, options.color);
  return out;
}

} // namespace planc::report
