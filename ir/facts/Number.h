// A number of the library: its value or table, where it was written, its source, and its statistics.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Quantity.h"
#include "support/Source.h"

#include <optional>
#include <string>
#include <vector>

namespace planc::ir {

/// Statistics of a calibrated fact: `samples`, `error`, `p90` and `valid` of its record.
struct Statistics {
  bool calibrated = false;  ///< measured, derived or assumed, not from a datasheet: it can be wrong
  double samples = 0;       ///< 0: derived from another machine or assumed; its source says which
  double error = 0;         ///< median relative error of predictions on samples outside of the fit
  double p90 = 0;           ///< 90th percentile of these errors; 0: not given
  double low = 0, high = 0; ///< range of its samples: FLOPs of a product, bytes otherwise; both 0: not given
  std::string record{};     ///< path of the facts that were fitted together
  SourceRange range{};      ///< where the statistics are written

  /// Relative standard deviation, assuming normal errors: from `p90` if it is given, else from the median `error`; 0 if
  /// neither is given.
  double deviation() const {
    constexpr double kNineOfTen = 1.6449, kHalf = 0.6745; // of |x|, x normal with deviation 1
    return p90 > 0 ? p90 / kNineOfTen : error / kHalf;
  }
};

/// y by x, interpolated log-log between points. Constant beyond the ends (callers warn).
struct Table {
  std::vector<double> x, y;
  bool empty() const { return x.empty(); }
  double at(double v) const;
  bool covers(double v) const { return !x.empty() && v >= x.front() && v <= x.back(); }
};

/// A number of the library in base units (second, byte, FLOP, …), with its place and the text after `:`.
struct Number {
  double value = 0; ///< of a table: the value at its largest x
  SourceRange range{};
  std::string source{};
  planc::Unit unit{}; ///< for printing in reports
  Table table{};      ///< measured values by size, used instead of `value`; may be empty
  Statistics statistics{};

  /// The value at a size: FLOPs of a product, bytes otherwise.
  double at(double size) const { return table.empty() ? value : table.at(size); }
};
using OptNumber = std::optional<Number>;

} // namespace planc::ir
