// Where a curve turns or jumps, found between its points by pricing more of them, and what of a step explains it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/result/Estimate.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace planc::search {

/// A place of a curve y(x), both above 0. Slopes are d ln y / d ln x.
struct Knee {
  bool jump = false;                     ///< y itself changes; else its slope
  double from = 0, below = 0;            ///< it lies between below and above, from and to are beside it: in between
  double above = 0, to = 0;              ///< nothing else happens
  double at = 0;                         ///< where the slopes would meet; of a jump the middle
  double slopeBelow = 0, slopeAbove = 0; ///< on either side
  double change = 0;                     ///< of a jump: y above over y below - 1, slopes taken out
};

/// The least that is a knee: the change of slope; of y.
inline constexpr double kLeastTurn = 0.05, kLeastJump = 1e-3;

/// What no longer matters: a doubling of x changes y by less than this share.
inline constexpr double kFlat = 0.01;

/// The ends of a curve where it is flat, by the slopes between its points.
struct FlatEnds {
  std::optional<double> from = {},
                        upTo = {}; ///< the point from which on, up to which all slopes are flat; both: everywhere
  double first = 0, last = 0;      ///< what a doubling changes between the first two points, the last two
};
/// `x` ascending. Nothing of fewer than two neighbours that have a value; a curve with holes ends at them: what counts
/// is the longest part without one, of several the last.
std::optional<FlatEnds> flatEnds(const std::vector<double>& x, const std::vector<std::optional<double>>& y);

/// Another point of a curve; nothing where there is none.
using CurveAt = std::function<std::optional<double>(double)>;

/// Knees of a curve with these points, `x` ascending, nothing where it has no value. Where the slope changes from one
/// interval to the next, the place is looked at more and more closely: what bends evenly does so less and less, a knee
/// stays. In the order of x.
std::vector<Knee> findKnees(const std::vector<double>& x, const std::vector<std::optional<double>>& y,
                            const CurveAt& curve);

/// The part of the step whose change across the knee is the largest, as `collectives all_gather, state: hidden from
/// here on`. Estimates at from, below, above and to.
std::string kneeCause(const Knee& knee, const cost::Estimate* const (&estimates)[4]);

} // namespace planc::search
