// Finds the exports and imports of a file by scanning the starts of lines.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/modules/ExportScan.h"

#include <algorithm>

namespace planc::frontend {

namespace {

bool wordChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Skips blanks, then takes a word (with dots, if `dotted`).
std::string_view takeWord(std::string_view text, size_t& at, bool dotted = false) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  const size_t begin = at;
  while (at < text.size() && (wordChar(text[at]) || (dotted && text[at] == '.'))) ++at;
  return text.substr(begin, at - begin);
}

/// Calls `found` with the offset after `keyword` for every line that begins with it.
template <class F> void linesWith(std::string_view text, std::string_view keyword, F found) {
  size_t at = 0;
  while (at < text.size()) {
    size_t word = at;
    if (takeWord(text, word) == keyword) found(word);
    const size_t end = text.find('\n', at);
    if (end == std::string_view::npos) break;
    at = end + 1;
  }
}

} // namespace

std::vector<std::string_view> scanExports(std::string_view text) {
  std::vector<std::string_view> names;
  linesWith(text, "export", [&](size_t at) {
    takeWord(text, at); // op, block, model, …
    const std::string_view name = takeWord(text, at);
    if (!name.empty()) names.push_back(name);
  });
  return names;
}

std::vector<std::string_view> scanImports(std::string_view text) {
  std::vector<std::string_view> paths;
  linesWith(text, "import", [&](size_t at) {
    const std::string_view path = takeWord(text, at, true);
    if (!path.empty()) paths.push_back(path);
  });
  return paths;
}

} // namespace planc::frontend
