// Comma-separated text as rows of cells that know where they stand, and numbers in them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/read/Readers.h"

namespace planc::calibrate {

struct Cell {
  std::string_view text; ///< without blanks and quotes around it
  SourceRange range;
};
using Row = std::vector<Cell>;

/// Lines of a file, one after the other. Blank ones and those that begin with `#` are passed over. Quoted cells may
/// hold commas; a line break ends every cell.
class CsvLines {
public:
  explicit CsvLines(const SampleFile& file) : file_(file) {}
  /// The next line, or false at the end.
  bool next(Row& row);
  /// The whole of the line that `next` gave.
  SourceRange range() const { return line_; }

private:
  Cell cell(size_t& at, size_t end) const;
  const SampleFile& file_;
  size_t at_ = 0;
  SourceRange line_;
};

/// A blank inside of a line.
bool isBlank(char c);
/// A finite number written in decimal, or nothing.
std::optional<double> parseNumber(std::string_view text);
/// The number of a cell if it is positive; otherwise that is reported.
std::optional<double> positiveNumber(const Cell& cell, std::string_view column, DiagnosticEngine& diagnostics);
/// Reports a number that a column does not take: `expected` says what it takes, `a whole number`.
DiagnosticEngine::Builder badNumber(const Cell& cell, std::string_view column, std::string_view expected,
                                    DiagnosticEngine& diagnostics);
/// A row that has another number of cells than the header is reported; false then.
bool fitsHeader(const Row& row, size_t columns, SourceRange line, DiagnosticEngine& diagnostics);
/// The first line that holds cells: what a reader recognises a table by.
std::string_view firstLine(std::string_view text);

} // namespace planc::calibrate
