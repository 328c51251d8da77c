// Elasticities of a plan's numbers, and what constants would have to be, as a document.
// SPDX-License-Identifier: Apache-2.0
#include "report/search/SensitivityReport.h"

#include "report/tables/Cells.h"
#include "report/tables/Csv.h"
#include "report/tables/JsonNumber.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace planc::report {
namespace {

using Json = nlohmann::ordered_json;
using search::Constant;
using search::Elasticity;
using search::ReachedTarget;
using Cells = std::vector<std::string>;

/// Smaller elasticities are shown as zero.
constexpr double kShownNothing = 5e-5;

/// Returns nullopt if the metric jumps on the only side that there is.
std::optional<double> valueOf(const Elasticity& e) {
  const bool known = !e.jumps || e.below || e.above;
  return known ? std::optional(e.value + 0.0) : std::nullopt; // no negative zero
}

std::string signedText(double value) {
  return std::abs(value) < kShownNothing ? "0" : fmt::format("{:+.4f}", value);
}

/// `-0.8123`; both sides of a kink, `-0.5 | 0`; nothing known of the side of a jump: `jump | -0.5`.
std::string elasticityText(const std::optional<Elasticity>& e) {
  if (!e) return "-";
  if (!e->kinked()) return std::abs(e->value) < kShownNothing ? "-" : signedText(e->value);
  if (!e->below && !e->above) return "jump";
  const auto side = [](const std::optional<double>& s) { return s ? signedText(*s) : "jump"; };
  return side(e->below) + " | " + side(e->above);
}

std::string valueText(const Constant& c, double factor = 1) {
  const std::string text = formatQuantity(c.value * factor, c.unit);
  return c.values > 1 ? fmt::format("{} of {}", text, c.values) : text;
}

size_t shownRows(size_t rows, size_t top) {
  return top == 0 ? rows : std::min(rows, top);
}

std::string changeText(double factor) {
  if (factor >= 2 || factor <= 0.5) return fmt::format("x {:.4g}", factor);
  return fmt::format("{:+.2f} %", (factor - 1) * 100);
}

Table reachTable(const SensitivityReport::Reach& reach, size_t top) {
  Table table{"lrrrr"};
  table.head({"constant", "is", "would be", "change", std::string(reach.target.metric->name())}, TextStyle::Bold);
  for (const ReachedTarget& one : reach.by) {
    if (!one.reached || (top && table.rows.size() > top)) break;
    table.add({one.constant->path, valueText(*one.constant), valueText(*one.constant, one.factor),
               changeText(one.factor), formatQuantity(one.metric, reach.target.metric->unit)});
  }
  return table;
}

/// `a, b and 12 more`.
std::string someOf(const std::vector<std::string>& names) {
  constexpr size_t kSome = 3;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kSome); ++i) text += (i ? ", " : "") + names[i];
  return names.size() > kSome ? fmt::format("{} and {} more", text, names.size() - kSome) : text;
}

/// Returns the lines below the table.
std::vector<std::string> remarks(const SensitivityReport& r) {
  std::vector<std::string> lines;
  const search::Sensitivity& f = r.found;
  const size_t shown = shownRows(f.rows.size(), r.top);
  if (shown < f.rows.size())
    lines.push_back(fmt::format("{} more constants move less; --top 0 lists them", f.rows.size() - shown));
  const auto sized = [](size_t n, std::string_view verb) {
    return fmt::format("{} {}{}", n, n == 1 ? "constant " : "constants ", verb);
  };
  if (!f.still.empty()) lines.push_back(sized(f.still.size(), "have no effect here"));
  if (!f.zeros.empty()) lines.push_back(fmt::format("constants that are 0 have no elasticity: {}", someOf(f.zeros)));
  if (!f.counts.empty()) lines.push_back(fmt::format("counts have no elasticity: {}", someOf(f.counts)));
  const auto step = std::ranges::find(f.metrics, verdict::findMetric("step_time"));
  if (step != f.metrics.end())
    lines.push_back(
        fmt::format("elasticities of step_time to times minus those to rates: {:.4f}; 1 if no constant is missing",
                    f.homogeneity(static_cast<size_t>(step - f.metrics.begin()), BaseUnit::Time)));
  return lines;
}

std::vector<std::string> remarks(const SensitivityReport::Reach& reach, size_t top) {
  std::vector<std::string> lines;
  size_t reached = 0;
  std::vector<std::string> others;
  for (const ReachedTarget& one : reach.by) {
    reached += one.reached;
    if (!one.reached)
      others.push_back(fmt::format("{} ({} at {}{})", one.constant->path,
                                   formatQuantity(one.metric, reach.target.metric->unit), changeText(one.factor),
                                   one.endOfRange ? ", the end of its range" : ""));
  }
  if (top && reached > top)
    lines.push_back(fmt::format("{} more constants reach it; --top 0 lists them", reached - top));
  if (!others.empty()) lines.push_back(fmt::format("these constants cannot reach it alone: {}", someOf(others)));
  return lines;
}

std::string titleOf(const SensitivityReport::Reach& reach, double value) {
  const verdict::Metric& m = *reach.target.metric;
  return fmt::format("{} = {} instead of {}", m.name(), formatQuantity(reach.target.value, m.unit),
                     formatQuantity(value, m.unit));
}

double valueOf(const search::Sensitivity& found, const verdict::Metric* metric) {
  return found.values[static_cast<size_t>(std::ranges::find(found.metrics, metric) - found.metrics.begin())];
}

std::string headingOf(const search::Sensitivity& found) {
  std::string text;
  for (size_t m = 0; m < found.metrics.size(); ++m)
    text += fmt::format("{}{} {}", m ? ", " : "", found.metrics[m]->name(),
                        formatQuantity(found.values[m], found.metrics[m]->unit));
  return text;
}

void addRemarks(Document& out, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) out.page.push_back(Remark{line});
}

void addPage(Document& out, const SensitivityReport& r) {
  out.page.push_back(Heading{fmt::format("plan {}: {}", r.plan, headingOf(r.found)), 2});
  out.page.push_back(elasticityTable(r));
  addRemarks(out, remarks(r));
  for (const SensitivityReport::Reach& reach : r.reaches) {
    out.page.push_back(Gap{});
    out.page.push_back(Heading{titleOf(reach, valueOf(r.found, reach.target.metric)), 3});
    if (Table table = reachTable(reach, r.top); !table.empty())
      out.page.push_back(std::move(table));
    else
      addRemarks(out, {reach.by.empty() ? "no change is needed, or no constant can reach it"
                                        : "no constant reaches it alone"});
    addRemarks(out, remarks(reach, r.top));
  }
}

void addElasticities(Document& out, const SensitivityReport& r) {
  Sheet& sheet = out.sheets.emplace_back();
  sheet = {{"plan", "constant", "unit", "value", "values", "metric", "elasticity", "below", "above", "interval_share"}};
  const auto number = [](const std::optional<double>& s) { return s ? csvNumber(*s) : std::string(); };
  for (size_t i = 0; i < shownRows(r.found.rows.size(), r.top); ++i) {
    const search::SensitiveRow& row = r.found.rows[i];
    for (size_t m = 0; m < r.found.metrics.size(); ++m)
      if (const auto& e = row.elasticities[m])
        sheet.push_back({r.plan, row.constant.path, row.constant.unit.name(), csvNumber(row.constant.value),
                         std::to_string(row.constant.values), std::string(r.found.metrics[m]->name()),
                         number(valueOf(*e)), number(e->below), number(e->above), csvNumber(row.intervalShare)});
  }
}

void addTargets(Document& out, const SensitivityReport& r) {
  Sheet& sheet = out.sheets.emplace_back();
  for (const SensitivityReport::Reach& reach : r.reaches) {
    if (sheet.empty())
      sheet = {
          {"plan", "metric", "target", "constant", "unit", "value", "reached", "factor", "would_be", "metric_there"}};
    for (const ReachedTarget& one : reach.by)
      sheet.push_back({r.plan, std::string(reach.target.metric->name()), csvNumber(reach.target.value),
                       one.constant->path, one.constant->unit.name(), csvNumber(one.constant->value),
                       one.reached ? "true" : "false", csvNumber(one.factor),
                       csvNumber(one.constant->value * one.factor), csvNumber(one.metric)});
  }
}

Json constantJson(const Constant& c) {
  return {{"constant", c.path}, {"value", jsonNumber(c.value)}, {"unit", c.unit.name()}, {"values", c.values}};
}
Json rowJson(const search::Sensitivity& f, const search::SensitiveRow& row) {
  Json out = constantJson(row.constant), all = Json::object();
  for (size_t m = 0; m < f.metrics.size(); ++m) {
    const auto& e = row.elasticities[m];
    if (!e) continue;
    Json one = {{"elasticity", jsonNumber(valueOf(*e))}};
    if (e->kinked()) one["below"] = jsonNumber(e->below), one["above"] = jsonNumber(e->above);
    if (e->jumps) one["jumps"] = true;
    if (e->oneSided) one["one_sided"] = true;
    all[std::string(f.metrics[m]->name())] = std::move(one);
  }
  out["elasticities"] = std::move(all);
  out["interval_share"] = jsonNumber(row.intervalShare);
  return out;
}
Json reachJson(const SensitivityReport::Reach& reach) {
  Json by = Json::array();
  for (const ReachedTarget& one : reach.by) {
    Json out = constantJson(*one.constant);
    out["reached"] = one.reached;
    out["factor"] = one.factor;
    out["would_be"] = jsonNumber(one.constant->value * one.factor);
    out["metric"] = jsonNumber(one.metric);
    if (one.reached) out["metric_beside"] = jsonNumber(one.beside);
    if (one.endOfRange) out["end_of_range"] = true;
    by.push_back(std::move(out));
  }
  return {{"metric", reach.target.metric->name()},
          {"target", jsonNumber(reach.target.value)},
          {"constants", std::move(by)}};
}

Json dataOf(const SensitivityReport& r) {
  const search::Sensitivity& f = r.found;
  Json values = Json::object(), rows = Json::array(), targets = Json::array(), sums = Json::object();
  for (size_t m = 0; m < f.metrics.size(); ++m) {
    values[std::string(f.metrics[m]->name())] = jsonNumber(f.values[m]);
    sums[std::string(f.metrics[m]->name())] = f.homogeneity(m, BaseUnit::Time);
  }
  for (size_t i = 0; i < shownRows(f.rows.size(), r.top); ++i) rows.push_back(rowJson(f, f.rows[i]));
  for (const SensitivityReport::Reach& reach : r.reaches) targets.push_back(reachJson(reach));
  return {{"plan", r.plan},
          {"values", std::move(values)},
          {"constants", std::move(rows)},
          {"left_out", f.rows.size() - shownRows(f.rows.size(), r.top)},
          {"time_exponents", std::move(sums)},
          {"move_nothing", f.still},
          {"zeros", f.zeros},
          {"counts", f.counts},
          {"targets", std::move(targets)}};
}

} // namespace

Table elasticityTable(const SensitivityReport& r, bool sources) {
  Table table{"lr"};
  Cells head{"constant", "value"};
  const bool shares = std::ranges::any_of(r.found.rows, [](const auto& row) { return row.intervalShare > 0; });
  for (const verdict::Metric* m : r.found.metrics) head.emplace_back(m->name()), table.align += 'r';
  if (shares) head.emplace_back("interval"), table.align += 'r';
  if (sources) head.emplace_back("source"), table.align += 'l';
  table.head(head, TextStyle::Bold);
  for (size_t i = 0; i < shownRows(r.found.rows.size(), r.top); ++i) {
    const search::SensitiveRow& row = r.found.rows[i];
    Cells cells{row.constant.path, valueText(row.constant)};
    for (const auto& e : row.elasticities) cells.push_back(elasticityText(e));
    if (shares) cells.push_back(row.intervalShare > 0 ? shareText(row.intervalShare) : "-");
    if (sources) cells.push_back(row.constant.source);
    table.addPlain(cells);
  }
  return table;
}

Document sensitivityDocument(const SensitivityReport& report) {
  Document out;
  out.data = dataOf(report);
  addPage(out, report);
  addElasticities(out, report);
  addTargets(out, report);
  return out;
}

} // namespace planc::report
