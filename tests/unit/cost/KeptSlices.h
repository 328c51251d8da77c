// An observer that keeps what it is told.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/simulate/Slices.h"

#include <algorithm>
#include <vector>

namespace planc::cost::test {

struct KeptSlices : SliceObserver {
  std::vector<Slice> all, spent;
  void observe(const Slice& slice) override { all.push_back(slice); }
  void spend(const Slice& slice) override { spent.push_back(slice); }

  /// Seconds of the compute stream that are booked as one kind.
  double spentAs(SliceKind kind) const {
    double sum = 0;
    for (const Slice& s : spent) sum += s.kind == kind ? s.end - s.begin : 0;
    return sum;
  }

  /// Seconds in which a stream does something.
  double seconds(uint32_t stream) const {
    double sum = 0;
    for (const Slice& s : all) sum += s.stream == stream ? s.end - s.begin : 0;
    return sum;
  }
  double end() const {
    double last = 0;
    for (const Slice& s : all) last = std::max(last, s.end);
    return last;
  }
  bool overlaps() const {
    std::vector<double> ends;
    for (const Slice& s : all) {
      if (s.stream >= ends.size()) ends.resize(s.stream + 1);
      if (s.begin < ends[s.stream]) return true;
      ends[s.stream] = s.end;
    }
    return false;
  }
};

} // namespace planc::cost::test
