// The closed forms of docs/cost-model.md as functions of numbers alone: prices of plans and fits of samples call the
// same ones. Extents are local, rates in FLOP/s and B/s as reached (efficiency included), times in seconds.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/Layout.h"

namespace planc::cost::equations {

/// Bytes in one gigabyte: the square-root term of a fabric is stored as its time at 1 GB (section 2.1).
inline constexpr double kGigabyte = 1e9;

/// Head dimension at which a device's curve of attention is stated (section 1.3).
inline constexpr double kCurveHeadDim = 128;

/// `batch` products of m × k by k × n whose operands have `width` bytes per element.
struct Product {
  double batch = 1, m = 1, n = 1, k = 1, width = 2;
};
/// 2·b·m·n·k (section 1.1).
double flops(const Product& product);
/// b·(w·(m·k + k·n) + 2·m·n): operands and a 16-bit result (section 1.1).
double bytes(const Product& product);

/// max(flops / rate, bytes / bandwidth) + start (sections 1.1 and 1.3).
double roofline(double flops, double rate, double bytes, double bandwidth, double start);
/// flops / rate + bytes / bandwidth + start: neither hides under the other (section 1.5).
double inTurn(double flops, double rate, double bytes, double bandwidth, double start);
/// bytes / bandwidth + start (section 1.2).
double moved(double bytes, double bandwidth, double start);
/// useful FLOPs / rate + start (section 1.3).
double fused(double flops, double rate, double start);

/// Bytes on one rank's wire: all-reduce 2(n-1)/n of the larger local side, all others (n-1)/n (Thakur et al. 2005;
/// section 2).
double wireBytes(ir::CollectiveKind kind, double bytes, double ranks);
/// g · √(x / 1 GB).
double rootTerm(double g, double x);
/// a + x / b + g · √(x / 1 GB) (section 2.1).
double sampled(double a, double b, double g, double x);

} // namespace planc::cost::equations
