// A sweep as JSON and as a sheet.
// SPDX-License-Identifier: Apache-2.0
#include "report/search/SweepParts.h"
#include "report/tables/JsonNumber.h"

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
  if (point.filled) choices[sweep.filledPath()] = std::to_string(*point.filled);
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
  ordered_json stages = ordered_json::array(), flat = nullptr;
  for (const StageChange& change : stageChanges(sweep))
    stages.push_back({{"from", jsonNumber(change.from)},
                      {"to", jsonNumber(change.to)},
                      {"before", change.before},
                      {"then", change.then}});
  const auto place = [](const std::optional<double>& at) { return at ? jsonNumber(*at) : ordered_json(nullptr); };
  if (const auto ends = sweepFlatEnds(sweep))
    flat = {{"from", place(ends->from)},
            {"up_to", place(ends->upTo)},
            {"first_doubling", jsonNumber(ends->first)},
            {"last_doubling", jsonNumber(ends->last)}};
  for (const SweepLimit& limit : sweepLimits(sweep)) limits.push_back({{"point", limit.point}, {"text", limit.text}});
  out["axes"] = axes, out["metrics"] = metrics, out["points"] = points, out["knees"] = knees,
  out["critical_stages"] = stages, out["flat"] = flat, out["limits"] = limits;
  return out;
}

namespace {

bool hasUnit(const SweepAxis& axis) {
  return axis.numeric() && !axis.unit.plain();
}

std::vector<std::string> csvHeads(const SweepReport& report) {
  const Sweep& sweep = *report.sweep;
  const bool scales = !report.scaling.empty();
  std::vector<std::string> heads;
  if (scales) heads.emplace_back("scaling");
  for (const SweepAxis& axis : sweep.axes) {
    for (const std::string& path : sweep.space->choices[axis.choice].paths) heads.push_back(path);
    if (hasUnit(axis)) heads.push_back(axis.path + " in base units");
  }
  if (sweep.space->fill) heads.push_back(sweep.filledPath());
  if (scales) heads.insert(heads.end(), {"devices", "global_batch", "speedup", "efficiency"});
  for (const verdict::Metric* metric : sweep.metrics) heads.push_back(metricColumn(*metric));
  heads.insert(heads.end(), {"fits", "code", "message"});
  return heads;
}

std::vector<std::string> csvCells(const SweepReport& report, const SweepPoint& point, const ScaledPoint& scaled) {
  const Sweep& sweep = *report.sweep;
  std::vector<std::string> cells;
  if (!report.scaling.empty()) cells.push_back(report.scaling);
  for (const SweepAxis& axis : sweep.axes) {
    const uint32_t value = point.digits[axis.choice];
    for (const std::string& text : sweep.space->choices[axis.choice].values[value].texts) cells.push_back(text);
    if (hasUnit(axis)) cells.push_back(fmt::format("{}", axis.at[value]));
  }
  if (sweep.space->fill) cells.push_back(point.filled ? std::to_string(*point.filled) : "");
  if (!report.scaling.empty()) {
    cells.push_back(std::to_string(point.devices));
    cells.push_back(std::to_string(point.globalBatch));
    cells.push_back(point.priced ? fmt::format("{}", scaled.speedup) : "");
    cells.push_back(point.priced ? fmt::format("{}", scaled.efficiency) : "");
  }
  for (size_t m = 0; m < sweep.metrics.size(); ++m) {
    const std::string column = metricColumn(*sweep.metrics[m]);
    cells.push_back(point.priced && point.values[m] ? fmt::format("{}", report::fieldValue(*point.values[m], column))
                                                    : "");
  }
  cells.emplace_back(point.priced ? point.fits ? "true" : "false" : "");
  cells.push_back(point.code ? fmt::format("PLAN{:04}", point.code) : "");
  cells.push_back(point.message);
  return cells;
}

} // namespace

report::Sheet sweepSheet(const SweepReport& report) {
  report::Sheet sheet{csvHeads(report)};
  const std::vector<ScaledPoint> scaled = scaledPoints(*report.sweep);
  for (size_t p = 0; p < report.sweep->points.size(); ++p)
    sheet.push_back(csvCells(report, report.sweep->points[p], scaled[p]));
  return sheet;
}

} // namespace planc::search
