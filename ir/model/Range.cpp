// Counting, printing and compressing ranges of instance indices.
// SPDX-License-Identifier: Apache-2.0
#include "ir/model/Range.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <utility>

namespace planc::ir {

namespace {

/// The text between the brackets: `0:20`, `0:80:2`, `7`.
std::string bare(const Range& r) {
  if (r.count() == 1) return std::to_string(r.begin);
  return r.step == 1 ? fmt::format("{}:{}", r.begin, r.end) : fmt::format("{}:{}:{}", r.begin, r.end, r.step);
}

/// Indices of the range that are below `limit`.
int64_t countBelow(const Range& r, int64_t limit) {
  return Range{r.begin, std::min(r.end, limit), r.step}.count();
}

/// Holds the product of two 64-bit numbers.
__extension__ using Wide = __int128;

/// Returns x with a * x = 1 (mod m). Requires a and m without a common factor.
Wide inverse(Wide a, Wide m) {
  Wide r = m, next = a % m, x = 0, nextX = 1;
  while (next != 0) {
    const Wide q = r / next;
    r = std::exchange(next, r - q * next);
    x = std::exchange(nextX, x - q * nextX);
  }
  return (x % m + m) % m;
}

} // namespace

// Chinese remainders: begin + k * step is in the other range for the least k with k * step = other.begin - begin (mod
// other.step), and then once per least common multiple of the two steps.
std::optional<int64_t> Range::firstCommon(const Range& other) const {
  const int64_t from = std::max(begin, other.begin);
  if (from >= end || from >= other.end) return {}; // fast path: most slices of a plan are disjoint
  if (step == 1 && other.step == 1) return from;
  const int64_t shared = std::gcd(step, other.step);
  const Wide apart = Wide(other.begin) - begin, cycle = other.step / shared;
  if (apart % shared != 0) return {};
  const Wide k = (apart / shared % cycle + cycle) % cycle * inverse(step / shared, cycle) % cycle;
  Wide at = begin + k * step;
  if (at < other.begin) {
    const Wide lcm = cycle * step;
    at += (other.begin - at + lcm - 1) / lcm * lcm;
  }
  if (at >= end || at >= other.end) return {};
  return static_cast<int64_t>(at);
}

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

std::optional<int64_t> RangeSet::firstCommon(const RangeSet& other) const {
  std::optional<int64_t> least;
  for (const Range& a : ranges)
    for (const Range& b : other.ranges)
      if (const auto at = a.firstCommon(b); at && (!least || *at < *least)) least = at;
  return least;
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
    // Two indices with a gap are no pattern: a range needs neighbours, or three indices with equal gaps.
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
