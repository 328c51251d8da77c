// Ranges of instance indices. Selectors, stages, classes of equal instances and report rows all use this type.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Few.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace planc::ir {

/// begin, begin + step, … below end.
struct Range {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t step = 1;
  auto operator<=>(const Range&) const = default;
  /// Returns whether the range is valid: not empty, ascending, without negative indices.
  bool isRange() const { return begin >= 0 && begin < end && step >= 1; }
  int64_t count() const { return end <= begin ? 0 : (end - begin - 1) / step + 1; }
  bool contains(int64_t i) const { return i >= begin && i < end && (i - begin) % step == 0; }
  /// How many of the indices lie in [lo, hi).
  int64_t countWithin(int64_t lo, int64_t hi) const;
  /// The smallest index in both ranges, in time independent of their lengths; nothing if there is none. Requires a
  /// positive `step`.
  std::optional<int64_t> firstCommon(const Range& other) const;
  /// `[0:20]`, `[0:80:2]`, `[7]`.
  std::string str() const;
};

/// Disjoint ranges, ascending by begin.
struct RangeSet {
  Few<Range, 1> ranges;
  auto operator<=>(const RangeSet&) const = default;
  int64_t count() const;
  bool contains(int64_t i) const;
  int64_t countWithin(int64_t lo, int64_t hi) const;
  /// The smallest index in both sets; nothing if there is none.
  std::optional<int64_t> firstCommon(const RangeSet& other) const;
  std::string str() const;
  /// Compresses ascending indices into ranges.
  static RangeSet of(const std::vector<int64_t>& ascending);
};

} // namespace planc::ir
