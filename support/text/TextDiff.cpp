// Line-by-line differences of texts.
// SPDX-License-Identifier: Apache-2.0
#include "support/text/TextDiff.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace planc {
namespace {

/// The lines of a text, each with its line break.
std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

/// A run of lines that differ: lines [from, to) of the old text became lines [at, end) of the new text.
struct Change {
  size_t from, to, at, end;
};

/// Walks both texts and looks for the nearest line after a difference where they agree again. The list of changes is
/// not minimal, which is good enough for small edits.
std::vector<Change> changesOf(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
  constexpr size_t kReach = 200; // the rest counts as changed if a change exceeds this many lines
  std::vector<Change> out;
  size_t i = 0, j = 0;
  const auto alike = [&](size_t x, size_t y) {
    return x < a.size() && y < b.size() ? a[x] == b[y] : x == a.size() && y == b.size();
  };
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      ++i, ++j;
      continue;
    }
    Change change{i, a.size(), j, b.size()};
    for (size_t far = 1; far <= 2 * kReach && change.to == a.size() && change.end == b.size(); ++far)
      for (size_t x = 0; x <= far; ++x)
        if (i + x <= a.size() && j + far - x <= b.size() && alike(i + x, j + far - x)) {
          change.to = i + x, change.end = j + far - x;
          break;
        }
    out.push_back(change);
    i = change.to, j = change.end;
  }
  return out;
}

void addLine(std::string& out, char mark, std::string_view line) {
  out += mark;
  out += line;
  if (!line.ends_with('\n')) out += "\n\\ No newline at end of file\n";
}

/// `-12,7` or `+1`, as `diff` counts: an empty span is given by the line before it.
std::string span(size_t begin, size_t end) {
  const size_t size = end - begin, first = size == 0 ? begin : begin + 1;
  return size == 1 ? fmt::format("{}", first) : fmt::format("{},{}", first, size);
}

} // namespace

std::string unifiedDiff(std::string_view path, std::string_view before, std::string_view after) {
  constexpr size_t kAround = 3;
  const auto a = linesOf(before), b = linesOf(after);
  const std::vector<Change> changes = changesOf(a, b);
  std::string out;
  if (!changes.empty()) out = fmt::format("--- {0}\n+++ {0}\n", path);
  for (size_t i = 0; i < changes.size();) {
    size_t last = i; // changes near each other share a hunk
    while (last + 1 < changes.size() && changes[last + 1].from - changes[last].to <= 2 * kAround) ++last;
    const size_t lead = std::min(kAround, changes[i].from), tail = std::min(kAround, a.size() - changes[last].to);
    out += fmt::format("@@ -{} +{} @@\n", span(changes[i].from - lead, changes[last].to + tail),
                       span(changes[i].at - lead, changes[last].end + tail));
    size_t at = changes[i].from - lead;
    for (; i <= last; ++i) {
      for (; at < changes[i].from; ++at) addLine(out, ' ', a[at]);
      for (; at < changes[i].to; ++at) addLine(out, '-', a[at]);
      for (size_t k = changes[i].at; k < changes[i].end; ++k) addLine(out, '+', b[k]);
    }
    for (const size_t end = at + tail; at < end; ++at) addLine(out, ' ', a[at]);
  }
  return out;
}

} // namespace planc
