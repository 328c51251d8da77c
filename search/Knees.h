// Finds where a curve turns or jumps by pricing more points, and names the part of the step that explains it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/result/Estimate.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace planc::search {

/// A place where a curve y(x) turns or jumps; x and y are above 0. Slopes are d ln y / d ln x.
struct Knee {
  bool jump = false;                     ///< y itself changes; otherwise its slope
  double from = 0, below = 0;            ///< the knee lies between `below` and `above`
  double above = 0, to = 0;              ///< `from` < `below`, `above` < `to`; no other knee is between them
  double at = 0;                         ///< the x where both slopes meet; the middle of a jump
  double slopeBelow = 0, slopeAbove = 0; ///< left and right of the knee
  double change = 0;                     ///< for a jump: y above / y below - 1, less the change that the slopes explain
};

/// Smallest change of the slope that counts as a knee, and smallest change of ln y that counts as a jump.
inline constexpr double kLeastTurn = 0.05, kLeastJump = 1e-3;

/// A curve is flat if a doubling of x changes y by less than this share.
inline constexpr double kFlat = 0.01;

/// The ends of a curve at which it is flat, by the slopes between its points.
struct FlatEnds {
  std::optional<double> from = {}, upTo = {}; ///< flat from `from` on, and up to `upTo`; everywhere if `upTo` > `from`
  double first = 0, last = 0;                 ///< relative change by a doubling, at the first and last two points
};
/// `x` is ascending. Only the longest run of points without a missing value counts; the last one if several are equally
/// long. Returns nothing if it has fewer than two points.
std::optional<FlatEnds> flatEnds(const std::vector<double>& x, const std::vector<std::optional<double>>& y);

/// Computes another point of a curve; nothing if it has no value there.
using CurveAt = std::function<std::optional<double>(double)>;

/// Finds the knees of a curve with these points, in the order of x. `x` is ascending; `y` has no value where a plan has
/// no price. Each change of slope between intervals is examined in ever smaller windows: a smooth bend vanishes there,
/// a knee stays.
std::vector<Knee> findKnees(const std::vector<double>& x, const std::vector<std::optional<double>>& y,
                            const CurveAt& curve);

/// Returns the part of the step whose change across the knee is the largest, as `collectives all_gather, state: hidden
/// from here on`. `estimates`: at `from`, `below`, `above` and `to`.
std::string kneeCause(const Knee& knee, const cost::Estimate* const (&estimates)[4]);

} // namespace planc::search
