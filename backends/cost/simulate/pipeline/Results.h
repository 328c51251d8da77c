// The moments at which results of passes left their stages, for the stages that wait for the results.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Indexed.h"

#include <cstdint>
#include <vector>

namespace planc::cost {

/// A table with one row for each slot and direction, and one cell for each micro-batch. A leap over repeated periods
/// skips micro-batches: they have no cell, and a reader that did not take part in the leap computes when their results
/// left. Row 0 stands for no result.
class Results {
public:
  static constexpr double kNotYet = -1;

  /// Micro-batches of a row that a leap skipped.
  struct Skip {
    int64_t at = 0;    ///< cell of the row before which the skipped micro-batches lie
    int64_t count = 0; ///< number of skipped micro-batches; 0: the row has none
    int64_t cycle = 0; ///< number of cells after which the cells before `at` repeat
    double step = 0;   ///< seconds by which a repeated cell is later
    /// Returns when the result of skipped micro-batch `i` left, counted from the first skipped one. `ends`: the row.
    double leftAt(const double* ends, int64_t i) const {
      return ends[at - cycle + i % cycle] + static_cast<double>(i / cycle + 1) * step;
    }
  };
  /// The position in a row at which one action kind of a slot reads its input, or writes its result.
  struct Place {
    uint32_t row = 0;
    uint32_t leaps = 0;  ///< for a reader: number of leaps that it has passed
    int64_t shift = 0;   ///< micro-batches before the first cell, plus skipped micro-batches
    bool behind = false; ///< a reader that did not take part in a leap and has not passed it yet
  };

  static uint32_t rowOf(size_t slot, bool backward) { return static_cast<uint32_t>(1 + 2 * slot + (backward ? 1 : 0)); }

  /// Clears the table: no result is made yet. `width`: initial number of cells of a row.
  void begin(size_t slots, int64_t width);
  uint32_t rows() const { return rows_; }
  int64_t width() const { return width_; }
  double* row(uint32_t row) { return ends_.data() + row * (width_ + 1); }

  /// Returns when the result of a micro-batch left; negative if it has not left yet.
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

  /// Returns the skip that contains the micro-batch that a reader reads next; null if no leap skipped it.
  const Skip* skipOf(const Place& in, int64_t microBatch) const;
  /// Adds a leap and returns its skips, by row.
  std::vector<Skip>& addLeap() { return leaps_.emplace_back(rows_); }
  const std::vector<std::vector<Skip>>& leaps() const { return leaps_; }

private:
  uint32_t rows_ = 1;
  int64_t width_ = 0;
  Indexed<double> ends_; ///< row by row; each ends with a cell that stays empty, for a reader that is ahead
  std::vector<std::vector<Skip>> leaps_;
};

} // namespace planc::cost
