// A search as a picture: the front, or step time against memory, and under it what each of the best chooses.
// SPDX-License-Identifier: Apache-2.0
#include "report/search/ReportParts.h"
#include "report/tables/Cells.h"
#include "report/tables/Svg.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::search {

using report::Anchor;
using report::PictureAxis;
using report::Svg;

namespace {

constexpr double kSide = 90, kFrontTop = 60, kFrontBottom = 330, kLinesTop = 430, kLinesBottom = 660;

/// A number of every candidate, with how it is called.
struct Measured {
  std::string name;
  Unit unit;
  std::vector<double> values; ///< by candidate
};

Measured goalOf(const SearchReport& report, size_t goal) {
  Measured out{goalNames(report)[goal], {}, {}};
  for (const Ranked& one : report.table()) {
    const auto value = goalValue(report, goal, one);
    out.values.push_back(value ? value->value : 0);
    if (value) out.unit = value->unit;
  }
  return out;
}

/// The numbers that are drawn across and up: two goals, or memory and the one goal.
std::pair<Measured, Measured> measured(const SearchReport& report) {
  if (goalNames(report).size() > 1) return {goalOf(report, 0), goalOf(report, 1)};
  Measured memory{"memory.peak", units::bytes, {}};
  for (const Ranked& one : report.table()) memory.values.push_back(one.estimate->memory.peak);
  return {std::move(memory), goalOf(report, 0)};
}

std::string tipOf(const SearchReport& report, size_t rank) {
  const Ranked& one = report.table()[rank];
  return fmt::format("{}: {}, step time {}, memory {}", rank + 1, report.space->str(one.outcome.id),
                     formatQuantity(one.estimate->totals.stepTime, units::time),
                     formatQuantity(one.estimate->memory.peak, units::bytes));
}

const char* styleOf(size_t rank) {
  return rank == 0 ? "b" : "a";
}

void drawFront(Svg& svg, const SearchReport& report, double width) {
  const auto [across, up] = measured(report);
  PictureAxis x = report::axisOver(across.values, false, across.name, across.unit);
  PictureAxis y = report::axisOver(up.values, false, up.name, up.unit);
  x.from = kSide, x.to = width - 30, y.from = kFrontBottom, y.to = kFrontTop;
  report::drawAcross(svg, x, kFrontTop, kFrontBottom);
  report::drawUp(svg, y, kSide, x.to);
  std::vector<std::pair<double, double>> front;
  for (size_t i = 0; i < across.values.size(); ++i) front.emplace_back(x.at(across.values[i]), y.at(up.values[i]));
  if (goalNames(report).size() == 2) svg.curve(front, "line a thin");
  for (size_t i = front.size(); i-- > 0;) { // the best on top
    svg.dot(front[i].first, front[i].second, i == 0 ? 5 : 3.5, styleOf(i), tipOf(report, i));
    svg.words(front[i].first + 7, front[i].second - 5, std::to_string(i + 1), "ink small");
  }
}

/// Values of a choice as places along an axis, and where each candidate lies.
struct ChoiceAxis {
  std::string name;
  std::vector<std::string> values;
  std::vector<size_t> places; ///< by candidate
};

std::string shortened(const std::string& text) {
  constexpr size_t kMost = 16;
  return text.size() <= kMost ? text : text.substr(0, kMost - 1) + "…";
}

std::vector<ChoiceAxis> choiceAxes(const SearchReport& report) {
  std::vector<ChoiceAxis> out;
  for (size_t c = 0; c < report.space->choices.size(); ++c) {
    const ir::Choice& choice = report.space->choices[c];
    ChoiceAxis& axis = out.emplace_back();
    axis.name = choice.paths.front();
    for (uint32_t v = 0; v < choice.values.size(); ++v) axis.values.push_back(valueText(choice, v));
    for (const Ranked& one : report.table()) axis.places.push_back(report.space->digits(one.outcome.id)[c]);
  }
  if (!report.space->fill) return out;
  ChoiceAxis& axis = out.emplace_back();
  axis.name = "mesh." + report.space->fill->str();
  std::vector<double> sizes;
  for (const Ranked& one : report.table()) sizes.push_back(ir::sizeAt(*one.plan, axis.name)->quantity.value);
  std::vector<double> known = sizes;
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  for (const double size : known) axis.values.push_back(fmt::format("{:.0f}", size));
  for (const double size : sizes)
    axis.places.push_back(static_cast<size_t>(std::lower_bound(known.begin(), known.end(), size) - known.begin()));
  return out;
}

/// A line per candidate through what it chooses, and its first goal at the end.
void drawChoices(Svg& svg, const SearchReport& report, double width) {
  const std::vector<ChoiceAxis> axes = choiceAxes(report);
  const Measured goal = goalOf(report, 0);
  PictureAxis last = report::axisOver(goal.values, false, goal.name, goal.unit);
  last.from = kLinesBottom, last.to = kLinesTop;
  const double step = (width - 2 * kSide) / static_cast<double>(axes.size());
  const auto acrossAt = [&](size_t c) { return kSide + step * static_cast<double>(c); };
  const auto upAt = [&](const ChoiceAxis& axis, size_t place) {
    const double share =
        axis.values.size() < 2 ? 0.5 : static_cast<double>(place) / static_cast<double>(axis.values.size() - 1);
    return kLinesBottom - share * (kLinesBottom - kLinesTop);
  };
  for (size_t i = goal.values.size(); i-- > 0;) {
    std::vector<std::pair<double, double>> line;
    for (size_t c = 0; c < axes.size(); ++c) line.emplace_back(acrossAt(c), upAt(axes[c], axes[c].places[i]));
    line.emplace_back(acrossAt(axes.size()), last.at(goal.values[i]));
    svg.curve(line, std::string("line ") + styleOf(i) + (i == 0 ? "" : " thin"), tipOf(report, i));
  }
  for (size_t c = 0; c < axes.size(); ++c) {
    const double x = acrossAt(c);
    svg.line(x, kLinesTop, x, kLinesBottom, "line thin", axes[c].name);
    svg.words(x, kLinesTop - (c % 2 ? 16 : 30), axes[c].name, "ink small", Anchor::Middle);
    const size_t every = (axes[c].values.size() + 15) / 16;
    for (size_t v = 0; v < axes[c].values.size(); v += every)
      svg.words(x + 5, upAt(axes[c], v) - 3, shortened(axes[c].values[v]), "ink small");
  }
  const double end = acrossAt(axes.size());
  svg.line(end, kLinesTop, end, kLinesBottom, "line thin", goal.name);
  svg.words(end, kLinesTop - 40, goal.name, "ink small", Anchor::Middle);
  for (const double tick : report::ticks(last))
    svg.words(end + 6, last.at(tick) + 4, formatQuantity(tick, goal.unit), "ink small");
}

} // namespace

std::string searchPicture(const SearchReport& report) {
  const double axes = static_cast<double>(report.space->choices.size() + (report.space->fill ? 1 : 0));
  const double width = std::max(760.0, 2 * kSide + 110 * axes);
  Svg svg(width, report.table().empty() ? 80 : kLinesBottom + 30, "search of " + report.plan);
  svg.words(kSide, 24, "search of " + report.plan, "ink strong");
  if (report.table().empty()) {
    svg.words(kSide, 48, "no candidate is an answer");
    return svg.str();
  }
  drawFront(svg, report, width);
  svg.words(kSide, kLinesTop - 58, "choices of the best; 1 is bold", "ink");
  drawChoices(svg, report, width);
  return svg.str();
}

} // namespace planc::search
