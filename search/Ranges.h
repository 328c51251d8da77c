// Sets of whole numbers that are mostly consecutive.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <iterator>
#include <map>

namespace planc::search {

/// A set that is stored as ranges: ten million consecutive numbers take the memory of one.
class Ranges {
public:
  /// Adds [first, end).
  void add(uint64_t first, uint64_t end) {
    if (first >= end) return;
    auto after = ranges_.upper_bound(first);
    if (after != ranges_.begin())
      if (const auto before = std::prev(after); before->second >= first) after = before;
    while (after != ranges_.end() && after->first <= end) {
      first = after->first < first ? after->first : first;
      end = after->second > end ? after->second : end;
      size_ -= after->second - after->first;
      after = ranges_.erase(after);
    }
    ranges_.emplace(first, end);
    size_ += end - first;
  }
  bool has(uint64_t number) const {
    const auto after = ranges_.upper_bound(number);
    return after != ranges_.begin() && std::prev(after)->second > number;
  }
  /// The count of numbers in the set.
  uint64_t size() const { return size_; }
  /// The ends of the ranges by their first numbers. Ranges do not touch.
  const std::map<uint64_t, uint64_t>& all() const { return ranges_; }

private:
  std::map<uint64_t, uint64_t> ranges_;
  uint64_t size_ = 0;
};

} // namespace planc::search
