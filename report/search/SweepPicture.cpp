// A sweep as a picture: a curve with its knees, or a map with its legend.
// SPDX-License-Identifier: Apache-2.0
#include "report/search/SweepParts.h"
#include "report/tables/Cells.h"
#include "report/tables/Svg.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace planc::search {

using report::Anchor;
using report::PictureAxis;
using report::Svg;

namespace {

constexpr double kWidth = 760, kLeft = 90, kTop = 60;

std::string headOf(const verdict::Metric& metric) {
  return std::string(metric.name());
}

/// `tp = 4, step_time 3.2 s`, for whoever points at it.
std::string tipOf(const Sweep& sweep, const SweepPoint& point) {
  std::string text;
  for (const SweepAxis& axis : sweep.axes)
    text += (text.empty() ? "" : ", ") + sweep.space->choices[axis.choice].str(point.digits[axis.choice]);
  if (!point.priced) return text + ": " + point.message;
  for (size_t m = 0; m < sweep.metrics.size(); ++m)
    if (point.values[m])
      text +=
          fmt::format(", {} {}", headOf(*sweep.metrics[m]), formatQuantity(*point.values[m], sweep.metrics[m]->unit));
  return point.fits ? text : text + ", does not fit in memory";
}

// ---- a curve

void drawKnees(Svg& svg, const SweepReport& report, const PictureAxis& across, double top, double bottom) {
  size_t number = 0;
  for (const NamedKnee& named : report.knees) {
    const double x = across.at(named.knee.at);
    const std::string label = std::to_string(++number), text = kneeText(report.sweep->axes[0], named);
    svg.line(x, top, x, bottom, "line b dash", text);
    svg.words(x, top - 4, label, "b small", Anchor::Middle);
    svg.words(kLeft, bottom + 44 + 16 * static_cast<double>(number), label + "  " + text, "ink small");
  }
}

std::string curvePicture(const SweepReport& report) {
  const Sweep& sweep = *report.sweep;
  const SweepAxis& axis = sweep.axes[0];
  const double bottom = 380, height = bottom + 60 + 16 * static_cast<double>(report.knees.size());
  std::vector<double> x, y;
  std::vector<const SweepPoint*> points;
  for (const SweepPoint& point : sweep.points) {
    points.push_back(&point);
    x.push_back(sweep.at(point));
    if (point.priced && point.values[0]) y.push_back(*point.values[0]);
  }
  std::stable_sort(points.begin(), points.end(),
                   [&](const SweepPoint* a, const SweepPoint* b) { return sweep.at(*a) < sweep.at(*b); });
  const bool log = report::inRatios(x);
  const bool logUp = log && std::all_of(y.begin(), y.end(), [](double v) { return v > 0; });
  PictureAxis across = report::axisOver(x, log, axis.path, axis.unit);
  PictureAxis up = report::axisOver(y, logUp, headOf(*sweep.metrics[0]), sweep.metrics[0]->unit);
  across.from = kLeft, across.to = kWidth - 30, up.from = bottom, up.to = kTop;
  Svg svg(kWidth, height, fmt::format("{}: {} by {}", report.plan, up.name, axis.path));
  svg.words(kLeft, 24, report.plan, "ink strong");
  report::drawAcross(svg, across, kTop, bottom);
  report::drawUp(svg, up, kLeft, across.to);
  drawKnees(svg, report, across, kTop, bottom);
  std::vector<std::pair<double, double>> run;
  const auto drawRun = [&] {
    if (run.size() > 1) svg.curve(run, "line a");
    run.clear();
  };
  for (const SweepPoint* point : points) {
    if (point->priced && point->values[0])
      run.emplace_back(across.at(sweep.at(*point)), up.at(*point->values[0]));
    else
      drawRun();
  }
  drawRun();
  for (const SweepPoint* point : points) {
    const double at = across.at(sweep.at(*point));
    if (point->priced && point->values[0])
      svg.dot(at, up.at(*point->values[0]), 3.5, point->fits ? "a" : "line b", tipOf(sweep, *point));
    else
      svg.words(at, bottom - 4, "×", "b", Anchor::Middle);
  }
  return svg.str();
}

// ---- a map

struct Shades {
  double least = 0, most = 1;
  bool log = false;
  double share(double value) const {
    if (most <= least) return 0;
    return log ? std::log(value / least) / std::log(most / least) : (value - least) / (most - least);
  }
  double value(double share) const {
    return log ? least * std::pow(most / least, share) : least + share * (most - least);
  }
};

/// Names along an edge: as many as there is room for.
std::vector<std::string> edgeNames(const Sweep& sweep, const SweepAxis& axis) {
  std::vector<std::string> names;
  const ir::Choice& choice = sweep.space->choices[axis.choice];
  for (uint32_t v = 0; v < choice.values.size(); ++v) names.push_back(axisText(sweep, axis, v));
  return names;
}

void drawLegend(Svg& svg, const Shades& shades, const verdict::Metric& metric, double left, double top, double bottom) {
  constexpr int kSteps = 32, kNames = 5;
  const double size = (bottom - top) / kSteps;
  for (int i = 0; i < kSteps; ++i)
    svg.cell(left, bottom - (i + 1) * size, 16, size + 0.5, report::shade((i + 0.5) / kSteps));
  for (int i = 0; i < kNames; ++i) {
    const double share = i / (kNames - 1.0);
    svg.words(left + 22, bottom - share * (bottom - top) + 4, formatQuantity(shades.value(share), metric.unit),
              "ink small");
  }
  svg.words(left, top - 10, headOf(metric), "ink");
}

void drawCell(Svg& svg, const Sweep& sweep, const SweepPoint& point, const Shades& shades, double x, double y,
              double width, double height) {
  const std::string tip = tipOf(sweep, point);
  if (!point.priced || !point.values[0]) {
    svg.cell(x, y, width, height, "none", tip);
    svg.words(x + width / 2, y + height / 2 + 4, "×", "ink", Anchor::Middle);
    return;
  }
  const double share = shades.share(*point.values[0]);
  svg.cell(x, y, width, height, report::shade(share), tip);
  const char* ink = report::isLight(share) ? "onlight small" : "ondark small";
  if (width > 56 && height > 14)
    svg.words(x + width / 2, y + height / 2 + 4, formatQuantity(*point.values[0], sweep.metrics[0]->unit), ink,
              Anchor::Middle);
  if (!point.fits) svg.line(x + 2, y + height - 2, x + width - 2, y + height - 2, "line b", tip);
}

std::string mapPicture(const SweepReport& report) {
  const Sweep& sweep = *report.sweep;
  const std::vector<std::string> rows = edgeNames(sweep, sweep.axes[0]), columns = edgeNames(sweep, sweep.axes[1]);
  std::vector<double> values;
  for (const SweepPoint& point : sweep.points)
    if (point.priced && point.values[0]) values.push_back(*point.values[0]);
  Shades shades;
  if (!values.empty()) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    constexpr double kWide = 10;
    shades = {*least, *most, *least > 0 && *most > kWide * *least};
  }
  const double left = 130, right = kWidth - 120,
               bottom = kTop + std::clamp(24.0 * static_cast<double>(rows.size()), 160.0, 640.0);
  const double width = (right - left) / static_cast<double>(columns.size()),
               height = (bottom - kTop) / static_cast<double>(rows.size());
  Svg svg(kWidth, bottom + 90,
          fmt::format("{}: {} by {} and {}", report.plan, headOf(*sweep.metrics[0]), sweep.axes[0].path,
                      sweep.axes[1].path));
  svg.words(left, 24, report.plan, "ink strong");
  for (const SweepPoint& point : sweep.points)
    drawCell(svg, sweep, point, shades, left + width * point.digits[sweep.axes[1].choice],
             kTop + height * point.digits[sweep.axes[0].choice], width, height);
  const auto every = [](double size, double room) {
    return std::max<size_t>(1, static_cast<size_t>(std::ceil(room / size)));
  };
  for (size_t i = 0; i < rows.size(); i += every(height, 12))
    svg.words(left - 6, kTop + height * (static_cast<double>(i) + 0.5) + 4, rows[i], "ink small", Anchor::End);
  for (size_t i = 0; i < columns.size(); i += every(width, 62))
    svg.words(left + width * (static_cast<double>(i) + 0.5), bottom + 16, columns[i], "ink small", Anchor::Middle);
  svg.words(left, kTop - 10, sweep.axes[0].path + ", downwards", "ink");
  svg.words((left + right) / 2, bottom + 36, sweep.axes[1].path, "ink", Anchor::Middle);
  svg.words(left, bottom + 60, "× a law forbids it; a line below: it does not fit in memory", "ink small");
  drawLegend(svg, shades, *sweep.metrics[0], right + 24, kTop, bottom);
  return svg.str();
}

} // namespace

std::string scalingPicture(const SweepReport& strong, const SweepReport& weak) {
  const double bottom = 380;
  std::vector<double> devices;
  for (const SweepReport* report : {&strong, &weak})
    for (const SweepPoint& point : report->sweep->points)
      if (point.priced) devices.push_back(static_cast<double>(point.devices));
  PictureAxis across = report::axisOver(devices, report::inRatios(devices), "devices", units::none);
  PictureAxis up{.name = "efficiency against the first", .least = 0, .most = 1.1};
  across.from = kLeft, across.to = kWidth - 30, up.from = bottom, up.to = kTop;
  Svg svg(kWidth, bottom + 60, strong.plan + ": scaling");
  svg.words(kLeft, 24, strong.plan, "ink strong");
  report::drawAcross(svg, across, kTop, bottom);
  report::drawUp(svg, up, kLeft, across.to);
  double y = bottom - 30;
  for (const SweepReport* report : {&strong, &weak}) {
    const std::string style = report == &strong ? "a" : "b";
    const std::vector<ScaledPoint> scaled = scaledPoints(*report->sweep);
    std::vector<std::pair<double, double>> curve;
    for (size_t p = 0; p < scaled.size(); ++p) {
      const SweepPoint& point = report->sweep->points[p];
      if (!point.priced) continue;
      const double x = across.at(static_cast<double>(point.devices)), at = up.at(scaled[p].efficiency);
      curve.emplace_back(x, at);
      svg.dot(x, at, 3.5, point.fits ? style : "line " + style,
              tipOf(*report->sweep, point) + ", efficiency " + report::percentText(scaled[p].efficiency));
    }
    svg.curve(curve, "line " + style);
    svg.words(kLeft + 12, y, report->scaling + ": " + report->held, style);
    y += 16;
  }
  return svg.str();
}

std::string sweepPicture(const SweepReport& report) {
  return report.sweep->axes.size() == 1 ? curvePicture(report) : mapPicture(report);
}

} // namespace planc::search
