// When results of passes left, for the stages that wait for them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Indexed.h"

#include <cstdint>
#include <vector>

namespace planc::cost {

/// A row for the results of either direction of each slot, with a cell for each micro-batch. A leap over what repeats
/// leaves micro-batches out: they have no cell, and a reader that did not take part in the leap computes when their
/// results left. Row 0 stands for no result.
class Results {
public:
  static constexpr double kNotYet = -1;

  /// Micro-batches of a row that a leap left out.
  struct Skip {
    int64_t at = 0;    ///< cell of the row before which they lie
    int64_t count = 0; ///< of them; 0: none of this row
    int64_t cycle = 0; ///< the cells before `at` repeat after so many,
    double step = 0;   ///< so much later
    /// When the result of one of them left, counted from the first. `ends`: the row.
    double leftAt(const double* ends, int64_t i) const {
      return ends[at - cycle + i % cycle] + static_cast<double>(i / cycle + 1) * step;
    }
  };
  /// The place of one action kind on a slot in a row: that of its input, or of its result.
  struct Place {
    uint32_t row = 0;
    uint32_t leaps = 0;  ///< of a reader: leaps that it has behind it
    int64_t shift = 0;   ///< micro-batches before the first cell, and those that were left out
    bool behind = false; ///< a reader that did not take part in a leap, which lies ahead of it
  };

  static uint32_t rowOf(size_t slot, bool backward) { return static_cast<uint32_t>(1 + 2 * slot + (backward ? 1 : 0)); }

  /// Nothing is made yet. `width`: cells of a row, to begin with.
  void begin(size_t slots, int64_t width);
  uint32_t rows() const { return rows_; }
  int64_t width() const { return width_; }
  double* row(uint32_t row) { return ends_.data() + row * (width_ + 1); }

  /// When the result of a micro-batch left; negative: not yet.
  double read(Place& in, int64_t microBatch) {
    if (in.row == 0) return 0;
    return in.behind ? lookBack(in, microBatch) : row(in.row)[microBatch - in.shift];
  }
  void write(const Place& out, int64_t microBatch, double end) {
    const int64_t cell = microBatch - out.shift;
    while (cell >= width_) [[unlikely]] widen();
    row(out.row)[cell] = end;
  }
  double lookBack(Place& in, int64_t microBatch);
  void widen();

  /// The leap that left out a micro-batch which a reader reads next; null: none did.
  const Skip* skipOf(const Place& in, int64_t microBatch) const;
  /// A new leap: its skips, by row.
  std::vector<Skip>& addLeap() { return leaps_.emplace_back(rows_); }
  const std::vector<std::vector<Skip>>& leaps() const { return leaps_; }

private:
  uint32_t rows_ = 1;
  int64_t width_ = 0;
  Indexed<double> ends_; ///< row by row; each ends with a cell that stays empty, for a reader that is ahead
  std::vector<std::vector<Skip>> leaps_;
};

} // namespace planc::cost
