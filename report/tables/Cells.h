// Cells of text reports: formatted numbers, and rows in aligned columns.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Quantity.h"
#include "support/text/TextCells.h"

#include <string>
#include <vector>

namespace planc::report {

/// Returns a quantity, or `-` for zero, so that absent values do not draw the eye.
std::string cell(double value, const Unit& unit);
/// Returns a count with four significant digits: `174.6 B`, `12.58 M`, `4096`.
std::string countText(double value);
/// Returns `45.47 %`.
std::string percentText(double fraction);
/// No error model can tell probabilities above this value apart.
inline constexpr double kCertain = 0.999;
/// Returns a probability with three digits: `97.3 %`, or `over 99.9 %`.
std::string chanceText(double probability);
/// Returns a share with one decimal, so that columns align: `45.5 %`.
std::string shareText(double fraction);
/// Returns `+0.2 %`.
std::string errorText(double fraction);
/// Returns ascending numbers as ranges: `0-7`, `0-2,5`.
std::string rangesText(const std::vector<int64_t>& ascending);
/// Returns `1 micro-batch`, `64 micro-batches`.
std::string plural(double count, const std::string& one, const std::string& many);

/// Returns a statement over layers for a table cell. A long list of names is cut to the first few and the number of the
/// rest: `recompute a, b, c, … 195 more { outputs = true }`.
std::string shortStatement(const std::string& statement);

/// A cell with its own style.
struct StyledText {
  std::string text;
  TextStyle style = TextStyle::Plain;
  StyledText(std::string t, TextStyle s = TextStyle::Plain) : text(std::move(t)), style(s) {}
  StyledText(const char* t, TextStyle s = TextStyle::Plain) : text(t), style(s) {}
};

/// A table for human readers. In text output a column is as wide as its widest cell, and columns are two blanks apart.
struct Table {
  std::string align; ///< a letter per column: `l` or `r`
  std::vector<std::vector<StyledText>> rows = {};
  bool headed = false; ///< the first row holds the heads
  size_t indent = 2;   ///< blanks before each line of text output

  /// Adds the heads of the columns.
  void head(const std::vector<std::string>& names, TextStyle style = TextStyle::Gutter);
  /// Adds a row; missing cells are empty.
  void add(std::vector<StyledText> cells);
  void addPlain(const std::vector<std::string>& cells);
  /// Returns whether it has no row below its heads.
  bool empty() const { return rows.size() <= (headed ? 1 : 0); }
  /// Returns every row on its own line, indented, without trailing blanks.
  std::string str(bool color) const;
};

/// Returns one line in one style.
std::string styledLine(const std::string& text, TextStyle style, bool color, size_t indent = 0);

} // namespace planc::report
