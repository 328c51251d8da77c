// SVG pictures, element by element.
// SPDX-License-Identifier: Apache-2.0
#include "report/tables/Svg.h"

#include "support/text/TextCells.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

namespace planc::report {

namespace {

/// Light and dark pages differ in ink, grid and paper. The colours of curves are readable on both.
constexpr std::string_view kSheet = R"(<style>
text { font: 12px sans-serif; }
.paper { fill: #ffffff; }
.ink { fill: #222222; } .small { font-size: 10px; } .strong { font-weight: bold; }
.onlight { fill: #000000; } .ondark { fill: #ffffff; }
.line { fill: none; stroke: #222222; stroke-width: 1.5; } .faint { fill: none; stroke: #dddddd; stroke-width: 1; }
.dash { stroke-dasharray: 4 3; } .thin { stroke-width: 1; stroke-opacity: 0.7; }
.none { fill: #cccccc; }
.a { fill: #1f77b4; } .b { fill: #d95f02; } .c { fill: #2ca02c; } .d { fill: #9467bd; }
.line.a { fill: none; stroke: #1f77b4; } .line.b { fill: none; stroke: #d95f02; }
.line.c { fill: none; stroke: #2ca02c; } .line.d { fill: none; stroke: #9467bd; }
@media (prefers-color-scheme: dark) {
.paper { fill: #16181d; } .ink { fill: #e6e6e6; } .line { stroke: #e6e6e6; } .faint { stroke: #3a3d45; } .none { fill: #4a4d55; }
.a { fill: #6db3e8; } .b { fill: #ff9a4d; } .c { fill: #6fd06f; } .d { fill: #c3a3e6; }
.line.a { stroke: #6db3e8; } .line.b { stroke: #ff9a4d; } .line.c { stroke: #6fd06f; } .line.d { stroke: #c3a3e6; }
}
</style>
)";

std::string_view name(Anchor anchor) {
  return anchor == Anchor::Start ? "start" : anchor == Anchor::Middle ? "middle" : "end";
}

/// Returns 1, 2 and 5 times powers of ten.
std::vector<double> roundSteps(double least, double most) {
  std::vector<double> out;
  for (double power = std::pow(10, std::floor(std::log10(least))); power <= most; power *= 10)
    for (const double step : {1.0, 2.0, 5.0})
      if (step * power >= least * (1 - 1e-9) && step * power <= most * (1 + 1e-9)) out.push_back(step * power);
  return out;
}

constexpr double kTick = 4; // pixels

} // namespace

std::string xmlText(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) { // other bytes would make the document invalid
    switch (c) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&quot;";
      break;
    case '\'':
      out += "&#39;";
      break;
    default:
      if (c != '\n') out += c;
    }
  }
  return out;
}

Svg::Svg(double width, double height, std::string_view title) {
  out_ = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
                     "height=\"{1:.0f}\" role=\"img\">\n<title>{2}</title>\n{3}<rect class=\"paper\" width=\"{0:.0f}\" "
                     "height=\"{1:.0f}\"/>\n",
                     width, height, xmlText(title), kSheet);
}

void Svg::element(std::string shape, std::string_view tip) {
  const std::string tag = shape.substr(1, shape.find(' ') - 1);
  out_ += shape;
  out_ += tip.empty() ? "/>\n" : fmt::format("><title>{}</title></{}>\n", xmlText(tip), tag);
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view style, std::string_view tip) {
  element(
      fmt::format("<line class=\"{}\" x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\"", style, x1, y1, x2, y2),
      tip);
}

void Svg::curve(const std::vector<std::pair<double, double>>& points, std::string_view style, std::string_view tip) {
  std::string text;
  for (const auto& point : points)
    text += fmt::format("{}{:.2f},{:.2f}", text.empty() ? "" : " ", point.first, point.second);
  element(fmt::format("<polyline class=\"{}\" points=\"{}\"", style, text), tip);
}

void Svg::dot(double x, double y, double radius, std::string_view style, std::string_view tip) {
  element(fmt::format("<circle class=\"{}\" cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.2f}\"", style, x, y, radius), tip);
}

void Svg::cell(double x, double y, double width, double height, std::string_view colour, std::string_view tip) {
  const std::string paint =
      colour.starts_with('#') ? fmt::format("fill=\"{}\"", colour) : fmt::format("class=\"{}\"", colour);
  element(
      fmt::format("<rect {} x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\"", paint, x, y, width, height),
      tip);
}

void Svg::steps(const std::vector<std::pair<double, double>>& points, double base, std::string_view style,
                std::string_view tip) {
  if (points.empty()) return;
  std::string text = fmt::format("M{:.1f} {:.1f}", points.front().first, base), height;
  for (const auto& [x, y] : points) {
    std::string own = fmt::format("{:.1f}", y);
    if (own == height && &y != &points.back().second) continue;
    text += fmt::format("H{:.1f}V{}", x, own);
    height = std::move(own);
  }
  element(fmt::format("<path class=\"{}\" d=\"{}V{:.1f}z\"", style, text, base), tip);
}

void Svg::boxes(const std::vector<Box>& boxes, std::string_view style) {
  if (boxes.empty()) return;
  out_ += fmt::format("<path class=\"{}\" d=\"", style);
  for (const Box& b : boxes)
    out_ += fmt::format("M{:.2f} {:.2f}h{:.2f}v{:.1f}h{:.2f}z", b.x, b.y, b.width, b.height, -b.width);
  out_ += "\"/>\n";
}

void Svg::words(double x, double y, std::string_view text, std::string_view style, Anchor anchor) {
  out_ += fmt::format("<text class=\"{}\" x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"{}\">{}</text>\n", style, x, y,
                      name(anchor), xmlText(text));
}

std::string Svg::str() const {
  return out_ + "</svg>\n";
}

double PictureAxis::at(double value) const {
  const double share = log ? std::log(value / least) / std::log(most / least) : (value - least) / (most - least);
  return from + share * (to - from);
}

PictureAxis axisOver(const std::vector<double>& values, bool log, std::string name, const Unit& unit) {
  PictureAxis axis{.name = std::move(name), .unit = unit, .log = log};
  if (values.empty()) return axis;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  axis.least = *least, axis.most = *most;
  constexpr double kRoom = 0.05;
  if (log && axis.least > 0) {
    const double room = axis.most > axis.least ? std::pow(axis.most / axis.least, kRoom) : 2;
    axis.least /= room, axis.most *= room;
    return axis;
  }
  axis.log = false;
  const double size = std::max(std::abs(axis.least), std::abs(axis.most));
  const double room = axis.most > axis.least ? kRoom * (axis.most - axis.least) : size > 0 ? size / 2 : 1;
  axis.least = axis.least >= 0 ? std::max(0.0, axis.least - room) : axis.least - room;
  axis.most += room;
  return axis;
}

bool inRatios(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  if (values.size() < 3 || values.front() <= 0) return false;
  const double middle = values[values.size() / 2], least = values.front(), most = values.back();
  return std::abs(middle - std::sqrt(least * most)) < std::abs(middle - (least + most) / 2);
}

std::vector<double> ticks(const PictureAxis& axis) {
  if (axis.log) {
    std::vector<double> out = roundSteps(axis.least, axis.most);
    if (out.size() > 10) std::erase_if(out, [](double v) { return std::abs(std::remainder(std::log10(v), 1)) > 1e-9; });
    if (out.size() > 2) return out;
  }
  constexpr double kAbout = 5;
  const double rough = (axis.most - axis.least) / kAbout, power = std::pow(10, std::floor(std::log10(rough)));
  double step = power;
  for (const double times : {2.0, 5.0, 10.0})
    if (step < rough * 0.75) step = times * power;
  std::vector<double> out;
  for (double n = std::ceil(axis.least / step - 1e-9); n * step <= axis.most + 1e-9 * step; ++n)
    out.push_back(n * step);
  return out;
}

void drawAcross(Svg& svg, const PictureAxis& axis, double top, double bottom) {
  for (const double tick : ticks(axis)) {
    const double x = axis.at(tick);
    svg.line(x, top, x, bottom + kTick, "faint");
    svg.words(x, bottom + 18, formatQuantity(tick, axis.unit), "ink small", Anchor::Middle);
  }
  svg.line(axis.from, bottom, axis.to, bottom, "line thin");
  svg.words((axis.from + axis.to) / 2, bottom + 36, axis.name, "ink", Anchor::Middle);
}

void drawUp(Svg& svg, const PictureAxis& axis, double left, double right) {
  for (const double tick : ticks(axis)) {
    const double y = axis.at(tick);
    svg.line(left - kTick, y, right, y, "faint");
    svg.words(left - 8, y + 4, formatQuantity(tick, axis.unit), "ink small", Anchor::End);
  }
  svg.line(left, axis.from, left, axis.to, "line thin");
  svg.words(left, axis.to - 10, axis.name, "ink", Anchor::Start);
}

namespace {

struct Colour {
  double red, green, blue;
};
/// Viridis, at equal steps.
constexpr Colour kShades[] = {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}};

} // namespace

std::string shade(double share) {
  const double at = std::clamp(share, 0.0, 1.0) * static_cast<double>(std::size(kShades) - 1);
  const size_t low = std::min(static_cast<size_t>(at), std::size(kShades) - 2);
  const double rest = at - static_cast<double>(low);
  const auto mixed = [&](double Colour::*part) {
    return static_cast<int>(std::lround(kShades[low].*part * (1 - rest) + kShades[low + 1].*part * rest));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mixed(&Colour::red), mixed(&Colour::green), mixed(&Colour::blue));
}

bool isLight(double share) {
  return share > 0.55;
}

} // namespace planc::report
