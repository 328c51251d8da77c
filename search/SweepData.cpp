// A sweep as JSON, CSV and Markdown.
// SPDX-License-Identifier: Apache-2.0
#include "backends/report/Csv.h"
#include "backends/report/JsonNumber.h"
#include "search/SweepParts.h"

#include <fmt/format.h>

namespace planc::search {

using nlohmann::ordered_json;
using report::jsonNumber;

namespace {

ordered_json pointJson(const SweepReport& report, size_t at) {
  const Sweep& sweep = *report.sweep;
  const SweepPoint& point = sweep.points[at];
  ordered_json choices = ordered_json::object(), values = ordered_json::object();
  for (const SweepAxis& axis : sweep.axes) {
    const ir::Choice& choice = sweep.space->choices[axis.choice];
    for (size_t p = 0; p < choice.paths.size(); ++p)
      choices[choice.paths[p]] = choice.values[point.digits[axis.choice]].texts[p];
  }
  for (size_t m = 0; point.priced && m < sweep.metrics.size(); ++m) {
    const std::string column = metricColumn(*sweep.metrics[m]);
    const auto& value = point.values[m];
    values[column] = value ? jsonNumber(report::fieldValue(*value, column)) : ordered_json(nullptr);
  }
  ordered_json out{{"choices", choices}, {"priced", point.priced}};
  if (!point.priced) {
    out["code"] = point.code ? ordered_json(fmt::format("PLAN{:04}", point.code)) : ordered_json(nullptr);
    out["message"] = point.message;
    return out;
  }
  out["values"] = values;
  out["fits"] = point.fits;
  if (report.scaling.empty()) return out;
  const ScaledPoint scaled = scaledPoints(sweep)[at];
  out["devices"] = point.devices, out["global_batch"] = point.globalBatch;
  out["speedup"] = jsonNumber(scaled.speedup), out["efficiency"] = jsonNumber(scaled.efficiency);
  return out;
}

} // namespace

std::string metricColumn(const verdict::Metric& metric) {
  const std::string_view field = metric.jsonField;
  constexpr std::string_view kTotals = "totals.";
  return std::string(field.starts_with(kTotals) ? field.substr(kTotals.size()) : field);
}

ordered_json sweepJson(const SweepReport& report) {
  const Sweep& sweep = *report.sweep;
  ordered_json out{{"plan", report.plan}};
  if (!report.scaling.empty()) out["scaling"] = report.scaling;
  ordered_json axes = ordered_json::array(), metrics = ordered_json::array(), points = ordered_json::array(),
               knees = ordered_json::array(), limits = ordered_json::array();
  for (const SweepAxis& axis : sweep.axes) {
    ordered_json values = ordered_json::array();
    for (const double value : axis.at) values.push_back(jsonNumber(value));
    axes.push_back({{"paths", sweep.space->choices[axis.choice].paths},
                    {"unit", axis.unit.name()},
                    {"values", axis.numeric() ? values : ordered_json(nullptr)}});
  }
  for (const verdict::Metric* metric : sweep.metrics)
    metrics.push_back({{"metric", metric->name()}, {"column", metricColumn(*metric)}});
  for (size_t p = 0; p < sweep.points.size(); ++p) points.push_back(pointJson(report, p));
  for (const NamedKnee& named : report.knees)
    knees.push_back({{"kind", named.knee.jump ? "jump" : "kink"},
                     {"at", jsonNumber(named.knee.at)},
                     {"slope_below", jsonNumber(named.knee.slopeBelow)},
                     {"slope_above", jsonNumber(named.knee.slopeAbove)},
                     {"change", named.knee.jump ? jsonNumber(named.knee.change) : ordered_json(nullptr)},
                     {"cause", named.cause}});
  for (const SweepLimit& limit : sweepLimits(sweep)) limits.push_back({{"point", limit.point}, {"text", limit.text}});
  out["axes"] = axes, out["metrics"] = metrics, out["points"] = points, out["knees"] = knees, out["limits"] = limits;
  return out;
}

std::string sweepCsv(const SweepReport& report, bool heads) {
  const Sweep& sweep = *report.sweep;
  std::string out;
  const auto field = [&](const std::string& text, bool last = false) {
    out += report::csvField(text) + (last ? "\n" : ",");
  };
  const bool scales = !report.scaling.empty();
  const std::vector<ScaledPoint> scaled = scaledPoints(sweep);
  const auto hasUnit = [](const SweepAxis& axis) { return axis.numeric() && !axis.unit.plain(); };
  if (scales) field("scaling");
  for (const SweepAxis& axis : sweep.axes) {
    for (const std::string& path : sweep.space->choices[axis.choice].paths) field(path);
    if (hasUnit(axis)) field(axis.path + " in base units");
  }
  for (const char* name : {"devices", "global_batch", "speedup", "efficiency"})
    if (scales) field(name);
  for (const verdict::Metric* metric : sweep.metrics) field(metricColumn(*metric));
  field("fits"), field("code"), field("message", true);
  if (!heads) out.clear();
  for (size_t p = 0; p < sweep.points.size(); ++p) {
    const SweepPoint& point = sweep.points[p];
    if (scales) field(report.scaling);
    for (const SweepAxis& axis : sweep.axes) {
      const uint32_t value = point.digits[axis.choice];
      for (const std::string& text : sweep.space->choices[axis.choice].values[value].texts) field(text);
      if (hasUnit(axis)) field(fmt::format("{}", axis.at[value]));
    }
    if (scales) {
      field(std::to_string(point.devices)), field(std::to_string(point.globalBatch));
      field(point.priced ? fmt::format("{}", scaled[p].speedup) : "");
      field(point.priced ? fmt::format("{}", scaled[p].efficiency) : "");
    }
    for (size_t m = 0; m < sweep.metrics.size(); ++m) {
      const std::string column = metricColumn(*sweep.metrics[m]);
      field(point.priced && point.values[m] ? fmt::format("{}", report::fieldValue(*point.values[m], column)) : "");
    }
    field(point.priced ? point.fits ? "true" : "false" : "");
    field(point.code ? fmt::format("PLAN{:04}", point.code) : ""), field(point.message, true);
  }
  return out;
}

std::string sweepMarkdown(const SweepReport& report) {
  std::string out = report.scaling.empty() ? "" : fmt::format("## {} scaling: {}\n\n", report.scaling, report.held);
  const auto rows = sweepRows(report);
  for (size_t r = 0; r < rows.size(); ++r) {
    for (std::string cell : rows[r]) {
      for (size_t at = 0; (at = cell.find('|', at)) != std::string::npos; at += 2) cell.insert(at, 1, '\\');
      out += "| " + cell + " ";
    }
    out += "|\n";
    if (r > 0) continue;
    for (size_t i = 0; i + 1 < rows[0].size(); ++i) out += i < report.sweep->axes.size() ? "|---" : "|--:";
    out += "|---|\n";
  }
  return out;
}

} // namespace planc::search
