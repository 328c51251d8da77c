// The thresholds of the checks of samples, each with the reason for its value.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

namespace planc::calibrate::thresholds {

// ---- against what the part can do ----

/// Share of impossible times above which a series is dropped whole: one clock took all of them, and an outlier or two
/// are no more than a tenth.
inline constexpr double kImpossible = 0.1;
/// Least time of backward over forward. A product has twice its work to do and attention more, so equal is generous.
inline constexpr double kLeastBackward = 1;
/// The same of products whose operands stand in memory, which may be as fast backward: less than this no kernel is.
inline constexpr double kLeastBackwardInMemory = 0.7;
/// Share of the part's rate that the fastest sample of a series must reach. A kernel that is merely slow reaches
/// percents; a unit mistake is a factor of a thousand.
inline constexpr double kReached = 2e-3;
/// Share of the cards' line rate below which a network is reported: NCCL over TCP reaches a tenth or less.
inline constexpr double kLineRate = 0.2;
/// Quantile of the rates of a series that stands for its best: the tenth above it may be caches, or mistakes.
inline constexpr double kFastest = 0.9;
/// Times the library's fused kernel takes. Fused kernels of one generation differ by a factor of two; scores in memory,
/// a backend for other parts or a flag that was read wrong cost more.
inline constexpr double kSlowAttention = 4;

// ---- of a series against itself ----

/// Share of lost samples above which a series is dropped whole: what is mostly wrong is not right in the rest.
inline constexpr double kLostSeries = 1.0 / 3;
/// Times within this factor are one time: what returns before it has ended takes as long as its launch, within a few
/// percent.
inline constexpr double kSameTime = 1.06;
/// Sizes that differ by this factor must take different times: 40 % more work is far more than one time spans.
inline constexpr double kOtherSize = 1.4;
/// Samples of one time that are no coincidence: this many, and this share of the series.
inline constexpr double kCrowd = 5, kCrowdShare = 0.1;
/// Times the time of larger sizes at which smaller ones are reported: half of the kernels of a call went uncounted.
inline constexpr double kFalls = 2;
/// Sizes beyond this factor are larger: below it a window of samples is compared with its own neighbour.
inline constexpr double kLarger = 1.1;
/// Windows whose medians are compared: enough to see where times fall, and of at least nine samples, whose median four
/// wild ones do not move.
inline constexpr size_t kWindows = 40, kWindow = 9;
/// Upper over lower quartile of the times per byte of neighbours in size, which should take nearly the same: half as
/// much again is another job's traffic.
inline constexpr double kSpread = 1.5;
/// Neighbours on either side of a sample: nine in all, and as many samples that scatter are no coincidence.
inline constexpr size_t kReach = 4;
/// Neighbours that differ by this factor in size are not compared: their times per byte differ by themselves.
inline constexpr double kNearSize = 2;
/// Slowest over fastest repeat of one shape: clocks rise and fall by less.
inline constexpr double kWildRepeats = 2;
/// Equal times of both directions that are no coincidence: this many, and this share of the series. Clocks count in
/// steps, so a few are equal by chance.
inline constexpr size_t kCopies = 3;
inline constexpr double kCopiedShare = 0.02;

} // namespace planc::calibrate::thresholds
