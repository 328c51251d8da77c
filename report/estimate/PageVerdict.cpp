// The end of an estimate: assertions and measured lines, each with its values.
// SPDX-License-Identifier: Apache-2.0
#include "report/estimate/EstimateParts.h"
#include "report/tables/Cells.h"

#include <fmt/core.h>

namespace planc::report {
namespace {

std::string valueText(double value, const Unit& unit, bool percent) {
  return percent && unit.plain() ? percentText(value) : formatQuantity(value, unit);
}

StyledText mark(bool ok) {
  return {ok ? "✓" : "✗", ok ? TextStyle::Label : TextStyle::Error};
}

/// Returns `policy margin requires memory.peak < 70GB`.
std::string demandText(const verdict::AssertionResult& r) {
  return (r.policy.empty() ? "assert " : "policy " + r.policy + " requires ") + r.text;
}

/// Returns `policy margin requires memory.peak < 70GB is 64 GB`.
std::string lineText(const verdict::AssertionResult& r) {
  return demandText(r) + (r.value && r.whole ? " is " + valueText(*r.value, r.unit, r.percent) : "");
}

Table assertionsTable(const verdict::Results& results) {
  Table table{"lll"};
  for (const verdict::AssertionResult& r : results.assertions)
    table.add({r.skipped ? StyledText{"-", TextStyle::Plain} : mark(r.ok), lineText(r), r.reason});
  return table;
}

/// Returns the bound of a measured value: the tolerance of the line, else the interval of the prediction.
std::string heldText(const verdict::MeasuredResult& r) {
  if (r.tolerance) return "within " + percentText(*r.tolerance);
  if (!r.inside()) return "";
  return fmt::format("{} the {:.0f} % interval, {} to {}", *r.inside() ? "inside" : "outside", r.coverage * 100,
                     valueText(*r.low, r.unit, r.percent), valueText(*r.high, r.unit, r.percent));
}

/// Returns the mark of a line. Without a tolerance nothing fails: the mark says inside or outside, and there is no mark
/// without an interval.
StyledText markOf(const verdict::MeasuredResult& r) {
  if (r.tolerance || !r.known) return mark(r.ok);
  return r.inside() ? mark(*r.inside()) : StyledText{"-", TextStyle::Plain};
}

Table measuredTable(const verdict::Results& results) {
  Table table{"llrlrll"};
  for (const verdict::MeasuredResult& r : results.measured) {
    if (!r.known) {
      table.add({mark(false), "measured " + r.metric, "-", "", "", "", r.source});
      continue;
    }
    table.add({markOf(r), "measured " + r.metric, valueText(r.measured, r.unit, r.percent),
               "predicted " + valueText(r.predicted, r.unit, r.percent), errorText(r.error), heldText(r), r.source});
  }
  return table;
}

} // namespace

std::string oneLine(const verdict::AssertionResult& r) {
  return lineText(r) + (r.reason.empty() ? "" : ": " + r.reason);
}

std::string oneLine(const verdict::MeasuredResult& r) {
  if (!r.known) return fmt::format("measured {}: it has no value", r.metric);
  const std::string held = heldText(r);
  return fmt::format("measured {} {}, predicted {}, {}{}{}", r.metric, valueText(r.measured, r.unit, r.percent),
                     valueText(r.predicted, r.unit, r.percent), errorText(r.error), held.empty() ? "" : ", " + held,
                     r.source.empty() ? "" : ": " + r.source);
}

std::string asWritten(const verdict::AssertionResult& r) {
  return demandText(r) + (r.reason.empty() ? "" : ": " + r.reason);
}

std::string asWritten(const verdict::MeasuredResult& r) {
  return fmt::format("measured {}{}", r.metric, r.source.empty() ? "" : ": " + r.source);
}

Page verdictPage(const PlanReport& report) {
  Page page;
  if (!report.results) return page;
  for (Table table : {assertionsTable(*report.results), measuredTable(*report.results)})
    if (!table.empty()) page.push_back(std::move(table));
  return page;
}

} // namespace planc::report
