// The table of results grows, and is read behind leaps.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/pipeline/Results.h"

#include <algorithm>
#include <utility>

namespace planc::cost {

void Results::begin(size_t slots, int64_t width) {
  rows_ = rowOf(slots, false), width_ = width;
  ends_.assign(rows_ * static_cast<size_t>(width_ + 1), kNotYet);
  leaps_.clear();
}

/// Twice as many cells in every row.
void Results::widen() {
  const Indexed<double> before = std::exchange(ends_, {});
  const int64_t each = width_ + 1;
  width_ *= 2;
  ends_.assign(rows_ * static_cast<size_t>(width_ + 1), kNotYet);
  for (uint32_t r = 0; r < rows_; ++r) std::copy_n(before.begin() + r * each, each, row(r));
}

/// When a result left that may lie before leaps in which its reader took no part.
double Results::lookBack(Place& in, int64_t microBatch) {
  const double* const ends = row(in.row);
  for (; in.leaps < leaps_.size(); ++in.leaps) {
    const Skip& skip = leaps_[in.leaps][in.row];
    if (skip.count == 0) continue;
    const int64_t cell = microBatch - in.shift, left = cell - skip.at;
    if (left < 0) return ends[cell];
    if (left < skip.count) return skip.leftAt(ends, left);
    in.shift += skip.count;
  }
  in.behind = false;
  return ends[microBatch - in.shift];
}

const Results::Skip* Results::skipOf(const Place& in, int64_t microBatch) const {
  if (in.leaps >= leaps_.size()) return nullptr;
  const Skip& skip = leaps_[in.leaps][in.row];
  const int64_t cell = microBatch - in.shift;
  return skip.count > 0 && cell >= skip.at && cell < skip.at + skip.count ? &skip : nullptr;
}

} // namespace planc::cost
