// The thresholds of the checks of samples, each with the reason for its value.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

namespace planc::calibrate::thresholds {

// ---- against what the part can do ----

/// If a larger share of a series has impossible times, the whole series is dropped, because one clock measured all of
/// it. A few outliers are at most a tenth.
inline constexpr double kImpossible = 0.1;
/// Least ratio of backward to forward time. Backward has twice the work for a product and more for attention, so a
/// ratio of 1 is generous.
inline constexpr double kLeastBackward = 1;
/// Least ratio of backward to forward time for products whose operands are in memory. Backward may be as fast as
/// forward for them, but no kernel has a smaller ratio.
inline constexpr double kLeastBackwardInMemory = 0.7;
/// Share of the part's rate that the fastest sample of a series must reach. A kernel that is merely slow reaches
/// percents; a unit mistake is a factor of a thousand.
inline constexpr double kReached = 2e-3;
/// Share of the cards' line rate below which a network is reported: NCCL over TCP reaches a tenth or less.
inline constexpr double kLineRate = 0.2;
/// The quantile of the rates of a series that counts as its best rate. The tenth above it may come from caches or
/// errors.
inline constexpr double kFastest = 0.9;
/// Attention is reported if it takes this many times as long as the library's fused kernel. Fused kernels of one
/// generation differ by a factor of two; scores in memory, a backend for other parts, or a flag that was read wrong
/// cost more.
inline constexpr double kSlowAttention = 4;

// ---- of a series against itself ----

/// If a series has lost a larger share of its samples, the whole series is dropped, because the remaining samples are
/// not trustworthy.
inline constexpr double kLostSeries = 1.0 / 3;
/// Times within this factor count as one time. A call that returns before its kernel has ended takes as long as its
/// launch, within a few percent.
inline constexpr double kSameTime = 1.06;
/// Sizes that differ by this factor must take different times: 40 % more work exceeds the spread of one time by far.
inline constexpr double kOtherSize = 1.4;
/// Samples of one time are no coincidence if there are this many of them, and this share of the series.
inline constexpr double kCrowd = 5, kCrowdShare = 0.1;
/// Larger sizes are reported if smaller sizes take this many times as long: half of the kernels of a call were not
/// counted.
inline constexpr double kFalls = 2;
/// Sizes beyond this factor count as larger. Below it, a window of samples would be compared with its own neighbour.
inline constexpr double kLarger = 1.1;
/// Number of windows whose medians are compared, which is enough to see where times fall, and the least number of
/// samples in a window. Four wild samples do not move the median of nine.
inline constexpr size_t kWindows = 40, kWindow = 9;
/// Upper over lower quartile of the times per byte of neighbours in size, above which times are scattered. Neighbours
/// should take nearly the same time per byte; half as much again is the traffic of another job.
inline constexpr double kSpread = 1.5;
/// Number of neighbours on either side of a sample, so that nine samples are compared. At least this many scattered
/// samples are no coincidence.
inline constexpr size_t kReach = 4;
/// Neighbours that differ by this factor in size are not compared, because their times per byte differ anyway.
inline constexpr double kNearSize = 2;
/// Slowest over fastest repeat of one shape, above which repeats are reported. Changes of the clock rate are smaller.
inline constexpr double kWildRepeats = 2;
/// Samples with equal times of both directions are no coincidence if there are this many of them, and this share of the
/// series. Clocks count in steps, so a few times are equal by chance.
inline constexpr size_t kCopies = 3;
inline constexpr double kCopiedShare = 0.02;

} // namespace planc::calibrate::thresholds
