// The closed forms of docs/cost-model.md, for plain numbers or for terms. Pricing and calibration call the same
// functions. Extents are local, rates are achieved rates in FLOP/s and B/s (efficiency included), times are in seconds.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/price/Term.h"
#include "ir/layout/Layout.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace planc::cost::equations {

/// The square-root term of a fabric is stored as its time at 1 GB (section 2.1).
inline const Exact kGigabyte{1e9, units::bytes, "1 GB"};

/// Head dimension at which a device's curve of attention is stated (section 1.3).
inline constexpr double kCurveHeadDim = 128;

// Constants of the equations, not measured: one multiply and one add, and a 16-bit result (section 1.1).
inline const Exact kFlopsPerMac{2, units::flops, "2"};
inline const Exact kResultWidth{2, units::bytes, "2"};

/// Marks the resource that bounds a part of a time. A term stores the mark (Term.h). A plain number has no mark.
constexpr double compute(double seconds) {
  return seconds;
}
constexpr double memory(double seconds) {
  return seconds;
}
constexpr double launch(double seconds) {
  return seconds;
}

/// `batch` products of m × k by k × n whose operands have `width` bytes per element.
template <class N> struct ProductOf { N batch = 1, m = 1, n = 1, k = 1, width = 2; };
using Product = ProductOf<double>;

/// The type of all arguments after the first. It is not deduced, so it equals the type of the first argument.
template <class N> using Same = std::type_identity_t<N>;

/// Returns the FLOPs of a product: 2·b·m·n·k (section 1.1).
template <class N> N flops(const ProductOf<N>& p) {
  return kFlopsPerMac * p.batch * p.m * p.n * p.k;
}
/// Returns the bytes of the operands and of a 16-bit result (section 1.1).
template <class N> N bytes(const ProductOf<N>& p) {
  return p.batch * (p.width * (p.m * p.k + p.k * p.n) + kResultWidth * p.m * p.n);
}

/// Returns the time of a kernel that overlaps computing and moving: the longer of both (sections 1.1 and 1.3).
template <class N> N roofline(N flops, Same<N> rate, Same<N> bytes, Same<N> bandwidth, Same<N> start) {
  using std::max;
  return max(compute(flops / rate), memory(bytes / bandwidth)) + launch(start);
}
/// Returns the time of kernels that overlap computing and moving in part: the root of the sum of both squares, between
/// the longer of both and their sum (section 1.5).
template <class N> N overlapped(N flops, Same<N> rate, Same<N> bytes, Same<N> bandwidth, Same<N> start) {
  using std::hypot;
  return hypot(compute(flops / rate), memory(bytes / bandwidth)) + launch(start);
}
/// Returns the time of an operator bound by memory (section 1.2).
template <class N> N moved(N bytes, Same<N> bandwidth, Same<N> start) {
  return memory(bytes / bandwidth) + launch(start);
}
/// Returns the time of a fused attention kernel: useful FLOPs at its rate (section 1.3).
template <class N> N fused(N flops, Same<N> rate, Same<N> start) {
  return compute(flops / rate) + launch(start);
}

/// Returns the share of full clocks that a device holds in long training. Dynamic power grows with the third power of
/// the clocks, so the clocks drop by the cube root if full clocks would exceed the power limit (section 1.1). `rate` is
/// the rate at full clocks.
template <class N> N clocks(N power, Same<N> rate, Same<N> energyOfFlop) {
  using std::cbrt, std::min;
  return min(N(1), cbrt(power / (rate * energyOfFlop)));
}

/// Returns the bytes on one rank's wire. `bytes` is the size of the larger local side; all-reduce moves twice the share
/// of the other kinds (Thakur et al. 2005; section 2).
template <class N> N wireBytes(ir::CollectiveKind kind, N bytes, Same<N> ranks) {
  const N share = (ranks - 1) / ranks;
  return bytes * (kind == ir::CollectiveKind::AllReduce ? 2 * share : share);
}
/// Returns the part of a time that grows with the square root of the bytes on the wire (section 2.1).
template <class N> N rootTerm(N g, Same<N> x) {
  using std::sqrt;
  return g * sqrt(x / kGigabyte);
}
/// Returns the time of a sampled collective for `x` bytes on the wire (section 2.1).
template <class N> N sampled(N a, Same<N> b, Same<N> g, Same<N> x) {
  return a + x / b + rootTerm(g, x);
}

} // namespace planc::cost::equations
