// Reads comma-separated text, and reports errors in cells and numbers.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/read/Csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace planc::calibrate {

PLANC_ERROR(BadSampleNumber, 1002, "`{column}` of this sample is {found}, not {expected}")
PLANC_ERROR(RaggedRow, 1003, "this line has {cells} cells, but the header has {columns}")

bool isBlank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

namespace {

/// Real values lie within these limits, and products of a few such numbers stay finite.
constexpr double kLeast = 1e-18, kMost = 1e18;

/// Returns the position of the end of the line that contains `at`.
size_t lineEnd(std::string_view text, size_t at) {
  return std::min(text.find('\n', at), text.size());
}

/// Returns the text of a cell, shortened for a message.
std::string shown(std::string_view text) {
  constexpr size_t kLength = 40;
  if (text.empty()) return "missing";
  return fmt::format("`{}{}`", text.substr(0, kLength), text.size() > kLength ? "…" : "");
}

} // namespace

Cell CsvLines::cell(size_t& at, size_t end) const {
  const std::string_view text = file_.text;
  while (at < end && isBlank(text[at])) ++at;
  size_t begin = at, stop;
  if (at < end && text[at] == '"') {
    begin = at + 1;
    stop = std::min(text.find('"', begin), end);
    at = std::min(text.find(',', stop), end);
  } else {
    at = stop = std::min(text.find(',', at), end);
    while (stop > begin && isBlank(text[stop - 1])) --stop;
  }
  const auto from = static_cast<uint32_t>(begin), to = static_cast<uint32_t>(stop);
  return {text.substr(begin, stop - begin), {file_.id, from, to}};
}

bool CsvLines::next(CsvRow& row) {
  const std::string_view text = file_.text;
  while (at_ < text.size()) {
    const size_t begin = at_, end = lineEnd(text, begin);
    at_ = end + 1;
    size_t first = begin;
    while (first < end && isBlank(text[first])) ++first;
    if (first == end || text[first] == '#') continue;
    size_t last = end;
    while (last > begin && isBlank(text[last - 1])) --last;
    line_ = {file_.id, static_cast<uint32_t>(first), static_cast<uint32_t>(last)};
    row.clear();
    for (size_t at = first;; ++at) {
      row.push_back(cell(at, end));
      if (at >= end) return true;
    }
  }
  return false;
}

std::optional<double> parseNumber(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<double> positiveNumber(const Cell& cell, std::string_view column, DiagnosticEngine& diagnostics) {
  const std::optional<double> value = parseNumber(cell.text);
  if (value && *value > kLeast && *value < kMost) return value;
  badNumber(cell, column, "a positive number below 1e18", diagnostics)
      .help("remove the line, or comment it out with `#`");
  return std::nullopt;
}

DiagnosticEngine::Builder badNumber(const Cell& cell, std::string_view column, std::string_view expected,
                                    DiagnosticEngine& diagnostics) {
  return diagnostics.report(BadSampleNumber, cell.range,
                            {{"column", column}, {"found", shown(cell.text)}, {"expected", expected}});
}

bool fitsHeader(const CsvRow& row, size_t columns, SourceRange line, DiagnosticEngine& diagnostics) {
  if (row.size() == columns) return true;
  diagnostics.report(RaggedRow, line, {{"cells", row.size()}, {"columns", columns}})
      .help("write an empty cell as two commas");
  return false;
}

std::string_view firstLine(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = lineEnd(text, at);
    std::string_view line = text.substr(at, end - at);
    while (!line.empty() && isBlank(line.back())) line.remove_suffix(1);
    if (!line.empty() && line.front() != '#') return line;
    at = end + 1;
  }
  return {};
}

} // namespace planc::calibrate
