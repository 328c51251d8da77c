// The closed forms, term by term.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/price/Equations.h"

#include <algorithm>
#include <cmath>

namespace planc::cost::equations {

namespace {

// Structure of the equations, not measured: a multiply and an add, and a 16-bit result (section 1.1).
constexpr double kFlopsPerMac = 2;
constexpr double kResultWidth = 2;

} // namespace

double flops(const Product& p) {
  return kFlopsPerMac * p.batch * p.m * p.n * p.k;
}

double bytes(const Product& p) {
  return p.batch * (p.width * (p.m * p.k + p.k * p.n) + kResultWidth * p.m * p.n);
}

double roofline(double flops, double rate, double bytes, double bandwidth, double start) {
  return std::max(flops / rate, bytes / bandwidth) + start;
}

double inTurn(double flops, double rate, double bytes, double bandwidth, double start) {
  return flops / rate + bytes / bandwidth + start;
}

double moved(double bytes, double bandwidth, double start) {
  return bytes / bandwidth + start;
}

double fused(double flops, double rate, double start) {
  return flops / rate + start;
}

double wireBytes(ir::CollectiveKind kind, double bytes, double ranks) {
  const double share = (ranks - 1) / ranks;
  return bytes * (kind == ir::CollectiveKind::AllReduce ? 2 * share : share);
}

double rootTerm(double g, double x) {
  return g * std::sqrt(x / kGigabyte);
}

double sampled(double a, double b, double g, double x) {
  return a + x / b + rootTerm(g, x);
}

} // namespace planc::cost::equations
