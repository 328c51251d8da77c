// Reads comma-separated text as rows of cells with their positions, and the numbers in them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/read/Readers.h"

namespace planc::calibrate {

struct Cell {
  std::string_view text; ///< without quotes and surrounding blanks
  SourceRange range;
};
using CsvRow = std::vector<Cell>;

/// Reads the lines of a file one by one. Blank lines and lines that begin with `#` are skipped. Quoted cells may
/// contain commas; a line break ends every cell.
class CsvLines {
public:
  explicit CsvLines(const SampleFile& file) : file_(file) {}
  /// Reads the next line; false at the end.
  bool next(CsvRow& row);
  /// The range of the last line that `next` read.
  SourceRange range() const { return line_; }

private:
  Cell cell(size_t& at, size_t end) const;
  const SampleFile& file_;
  size_t at_ = 0;
  SourceRange line_;
};

/// Returns whether a character is a blank other than a line break.
bool isBlank(char c);
/// Parses a finite decimal number; nothing if the text is none.
std::optional<double> parseNumber(std::string_view text);
/// Returns the number of a cell if it is positive; otherwise reports it and returns nothing.
std::optional<double> positiveNumber(const Cell& cell, std::string_view column, DiagnosticEngine& diagnostics);
/// Reports a number that a column does not accept. `expected` describes the accepted values: `a whole number`.
DiagnosticEngine::Builder badNumber(const Cell& cell, std::string_view column, std::string_view expected,
                                    DiagnosticEngine& diagnostics);
/// Returns whether a row has as many cells as the header; reports it otherwise.
bool fitsHeader(const CsvRow& row, size_t columns, SourceRange line, DiagnosticEngine& diagnostics);
/// Returns the first line with cells, by which readers recognise a table.
std::string_view firstLine(std::string_view text);

} // namespace planc::calibrate
