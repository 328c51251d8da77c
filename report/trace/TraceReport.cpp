// Tables of what was predicted and measured: parts of the step, operators, collectives, and what a calibration closes.
// SPDX-License-Identifier: Apache-2.0
#include "report/trace/TraceReport.h"

#include "report/tables/Cells.h"
#include "report/tables/Csv.h"
#include "report/tables/JsonNumber.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace planc::report {
namespace {

using Json = nlohmann::ordered_json;
using calibrate::ComparedPart;
using calibrate::ComparedRow;
using calibrate::Sides;
using calibrate::TraceComparison;
using calibrate::WorkPass;

/// Less than a nanosecond is rounding, of a trace or of sums.
std::string time(double seconds) {
  constexpr double kNothing = 1e-9;
  return std::abs(seconds) < kNothing ? "-" : formatQuantity(seconds, units::time);
}

/// Returns predicted over measured, less 1: as the errors of `measured` lines.
std::string error(double predicted, double measured) {
  return predicted > 0 && measured > 0 ? errorText(predicted / measured - 1) : "-";
}

/// `a, b and 12 more`.
std::string someOf(const std::vector<std::string>& names) {
  constexpr size_t kSome = 2;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kSome); ++i) text += (i ? ", " : "") + names[i];
  return names.size() > kSome ? fmt::format("{} and {} more", text, names.size() - kSome) : text;
}

std::string runsText(const ComparedRow& row) {
  const auto one = [](double runs) { return runs > 0 ? fmt::format("{:.4g}", runs) : std::string("-"); };
  return row.planRuns == row.runs ? one(row.runs) : one(row.planRuns) + " / " + one(row.runs);
}

Table partsTable(const TraceComparison& c) {
  Table table{"lrrrl"};
  table.head({"of a step", "predicted", "measured", "error", ""});
  for (const ComparedPart& part : c.parts) {
    if (time(part.predicted) == time(0) && time(part.measured) == time(0)) continue;
    table.add({std::string(part.name),
               time(part.predicted),
               time(part.measured),
               error(part.predicted, part.measured),
               {std::string(part.about), TextStyle::Gutter}});
  }
  table.add({"step", time(c.predicted), time(c.measured), error(c.predicted, c.measured), ""});
  return table;
}

/// Rows of `sides`; `whole`: the gap of the step, of which each row is a share.
Table rowsTable(const std::vector<ComparedRow>& rows, Sides sides, double whole, size_t top) {
  Table table{"lllrrrrr"};
  table.head({"operator", "size", "pass", "runs", "predicted", "measured", "error", "of the gap"});
  for (const ComparedRow& row : rows) {
    if (row.sides != sides || (top && table.rows.size() > top)) continue;
    table.add({someOf(row.of), row.size, std::string(name(row.pass)), runsText(row), time(row.predicted),
               time(row.measured), error(row.predicted, row.measured),
               whole != 0 ? errorText(row.gap() / whole) : std::string("-")});
  }
  return table;
}

double gapOf(const std::vector<ComparedRow>& rows, Sides sides) {
  double sum = 0;
  for (const ComparedRow& row : rows) sum += row.sides == sides ? row.gap() : 0;
  return sum;
}

size_t countOf(const std::vector<ComparedRow>& rows, Sides sides) {
  return static_cast<size_t>(std::ranges::count_if(rows, [&](const ComparedRow& row) { return row.sides == sides; }));
}

void addRows(Page& page, const TraceReport& r, const std::vector<ComparedRow>& rows, Sides sides,
             const std::string& title) {
  const size_t count = countOf(rows, sides);
  if (count == 0) return;
  const double gap = r.found.measured - r.found.predicted;
  constexpr double kNoGap = 1e-6; // of the step: shares of less say nothing
  const double whole = std::abs(gap) > kNoGap * r.found.measured ? gap : 0;
  Page part = pageOf(Heading{title, 3}, rowsTable(rows, sides, whole, r.top));
  if (r.top && count > r.top) part.emplace_back(Remark{fmt::format("{} more; --top 0 lists them", count - r.top)});
  addPart(page, std::move(part));
}

/// The gap by the record that a calibration with this trace would move, largest first.
std::vector<std::pair<std::string, double>> closable(const TraceComparison& c) {
  std::map<std::string, double> gaps;
  for (const ComparedRow& row : c.operators)
    if (row.sides == Sides::Both && !row.record.empty()) gaps[row.record] += row.gap();
  std::vector<std::pair<std::string, double>> out(gaps.begin(), gaps.end());
  std::erase_if(out, [](const auto& gap) { return time(gap.second) == time(0); });
  std::ranges::stable_sort(out, {}, [](const auto& g) { return -std::abs(g.second); });
  return out;
}

Page closingPage(const TraceReport& r) {
  const auto gaps = closable(r.found);
  if (gaps.empty()) return {};
  Table table{"lr"};
  table.head({"record", "gap"});
  for (size_t i = 0; i < gaps.size() && (!r.top || i < r.top); ++i)
    table.add({gaps[i].first, (gaps[i].second > 0 ? "+" : "") + formatQuantity(gaps[i].second, units::time)});
  return pageOf(
      Heading{"What a calibration closes", 3},
      Remark{fmt::format("planc calibrate {} --device {} --stack {} -o ours.plan", r.trace, r.device, r.stack)},
      std::move(table));
}

Json rowJson(const ComparedRow& row) {
  return {{"of", row.of},
          {"size", row.size.empty() ? Json() : Json(row.size)},
          {"pass", row.pass == WorkPass::Either ? Json() : Json(name(row.pass))},
          {"sides", name(row.sides)},
          {"record", row.record.empty() ? Json() : Json(row.record)},
          {"plan_runs", row.planRuns},
          {"runs", row.runs},
          {"predicted_s", row.predicted},
          {"measured_s", row.measured}};
}

Json dataOf(const TraceReport& r) {
  const TraceComparison& c = r.found;
  Json parts = Json::array(), operators = Json::array(), collectives = Json::array();
  for (const ComparedPart& part : c.parts)
    parts.push_back({{"part", part.name}, {"predicted_s", part.predicted}, {"measured_s", part.measured}});
  for (const ComparedRow& row : c.operators) operators.push_back(rowJson(row));
  for (const ComparedRow& row : c.collectives) collectives.push_back(rowJson(row));
  return {
      {"plan", r.plan},
      {"trace", r.trace},
      {"stage", c.stage},
      {"steps", c.steps},
      {"step_s",
       {{"predicted", c.predicted}, {"measured", c.measured}, {"median", c.median}, {"low", c.low}, {"high", c.high}}},
      {"matched", {{"plan", c.planMatched}, {"trace", c.traceMatched}}},
      {"parts", std::move(parts)},
      {"operators", std::move(operators)},
      {"collectives", std::move(collectives)}};
}

Sheet sheetOf(const TraceComparison& c) {
  Sheet sheet{{"what", "of", "size", "pass", "sides", "plan_runs", "runs", "predicted_s", "measured_s"}};
  const auto add = [&](const char* what, const ComparedRow& row) {
    sheet.push_back({what, fmt::format("{}", fmt::join(row.of, " ")), row.size, std::string(name(row.pass)),
                     std::string(name(row.sides)), csvNumber(row.planRuns), csvNumber(row.runs),
                     csvNumber(row.predicted), csvNumber(row.measured)});
  };
  for (const ComparedRow& row : c.operators) add("operator", row);
  for (const ComparedRow& row : c.collectives) add("collective", row);
  return sheet;
}

} // namespace

Document traceDocument(const TraceReport& r) {
  const TraceComparison& c = r.found;
  Document out;
  out.page = pageOf(Heading{fmt::format("{} beside {}", r.plan, r.trace), 2},
                    Remark{fmt::format("{} of stage {}: {} measured (median of {} to {}), {} predicted, {}",
                                       plural(static_cast<double>(c.steps), "step", "steps"), c.stage, time(c.median),
                                       time(c.low), time(c.high), time(c.predicted), error(c.predicted, c.measured))},
                    Remark{fmt::format("matched: {} of the plan's operators by time, {} of the trace's",
                                       shareText(c.planMatched), shareText(c.traceMatched))},
                    Gap{}, partsTable(c));
  addRows(out.page, r, c.operators, Sides::Both, "Operators, largest gap first");
  addRows(out.page, r, c.operators, Sides::Plan,
          fmt::format("Only in the plan: {}", time(-gapOf(c.operators, Sides::Plan))));
  addRows(out.page, r, c.operators, Sides::Trace,
          fmt::format("Only in the trace: {}", time(gapOf(c.operators, Sides::Trace))));
  for (const Sides sides : {Sides::Both, Sides::Plan, Sides::Trace})
    addRows(out.page, r, c.collectives, sides,
            sides == Sides::Both ? "Collectives, hidden or not"
                                 : fmt::format("Collectives only in the {}", name(sides)));
  addPart(out.page, closingPage(r));
  out.data = dataOf(r);
  out.sheets = {sheetOf(c)};
  return out;
}

} // namespace planc::report
