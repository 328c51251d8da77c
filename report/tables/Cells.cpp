// Cells of text reports: number formats and the layout of tables.
// SPDX-License-Identifier: Apache-2.0
#include "report/tables/Cells.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

namespace planc::report {
namespace {

constexpr size_t kGap = 2;
/// Longer lists are cut to this number of names.
constexpr size_t kMostNames = 12, kShownNames = 3;

/// Returns four significant digits without trailing zeros.
std::string fourDigits(double value) {
  double size = std::abs(value);
  int whole = size < 1 ? 1 : static_cast<int>(std::floor(std::log10(size))) + 1;
  std::string text = fmt::format("{:.{}f}", value, std::max(4 - whole, 0));
  if (text.find('.') == std::string::npos) return text;
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

} // namespace

std::string cell(double value, const Unit& unit) {
  return value == 0 ? "-" : formatQuantity(value, unit);
}

std::string countText(double value) {
  struct Step {
    double factor;
    const char* suffix;
  };
  constexpr Step kSteps[] = {{1e12, " T"}, {1e9, " B"}, {1e6, " M"}};
  for (const Step& step : kSteps)
    if (std::abs(value) >= step.factor * 0.99995) return fourDigits(value / step.factor) + step.suffix;
  return std::floor(value) == value ? fmt::format("{:.0f}", value) : fourDigits(value);
}

std::string percentText(double fraction) {
  if (!std::isfinite(fraction)) return "-";
  return fourDigits(fraction * 100) + " %";
}

std::string chanceText(double probability) {
  if (probability > kCertain) return "over 99.9 %";
  if (probability < 1 - kCertain) return "under 0.1 %";
  return fmt::format("{:.3g} %", probability * 100);
}

std::string shareText(double fraction) {
  return std::isfinite(fraction) ? fmt::format("{:.1f} %", fraction * 100) : "-";
}

std::string errorText(double fraction) {
  std::string text = fmt::format("{:+.1f} %", fraction * 100);
  return text == "-0.0 %" ? "+0.0 %" : text;
}

std::string rangesText(const std::vector<int64_t>& numbers) {
  std::string text;
  for (size_t i = 0; i < numbers.size();) {
    size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", numbers[i]);
    if (last > i) text += fmt::format("-{}", numbers[last]);
    i = last + 1;
  }
  return text;
}

std::string plural(double count, const std::string& one, const std::string& many) {
  return countText(count) + " " + (count == 1 ? one : many);
}

std::string shortStatement(const std::string& statement) {
  std::vector<size_t> commas; // between names, not inside slices
  size_t end = statement.size(), depth = 0;
  for (size_t i = 0; i < statement.size(); ++i) {
    const char c = statement[i];
    if (depth == 0 && (c == '{' || c == '=')) { // the block of facts, or a location, begins
      end = i - (i > 0 && statement[i - 1] == ' ');
      break;
    }
    if (c == '[' || c == '(') ++depth;
    if ((c == ']' || c == ')') && depth > 0) --depth;
    if (c == ',' && depth == 0) commas.push_back(i);
  }
  if (commas.size() < kMostNames) return statement;
  return fmt::format("{}, … {} more{}", statement.substr(0, commas[kShownNames - 1]), commas.size() + 1 - kShownNames,
                     statement.substr(end));
}

void Table::head(const std::vector<std::string>& names, TextStyle style) {
  headed = true;
  std::vector<StyledText>& row = rows.emplace_back();
  for (const std::string& name : names) row.emplace_back(name, style);
}

void Table::add(std::vector<StyledText> cells) {
  cells.resize(align.size(), StyledText(""));
  rows.push_back(std::move(cells));
}

void Table::addPlain(const std::vector<std::string>& cells) {
  rows.emplace_back(cells.begin(), cells.end());
}

std::string Table::str(bool color) const {
  std::vector<size_t> widths(align.size(), 0);
  for (const auto& row : rows)
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], displayWidth(row[i].text));
  std::string out;
  for (const auto& row : rows) {
    TextCells line;
    size_t at = indent;
    for (size_t i = 0; i < row.size(); ++i) {
      if (widths[i] == 0) continue; // a column without text takes no room
      const size_t pad = align[i] == 'r' ? widths[i] - displayWidth(row[i].text) : 0;
      if (!row[i].text.empty()) line.put(at + pad, row[i].text, row[i].style);
      at += widths[i] + kGap;
    }
    out += line.str(color) + "\n";
  }
  return out;
}

std::string styledLine(const std::string& text, TextStyle style, bool color, size_t indent) {
  TextCells line;
  line.put(indent, text, style);
  return line.str(color) + "\n";
}

} // namespace planc::report
