// Tables of Markdown, with escaped bars.
// SPDX-License-Identifier: Apache-2.0
#include "report/tables/Markdown.h"

namespace planc::report {

std::string markdownTable(const std::vector<std::vector<std::string>>& rows, std::string_view columns) {
  std::string out;
  for (const std::vector<std::string>& row : rows) {
    out += "|";
    for (const std::string& cell : row) {
      out += ' ';
      for (const char c : cell) out += c == '|' ? std::string("\\|") : std::string(1, c == '\n' ? ' ' : c);
      out += " |";
    }
    out += "\n";
    if (&row != &rows.front()) continue;
    out += "|";
    for (const char align : columns) out += align == 'r' ? "--:|" : "---|";
    out += "\n";
  }
  return out;
}

} // namespace planc::report
