// A number of the library: its value or table, where it was written, its source, and what is known about it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Quantity.h"
#include "support/Source.h"

#include <optional>
#include <string>
#include <vector>

namespace planc::ir {

/// What is known about a calibrated fact: `samples`, `error`, `p90` and `valid` of its record.
struct Statistics {
  bool calibrated = false;  ///< it was measured, derived or assumed: no datasheet says it, so it can be wrong
  double samples = 0;       ///< none: derived from another machine or assumed, as its source says
  double error = 0;         ///< median relative error of a prediction on samples that it was not fitted to
  double p90 = 0;           ///< nine of ten of these errors are below; 0: not given
  double low = 0, high = 0; ///< what its samples span: FLOPs of a product, bytes otherwise; both 0: not given
  std::string record{};     ///< path of the facts that were fitted together
  SourceRange range{};      ///< where they stand

  /// Relative standard deviation of the normal errors whose ninth of ten, or whose median, is this one; 0 if neither is
  /// given.
  double deviation() const {
    constexpr double kNineOfTen = 1.6449, kHalf = 0.6745; // of |x|, x normal with deviation 1
    return p90 > 0 ? p90 / kNineOfTen : error / kHalf;
  }
};

/// y by x, interpolated log-log between points; held constant outside (callers warn).
struct Table {
  std::vector<double> x, y;
  bool empty() const { return x.empty(); }
  double at(double v) const;
  bool covers(double v) const { return !x.empty() && v >= x.front() && v <= x.back(); }
};

/// A number of the library: in base units (second, byte, FLOP, …), with its place and the text after `:`.
struct Number {
  double value = 0; ///< of a table: that of its largest x
  SourceRange range{};
  std::string source{};
  planc::Unit unit{}; ///< reports print it
  Table table{};      ///< measured, in place of one value; empty otherwise
  Statistics statistics{};

  /// At a size: FLOPs of a product, bytes otherwise.
  double at(double size) const { return table.empty() ? value : table.at(size); }
};
using OptNumber = std::optional<Number>;

} // namespace planc::ir
