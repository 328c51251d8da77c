// Counting, printing and compressing ranges of instance indices.
// SPDX-License-Identifier: Apache-2.0
#include "ir/Range.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::ir {

namespace {

/// `0:20`, `0:80:2`, `7`: what stands between the brackets.
std::string bare(const Range& r) {
  if (r.count() == 1) return std::to_string(r.begin);
  return r.step == 1 ? fmt::format("{}:{}", r.begin, r.end) : fmt::format("{}:{}:{}", r.begin, r.end, r.step);
}

/// Indices of the range that are below `limit`.
int64_t countBelow(const Range& r, int64_t limit) {
  return Range{r.begin, std::min(r.end, limit), r.step}.count();
}

} // namespace

int64_t Range::countWithin(int64_t lo, int64_t hi) const {
  return hi <= lo ? 0 : countBelow(*this, hi) - countBelow(*this, lo);
}

std::string Range::str() const {
  return fmt::format("[{}]", bare(*this));
}

int64_t RangeSet::count() const {
  int64_t n = 0;
  for (const Range& r : ranges) n += r.count();
  return n;
}

bool RangeSet::contains(int64_t i) const {
  return std::any_of(ranges.begin(), ranges.end(), [i](const Range& r) { return r.contains(i); });
}

int64_t RangeSet::countWithin(int64_t lo, int64_t hi) const {
  int64_t n = 0;
  for (const Range& r : ranges) n += r.countWithin(lo, hi);
  return n;
}

std::string RangeSet::str() const {
  std::string text;
  for (const Range& r : ranges) {
    if (!text.empty()) text += ", ";
    text += bare(r);
  }
  return fmt::format("[{}]", text);
}

RangeSet RangeSet::of(const std::vector<int64_t>& ascending) {
  RangeSet set;
  size_t i = 0;
  while (i < ascending.size()) {
    size_t last = i;
    int64_t step = 1;
    if (i + 1 < ascending.size()) {
      step = ascending[i + 1] - ascending[i];
      while (last + 1 < ascending.size() && ascending[last + 1] - ascending[last] == step) ++last;
    }
    // Two indices that happen to be apart are no pattern: only neighbours, or three in step, make a range.
    if (step != 1 && last - i < 2) {
      last = i;
      step = 1;
    }
    set.ranges.push_back({ascending[i], ascending[last] + 1, step});
    i = last + 1;
  }
  return set;
}

} // namespace planc::ir
