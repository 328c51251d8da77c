// Cells and rows of CSV tables.
// SPDX-License-Identifier: Apache-2.0
#include "report/tables/Csv.h"

#include <cmath>
#include <fmt/core.h>

namespace planc::report {

std::string csvField(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string csvRow(const std::vector<std::string>& cells) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) line += (i ? "," : "") + csvField(cells[i]);
  return line + "\n";
}

std::string csvNumber(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "";
}

} // namespace planc::report
