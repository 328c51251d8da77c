// Points of a sweep in rows, with their knees and limits behind them, for people.
// SPDX-License-Identifier: Apache-2.0
#include "report/search/SweepReport.h"

#include "report/search/ReportParts.h"
#include "report/search/SweepParts.h"
#include "report/tables/Cells.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace planc::search {

using report::StyledText;

namespace {

/// Four digits, all of those before the point.
std::string numberText(double value) {
  return std::abs(value) < 1000 ? fmt::format("{:.4g}", value) : fmt::format("{:.0f}", value);
}

/// The unit that the numbers of a column share, by the one in the middle.
struct ColumnUnit {
  std::string name; ///< `GB`; empty: each number says its own
  double base = 1;  ///< of it in base units
  std::string head(std::string_view of) const {
    return name.empty() ? std::string(of) : fmt::format("{} [{}]", of, name);
  }
  std::string cell(double value, const Unit& unit) const {
    return name.empty() ? formatQuantity(value, unit) : numberText(value / base);
  }
};

ColumnUnit columnUnit(std::vector<double> values, const Unit& unit) {
  std::sort(values.begin(), values.end());
  const std::string text = values.empty() ? std::string() : formatQuantity(values[values.size() / 2], unit);
  const size_t blank = text.find(' ');
  if (unit.plain() || blank == std::string::npos) return {};
  std::string badUnit;
  const auto one = parseQuantity("1" + text.substr(blank + 1), badUnit);
  return one && one->unit == unit ? ColumnUnit{text.substr(blank + 1), one->value} : ColumnUnit{};
}

ColumnUnit axisUnit(const SweepAxis& axis) {
  return axis.numeric() ? columnUnit(axis.at, axis.unit) : ColumnUnit{};
}

std::vector<double> valuesOf(const Sweep& sweep, size_t metric) {
  std::vector<double> values;
  for (const SweepPoint& point : sweep.points)
    if (point.priced && point.values[metric]) values.push_back(*point.values[metric]);
  return values;
}

/// Returns the head of an axis with everything bound to its choice. For scaling, the batch has a column of its own.
std::string headOfAxis(const SweepReport& report, const SweepAxis& axis) {
  return report.scaling.empty() ? choiceText(report.sweep->space->choices[axis.choice]) : axis.path;
}

/// The value of a choice, as a column in one unit has it.
std::string axisCell(const SweepReport& report, const SweepAxis& axis, const ColumnUnit& unit,
                     const SweepPoint& point) {
  const Sweep& sweep = *report.sweep;
  const uint32_t value = point.digits[axis.choice];
  if (!report.scaling.empty()) return sweep.space->choices[axis.choice].values[value].texts.front();
  if (!axis.numeric() || (unit.name.empty() && axis.unit.plain()))
    return valueText(sweep.space->choices[axis.choice], value);
  return unit.cell(axis.at[value], axis.unit);
}

std::string slopeText(double slope) {
  return fmt::format("{:+.2f}", std::abs(slope) < 0.005 ? 0.0 : slope);
}

/// Do the values of a curve go up, or down? Of words and of values in another order no one is a limit.
bool isOrdered(const Sweep& sweep) {
  const std::vector<double>& at = sweep.axes[0].at;
  return sweep.axes[0].numeric() && (std::is_sorted(at.begin(), at.end()) || std::is_sorted(at.rbegin(), at.rend()));
}

/// A column behind that of the step time: how much more it is than at the first point with a price.
bool showsChange(const SweepReport& report, size_t metric) {
  return report.scaling.empty() && report.sweep->points.size() > 1 &&
         report.sweep->metrics[metric]->name() == "step_time";
}

std::string changeText(const Sweep& sweep, const SweepPoint& point) {
  const auto first =
      std::find_if(sweep.points.begin(), sweep.points.end(), [](const SweepPoint& p) { return p.priced; });
  return point.priced ? report::errorText(point.stepTime / first->stepTime - 1) : "-";
}

/// Returns a text that is equal for points with the same fate.
std::string statusOf(const SweepPoint& point) {
  return point.priced ? point.fits ? "fits" : "unfit" : fmt::format("{}", point.code);
}

} // namespace

std::string fateText(const SweepPoint& point) {
  if (point.priced) return point.fits ? "yes" : "no";
  return point.code ? fmt::format("PLAN{:04}: {}", point.code, point.message) : point.message;
}

std::string axisText(const Sweep& sweep, const SweepAxis& axis, uint32_t value) {
  return axis.numeric() && !axis.unit.plain() ? formatQuantity(axis.at[value], axis.unit)
                                              : valueText(sweep.space->choices[axis.choice], value);
}

std::vector<std::vector<std::string>> sweepRows(const SweepReport& report) {
  const Sweep& sweep = *report.sweep;
  std::vector<std::vector<std::string>> rows(1);
  std::vector<ColumnUnit> axes, metrics;
  for (const SweepAxis& axis : sweep.axes) {
    axes.push_back(axisUnit(axis));
    rows[0].push_back(axes.back().head(headOfAxis(report, axis)));
  }
  if (sweep.space->fill) rows[0].push_back(sweep.filledPath());
  if (!report.scaling.empty()) rows[0].insert(rows[0].end(), {"devices", "batch", "speedup", "efficiency"});
  for (size_t m = 0; m < sweep.metrics.size(); ++m) {
    metrics.push_back(columnUnit(valuesOf(sweep, m), sweep.metrics[m]->unit));
    rows[0].push_back(metrics.back().head(sweep.metrics[m]->name()));
    if (showsChange(report, m)) rows[0].emplace_back("vs first");
  }
  rows[0].emplace_back("fits");
  const std::vector<ScaledPoint> scaled = scaledPoints(sweep);
  for (size_t p = 0; p < sweep.points.size(); ++p) {
    const SweepPoint& point = sweep.points[p];
    std::vector<std::string>& row = rows.emplace_back();
    for (size_t a = 0; a < axes.size(); ++a) row.push_back(axisCell(report, sweep.axes[a], axes[a], point));
    if (sweep.space->fill) row.push_back(point.filled ? std::to_string(*point.filled) : "-");
    if (!report.scaling.empty()) {
      row.push_back(point.devices ? std::to_string(point.devices) : "-");
      row.push_back(point.globalBatch ? std::to_string(point.globalBatch) : "-");
      row.push_back(point.priced ? fmt::format("{:.3f}", scaled[p].speedup) : "-");
      row.push_back(point.priced ? report::percentText(scaled[p].efficiency) : "-");
    }
    for (size_t m = 0; m < metrics.size(); ++m) {
      const bool known = point.priced && point.values[m];
      row.push_back(known ? metrics[m].cell(*point.values[m], sweep.metrics[m]->unit) : "-");
      if (showsChange(report, m)) row.push_back(changeText(sweep, point));
    }
    row.push_back(fateText(point));
  }
  return rows;
}

size_t choiceColumns(const Sweep& sweep) {
  return sweep.axes.size() + (sweep.space->fill ? 1 : 0);
}

std::string kneeText(const SweepAxis& axis, const NamedKnee& named) {
  const Knee& knee = named.knee;
  const std::string at = formatQuantity(knee.at, axis.unit);
  const std::string what = knee.jump ? fmt::format("{} jumps by {}", at, report::errorText(knee.change))
                                     : fmt::format("{} turns from slope {} to {}", at, slopeText(knee.slopeBelow),
                                                   slopeText(knee.slopeAbove));
  return named.cause.empty() ? what : what + ", " + named.cause;
}

std::vector<SweepLimit> sweepLimits(const Sweep& sweep) {
  std::vector<SweepLimit> out;
  if (!isOrdered(sweep)) return out;
  for (size_t i = 1; sweep.axes.size() == 1 && i < sweep.points.size(); ++i) {
    const SweepPoint &before = sweep.points[i - 1], &point = sweep.points[i];
    if (statusOf(before) == statusOf(point)) continue;
    if (!point.priced)
      out.push_back({i, fateText(point)});
    else if (!point.fits)
      out.push_back({i, fmt::format("does not fit in memory: {} of {}", formatQuantity(point.peak, units::bytes),
                                    formatQuantity(point.capacity, units::bytes))});
    else
      out.push_back({i, before.priced ? "fits in memory" : "is lawful"});
  }
  return out;
}

namespace {

/// `a doubling changes it by less than 1 % from 63.25 GB/s on`
std::string flatText(const SweepAxis& axis, const FlatEnds& ends) {
  const auto at = [&](double value) { return formatQuantity(value, axis.unit); };
  const std::string little = fmt::format("a doubling changes it by less than {}", report::percentText(kFlat));
  if (ends.from && ends.upTo && *ends.upTo > *ends.from) return little + " everywhere";
  std::string text;
  if (ends.upTo) text = fmt::format("{} up to {}", little, at(*ends.upTo));
  if (ends.from) text += fmt::format("{} from {} on", text.empty() ? little : ", and", at(*ends.from));
  if (!text.empty()) return text;
  return fmt::format("a doubling changes it by {} at the first values, by {} at the last",
                     report::errorText(ends.first), report::errorText(ends.last));
}

} // namespace

std::optional<FlatEnds> sweepFlatEnds(const Sweep& sweep) {
  std::vector<double> x;
  std::vector<std::optional<double>> y;
  for (const SweepPoint* point : curvePoints(sweep)) {
    x.push_back(sweep.at(*point));
    y.push_back(point->priced ? std::optional(point->stepTime) : std::nullopt);
  }
  return flatEnds(x, y);
}

std::vector<StageChange> stageChanges(const Sweep& sweep) {
  std::vector<StageChange> out;
  const SweepPoint* last = nullptr;
  for (const SweepPoint* point : curvePoints(sweep)) {
    if (!point->priced) continue;
    if (last && last->critical != point->critical)
      out.push_back({sweep.at(*last), sweep.at(*point), last->critical, point->critical});
    last = point;
  }
  return out;
}

namespace {

/// The table for people, its first row the heads.
report::Table sweepTable(const SweepReport& report) {
  const auto rows = sweepRows(report);
  std::string aligned;
  for (const SweepAxis& axis : report.sweep->axes) aligned += axis.numeric() ? 'r' : 'l';
  report::Table table{aligned + std::string(rows[0].size() - aligned.size() - 1, 'r') + 'l'};
  table.head(rows[0]);
  for (size_t i = 1; i < rows.size(); ++i) table.addPlain(rows[i]);
  return table;
}

/// Where the curve turns, jumps and is flat, and where another stage becomes the critical one.
std::string kneesText(const SweepReport& report) {
  const Sweep& sweep = *report.sweep;
  const auto flat = sweepFlatEnds(sweep);
  const std::vector<StageChange> stages = stageChanges(sweep);
  if (!flat && stages.empty() && report.knees.empty()) return {};
  std::string out = "knees of step_time\n";
  for (const NamedKnee& knee : report.knees) out += "  at " + kneeText(sweep.axes[0], knee) + "\n";
  for (const StageChange& change : stages)
    out += fmt::format("  between {} and {} the critical stage changes from {} to {}\n",
                       formatQuantity(change.from, sweep.axes[0].unit), formatQuantity(change.to, sweep.axes[0].unit),
                       change.before, change.then);
  return flat ? out + "  " + flatText(sweep.axes[0], *flat) + "\n" : out;
}

std::string limitsText(const SweepReport& report) {
  const Sweep& sweep = *report.sweep;
  std::string out;
  for (const SweepLimit& limit : sweepLimits(sweep)) {
    const uint32_t value = sweep.points[limit.point].digits[sweep.axes[0].choice];
    out += fmt::format("{}  from {}: {}\n", out.empty() ? "limits\n" : "",
                       report.scaling.empty() ? axisText(sweep, sweep.axes[0], value)
                                              : sweep.space->choices[sweep.axes[0].choice].values[value].texts.front(),
                       limit.text);
  }
  return out;
}

} // namespace

report::Document sweepDocument(const SweepReport& report) {
  const Sweep& sweep = *report.sweep;
  const bool scales = !report.scaling.empty();
  std::string paths;
  for (const SweepAxis& axis : sweep.axes) paths += (paths.empty() ? "" : " by ") + headOfAxis(report, axis);
  report::Document out;
  out.data[scales ? report.scaling : "sweep"] = sweepJson(report);
  out.page.push_back(report::Heading{
      scales ? fmt::format("{} scaling of {} by {}: {}", report.scaling, report.plan, paths, report.held)
             : fmt::format("sweep of {}: {}, {}", report.plan, paths,
                           report::plural(static_cast<double>(sweep.points.size()), "point", "points"))});
  out.page.push_back(sweepTable(report));
  out.addLines(kneesText(report) + limitsText(report));
  if (scales) out.markdown.push_back(report::Heading{fmt::format("{} scaling: {}", report.scaling, report.held)});
  report::Table table = sweepTable(report); // all that was chosen stands at the left
  const size_t left = choiceColumns(sweep), columns = table.align.size();
  table.align = std::string(left, 'l') + std::string(columns - left - 1, 'r') + 'l';
  out.markdown.push_back(std::move(table));
  out.sheets.push_back(sweepSheet(report));
  return out;
}

} // namespace planc::search
