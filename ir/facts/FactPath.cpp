// Matches fact paths step by step.
// SPDX-License-Identifier: Apache-2.0
#include "ir/facts/FactPath.h"

namespace planc::ir {

std::string_view takeStep(std::string_view& path) {
  const size_t dot = path.find('.');
  const std::string_view first = path.substr(0, dot);
  path = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
  return first;
}

bool fitsPath(std::string_view row, std::string_view path, PathEnd end, std::string_view* star) {
  while (!path.empty()) {
    if (row.empty()) return false;
    const std::string_view wanted = takeStep(row), step = takeStep(path);
    if (wanted == "*") {
      if (star) *star = step;
    } else if (wanted != step) {
      return false;
    }
  }
  return end == PathEnd::Beginning || row.empty();
}

} // namespace planc::ir
