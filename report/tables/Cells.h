// Cells of text reports: numbers as a person reads them, and rows laid out in aligned columns.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Quantity.h"
#include "support/text/TextCells.h"

#include <string>
#include <vector>

namespace planc::report {

/// A quantity, or `-` for zero: what is not there should not draw the eye.
std::string cell(double value, const Unit& unit);
/// `174.6 B`, `12.58 M`, `4096`: a count with four significant digits.
std::string countText(double value);
/// `45.47 %`.
std::string percentText(double fraction);
/// No model of errors knows what is beyond.
inline constexpr double kCertain = 0.999;
/// `97.3 %`: of a probability three digits; `over 99.9 %`.
std::string chanceText(double probability);
/// `45.5 %`: the share of a part, for columns.
std::string shareText(double fraction);
/// `+0.2 %`.
std::string errorText(double fraction);
/// `0-7`, `0-2,5`: ascending numbers.
std::string rangesText(const std::vector<int64_t>& ascending);
/// `1 micro-batch`, `64 micro-batches`.
std::string plural(double count, const std::string& one, const std::string& many);

/// A statement over layers as a row of a table: of a long list of names the first few and how many more there are.
/// `recompute a, b, c, … 195 more { outputs = true }`.
std::string shortStatement(const std::string& statement);

/// A cell with a style of its own.
struct StyledText {
  std::string text;
  TextStyle style = TextStyle::Plain;
  StyledText(std::string t, TextStyle s = TextStyle::Plain) : text(std::move(t)), style(s) {}
  StyledText(const char* t, TextStyle s = TextStyle::Plain) : text(t), style(s) {}
};

/// Rows of cells; columns are as wide as their widest cell, two blanks apart.
class Table {
public:
  enum class Align { Left, Right };
  explicit Table(std::vector<Align> columns) : columns_(std::move(columns)) {}
  /// `lr` reads as: a left-aligned and a right-aligned column.
  explicit Table(std::string_view columns);
  void add(std::vector<StyledText> cells);
  bool empty() const { return rows_.empty(); }
  /// Every row on a line of its own, indented, without trailing blanks.
  std::string str(bool color, size_t indent = 2) const;

private:
  std::vector<Align> columns_;
  std::vector<std::vector<StyledText>> rows_;
};

/// One line of one style.
std::string styledLine(const std::string& text, TextStyle style, bool color, size_t indent = 0);

} // namespace planc::report
