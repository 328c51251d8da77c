// The closed forms of docs/cost-model.md, over plain numbers or over terms: prices of plans and fits of samples call
// the same ones. Extents are local, rates in FLOP/s and B/s as reached (efficiency included), times in seconds.
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

// Structure of the equations, not measured: a multiply and an add, and a 16-bit result (section 1.1).
inline const Exact kFlopsPerMac{2, units::flops, "2"};
inline const Exact kResultWidth{2, units::bytes, "2"};

/// Parts of a time by what bounds them: a term remembers it (Term.h), a number does not.
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

/// The other numbers are of the type of the first.
template <class N> using Same = std::type_identity_t<N>;

/// 2·b·m·n·k (section 1.1).
template <class N> N flops(const ProductOf<N>& p) {
  return kFlopsPerMac * p.batch * p.m * p.n * p.k;
}
/// Operands and a 16-bit result (section 1.1).
template <class N> N bytes(const ProductOf<N>& p) {
  return p.batch * (p.width * (p.m * p.k + p.k * p.n) + kResultWidth * p.m * p.n);
}

/// The longer of computing and moving hides the other (sections 1.1 and 1.3).
template <class N> N roofline(N flops, Same<N> rate, Same<N> bytes, Same<N> bandwidth, Same<N> start) {
  using std::max;
  return max(compute(flops / rate), memory(bytes / bandwidth)) + launch(start);
}
/// Neither hides under the other (section 1.5).
template <class N> N inTurn(N flops, Same<N> rate, Same<N> bytes, Same<N> bandwidth, Same<N> start) {
  return compute(flops / rate) + memory(bytes / bandwidth) + launch(start);
}
/// An operator bound by memory (section 1.2).
template <class N> N moved(N bytes, Same<N> bandwidth, Same<N> start) {
  return memory(bytes / bandwidth) + launch(start);
}
/// Useful FLOPs at the rate of the fused kernel (section 1.3).
template <class N> N fused(N flops, Same<N> rate, Same<N> start) {
  return compute(flops / rate) + launch(start);
}

/// Share of its full clocks that a device holds in long training: dynamic power goes by their third power, so where
/// full clocks would draw more than it may, they drop by the cube root (section 1.1). `rate` is that of full clocks.
template <class N> N clocks(N power, Same<N> rate, Same<N> energyOfFlop) {
  using std::cbrt, std::min;
  return min(N(1), cbrt(power / (rate * energyOfFlop)));
}

/// Bytes on one rank's wire: all-reduce twice the share of all others, of the larger local side (Thakur et al. 2005;
/// section 2).
template <class N> N wireBytes(ir::CollectiveKind kind, N bytes, Same<N> ranks) {
  const N share = (ranks - 1) / ranks;
  return bytes * (kind == ir::CollectiveKind::AllReduce ? 2 * share : share);
}
/// What grows with the square root of the bytes on the wire (section 2.1).
template <class N> N rootTerm(N g, Same<N> x) {
  using std::sqrt;
  return g * sqrt(x / kGigabyte);
}
/// A sampled collective (section 2.1).
template <class N> N sampled(N a, Same<N> b, Same<N> g, Same<N> x) {
  return a + x / b + rootTerm(g, x);
}

} // namespace planc::cost::equations
