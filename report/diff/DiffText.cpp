// A difference as text for a terminal.
// SPDX-License-Identifier: Apache-2.0
#include "report/diff/DiffParts.h"
#include "report/tables/Cells.h"
#include "support/text/TextCells.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::report {

namespace {

constexpr size_t kBelowHead = 4;

std::string changedText(const PlanDiff& plan, const TextOptions& options) {
  const diff::Difference& d = *plan.difference;
  std::string head = "~ " + printable(plan.id);
  for (const Headline& h : headlines(d)) head += fmt::format("   {} {}", h.head, metricChange(d, h.metric));
  if (const std::string fit = fitText(plan); !fit.empty()) head += "   " + fit;
  std::string out = styledLine(head, plan.newlyUnfit() ? TextStyle::Error : TextStyle::Bold, options.color);
  const std::string pad(kBelowHead, ' ');
  if (!plan.was.empty()) out += pad + "was " + printable(plan.was) + "\n";
  for (const std::string& line : reasonLines(d, options.allLayers)) out += pad + printable(line) + "\n";
  if (const std::string stage = stageText(d); !stage.empty()) out += pad + stage + "\n";
  Table table("rll");
  for (const PartLine& line : partLines(d, options.allLayers)) table.add({line.time, line.what, line.because});
  return out + (table.empty() ? "" : table.str(options.color, kBelowHead));
}

/// Returns the text of a plan that only one side has, or no side.
std::string singleText(const PlanDiff& plan, const TextOptions& options) {
  const bool broken = plan.fate == Fate::Broken || plan.fate == Fate::StillBroken;
  const char mark = broken ? '!' : plan.fate == Fate::Removed ? '-' : '+';
  std::string head = fmt::format("{} {}   ", mark, printable(plan.id));
  head += broken ? fmt::format("is {}", name(plan.fate)) : plan.result ? priceText(*plan.result) : "";
  if (plan.fate == Fate::Mended) head += ", was broken";
  const std::string fit = fitText(plan);
  if (!fit.empty()) head += "   " + fit;
  const std::string line = styledLine(head, broken || !fit.empty() ? TextStyle::Error : TextStyle::Bold, options.color);
  return plan.error.empty() ? line : line + std::string(kBelowHead, ' ') + printable(plan.error) + "\n";
}

} // namespace

std::string diffText(const DiffReport& report, const TextOptions& options) {
  std::string out = printable(summaryText(report)) + "\n";
  for (const std::string& line : report.project) out += "planc.toml: " + line + "\n";
  for (const GateFailure& f : report.failures)
    out += styledLine(fmt::format("gate {} fails: {}, {}", f.gate, printable(f.id), f.what), TextStyle::Error,
                      options.color);
  if (const std::string gates = gatesText(report); !gates.empty()) out += gates + "\n";
  for (const PlanDiff& plan : report.plans)
    out += "\n" + (plan.difference ? changedText(plan, options) : singleText(plan, options));
  return out;
}

} // namespace planc::report
