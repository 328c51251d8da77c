// A list of slices that share no instance, with a quick test whether another slice shares an instance with them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/model/Range.h"

#include <cstdint>
#include <vector>

namespace planc::ir {

/// A growing list of slices. The time to add a slice grows with its instances, and not with the other slices.
class DisjointSlices {
public:
  /// Returns whether the slice shares an instance with a slice of the list.
  bool meets(const RangeSet& slice) const {
    return counted_ && counts(slice) ? eachIn(slice, [&](size_t i) { return i < marked_.size() && marked_[i]; })
                                     : slices_.firstCommon(slice).has_value();
  }

  /// Adds a slice and returns true. If it shares an instance with the list, returns false and does not add it.
  bool add(const RangeSet& slice) {
    if (meets(slice)) return false;
    counted_ = counted_ && counts(slice);
    if (counted_)
      eachIn(slice, [&](size_t i) {
        if (i >= marked_.size()) marked_.resize(i + 1);
        marked_[i] = true;
        return false;
      });
    slices_.ranges.insert(slices_.ranges.end(), slice.ranges.begin(), slice.ranges.end());
    return true;
  }

  /// The ranges of all slices, in the order in which they were added.
  const RangeSet& slices() const { return slices_; }

private:
  static constexpr int64_t kMostCounted = 1 << 16;
  static bool counts(const RangeSet& slice) {
    for (const Range& r : slice.ranges)
      if (r.end > kMostCounted) return false;
    return true;
  }
  /// Visits the instances of a slice until `visit` returns true. Returns whether `visit` returned true.
  template <class Visit> static bool eachIn(const RangeSet& slice, Visit visit) {
    for (const Range& r : slice.ranges)
      for (int64_t i = r.begin; i < r.end; i += r.step)
        if (visit(static_cast<size_t>(i))) return true;
    return false;
  }

  RangeSet slices_;
  std::vector<bool> marked_; ///< by instance
  bool counted_ = true;      ///< few enough instances to mark each
};

} // namespace planc::ir
