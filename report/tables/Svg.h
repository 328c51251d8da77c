// Pictures as SVG: lines, marks and words, axes with ticks, scales of colour. Readable on a light and a dark page.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Quantity.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace planc::report {

/// Text as XML has it: `<`, `&` and quotes escaped, control bytes left out.
std::string xmlText(std::string_view text);

enum class Anchor { Start, Middle, End };

/// A picture that is drawn element by element. Classes are those of its style sheet: `ink`, `faint`, `strong`, `mark`,
/// `a` … `d` (colours of curves), with `line` for what is stroked, `dash`.
class Svg {
public:
  Svg(double width, double height, std::string_view title);
  void line(double x1, double y1, double x2, double y2, std::string_view style, std::string_view tip = "");
  void curve(const std::vector<std::pair<double, double>>& points, std::string_view style, std::string_view tip = "");
  void dot(double x, double y, double radius, std::string_view style, std::string_view tip = "");
  /// A cell of a colour of `shade`.
  void cell(double x, double y, double width, double height, std::string_view colour, std::string_view tip = "");
  void words(double x, double y, std::string_view text, std::string_view style = "ink", Anchor anchor = Anchor::Start);
  /// The whole of it, a line per element.
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
  double at(double value) const;
};

/// An axis that holds all values, in equal ratios if `log`; of one value or of none there is room around it.
PictureAxis axisOver(const std::vector<double>& values, bool log, std::string name, const Unit& unit);
/// Whether numbers look spread evenly by their ratios: all are above 0, and the one in the middle lies nearer to the
/// geometric mean of the ends than to the arithmetic one.
bool inRatios(std::vector<double> values);
/// Round values on an axis, four to ten of them where there are so many.
std::vector<double> ticks(const PictureAxis& axis);
/// Lines of a grid, ticks with their quantities, and the name: along the lower edge, or the left one.
void drawAcross(Svg& svg, const PictureAxis& axis, double top, double bottom);
void drawUp(Svg& svg, const PictureAxis& axis, double left, double right);

/// A colour for a share of 0 to 1, dark to light, and whether dark ink reads on it.
std::string shade(double share);
bool isLight(double share);

} // namespace planc::report
