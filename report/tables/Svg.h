// Pictures as SVG: lines, marks and words, axes with ticks, colour scales. Readable on light and dark pages.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Quantity.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace planc::report {

/// Returns text for XML: `<`, `&` and quotes are escaped, control bytes are left out.
std::string xmlText(std::string_view text);

enum class Anchor { Start, Middle, End };

/// A picture that is drawn element by element. Styles are the classes of its style sheet: `ink`, `faint`, `strong`,
/// `mark`, `a` … `d` (colours of curves), with `line` for stroked shapes, `dash`.
class Svg {
public:
  Svg(double width, double height, std::string_view title);
  void line(double x1, double y1, double x2, double y2, std::string_view style, std::string_view tip = "");
  void curve(const std::vector<std::pair<double, double>>& points, std::string_view style, std::string_view tip = "");
  void dot(double x, double y, double radius, std::string_view style, std::string_view tip = "");
  /// Draws a cell in a colour of `shade`.
  void cell(double x, double y, double width, double height, std::string_view colour, std::string_view tip = "");
  /// Draws the area between a line of steps and `base`: each point is where a step begins; the last one ends the line.
  void steps(const std::vector<std::pair<double, double>>& points, double base, std::string_view style,
             std::string_view tip = "");
  /// Draws many boxes as one shape.
  struct Box {
    double x = 0, y = 0, width = 0, height = 0;
  };
  void boxes(const std::vector<Box>& boxes, std::string_view style);
  void words(double x, double y, std::string_view text, std::string_view style = "ink", Anchor anchor = Anchor::Start);
  /// Returns the whole picture, one line per element.
  std::string str() const;

private:
  void element(std::string shape, std::string_view tip);
  std::string out_;
};

/// A scale along one side of a picture.
struct PictureAxis {
  std::string name = {};
  Unit unit{};
  double least = 0, most = 1; ///< base units
  bool log = false;
  double from = 0, to = 1; ///< pixels
  /// Returns the pixel of a value.
  double at(double value) const;
};

/// Returns an axis that holds all values, with logarithmic ticks if `log`. A single value, or none, gets room around
/// it.
PictureAxis axisOver(const std::vector<double>& values, bool log, std::string name, const Unit& unit);
/// Returns whether numbers are spread evenly in their ratios: all are above 0, and the middle one lies nearer to the
/// geometric mean of the ends than to the arithmetic mean.
bool inRatios(std::vector<double> values);
/// Returns round values on an axis, four to ten of them if there are so many.
std::vector<double> ticks(const PictureAxis& axis);
/// Draws grid lines, ticks with their quantities, and the name, along the lower edge (`drawAcross`) or the left edge
/// (`drawUp`).
void drawAcross(Svg& svg, const PictureAxis& axis, double top, double bottom);
void drawUp(Svg& svg, const PictureAxis& axis, double left, double right);

/// `shade` returns a colour for a share of 0 to 1, from dark to light. `isLight` returns whether dark ink is readable
/// on it.
std::string shade(double share);
bool isLight(double share);

} // namespace planc::report
