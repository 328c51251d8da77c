// Matrix products on the roofline of their type, plain and by expert (docs/cost-model.md, sections 1.1, 1.5).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/price/Equations.h"
#include "backends/cost/price/Operators.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/facts/StackFacts.h"

#include <algorithm>

namespace planc::cost {

using ir::DeviceFact;
using ir::StackFact;

namespace {

// Structure of the equations, not measured: what wgrad moves beyond a 16-bit result when it adds into an fp32 main
// gradient, 4 B read and 4 B written in its place (docs/cost-model.md, section 1.1).
constexpr double kFusedAccumulate = 6;

struct GemmFacts {
  double peak = 1, efficiency = 1, memoryEfficiency = 1, start = 0, bandwidth = 1;
};

GemmFacts factsOf(const Pricing& p, double flopCount) {
  const ir::DType dtype = p.node.work.dtype;
  GemmFacts f;
  f.peak = p.fact(DeviceFact::Peak, dtype, "P");
  f.efficiency = p.fact(DeviceFact::GemmEfficiency, dtype, "e", flopSize(flopCount));
  f.bandwidth = p.fact(DeviceFact::Bandwidth, "B");
  f.memoryEfficiency = p.fact(DeviceFact::GemmMemoryEfficiency, dtype, "f");
  f.start = p.fact(DeviceFact::GemmStart, dtype, "t0");
  return f;
}

bool fusesAccumulation(const Pricing& p) {
  if (p.node.role != ir::Role::WGrad) return false;
  p.facts.find(StackFact::Accumulate, p.requester());
  return p.facts.stack.accumulate() == ir::Accumulate::Fused;
}

/// A product's work and what it reaches; rates and bandwidths with their efficiencies.
struct Work {
  double flops = 0, rate = 1, bytes = 0, bandwidth = 1, start = 0;
};

/// A product priced by one of the equations; `ratio` of a gradient against its forward product.
Priced product(const Pricing& p, const Work& w, double (*equation)(double, double, double, double, double),
               std::string_view text) {
  const bool gradient = p.node.role == ir::Role::DGrad || p.node.role == ir::Role::WGrad;
  // Both gradients together cost r times the forward product.
  const double ratio = gradient ? p.fact(StackFact::BackwardRatio, "r") / 2 : 1;
  const double math = w.flops / w.rate, memory = w.bytes / w.bandwidth;
  Priced priced;
  priced.seconds = equation(w.flops, w.rate, w.bytes, w.bandwidth, w.start) * ratio;
  priced.bound = w.start > std::max(math, memory) ? Bound::Launch : math >= memory ? Bound::Compute : Bound::Memory;
  priced.flops = w.flops;
  priced.bytes = w.bytes;
  if (p.why)
    p.why->substituted = fmt::format(fmt::runtime(text), fmt::format("{} / {}", flops(w.flops), rate(w.rate)),
                                     fmt::format("{} / {}", bytes(w.bytes), bandwidth(w.bandwidth))) +
                         fmt::format(" + {}{} = {}", seconds(w.start),
                                     gradient ? fmt::format(", times {}", number(ratio)) : "", seconds(priced.seconds));
  return priced;
}

} // namespace

Priced gemm(const Pricing& p) {
  const ir::LocalWork& w = p.node.work;
  const equations::Product shape{w.batch, w.m, w.n, w.k, w.operandWidth};
  const double flopCount = equations::flops(shape);
  const GemmFacts f = factsOf(p, flopCount);
  double byteCount = equations::bytes(shape);
  const bool fused = fusesAccumulation(p);
  if (fused) byteCount += kFusedAccumulate * w.batch * w.m * w.n;
  const Priced priced =
      product(p, {flopCount, f.peak * f.efficiency, byteCount, f.bandwidth * f.memoryEfficiency, f.start},
              equations::roofline, "max({}, {})");
  if (p.why)
    p.why->equation = fmt::format("max(2·b·m·n·k / (P·e), b·(w·(m·k + k·n) + 2·m·n{}) / (B·f)) + t0{}  with b = {}, m "
                                  "= {}, n = {}, k = {}, w = {} B",
                                  fused ? " + 6·m·n" : "", p.node.role == ir::Role::Forward ? "" : ", times r/2",
                                  number(w.batch), number(w.m), number(w.n), number(w.k), number(w.operandWidth));
  return priced;
}

namespace {

/// What launching so many products of one operator costs the host, in launches of an operator: the further ones come
/// from a loop that does nothing else.
double launchesOf(const Pricing& p, double kernels) {
  const ir::Number* next = p.facts.stack.number(StackFact::GroupedLaunch);
  const double launch = p.facts.stack.value(StackFact::Launch, 0);
  if (kernels <= 1 || !next || launch <= 0) return kernels;
  return 1 + (kernels - 1) * next->value / launch;
}

} // namespace

Priced groupedGemm(const Pricing& p) {
  const ir::LocalWork& w = p.node.work;
  const bool oneKernel = p.facts.stack.truth(StackFact::GroupedKernel),
             slower = p.facts.stack.has(StackFact::Grouped); // than one large product
  const equations::Product shape{w.batch, w.m, w.n, w.k, w.operandWidth};
  const double flopCount = equations::flops(shape), kernels = oneKernel ? 1 : std::max(1.0, w.batch);
  const GemmFacts f = factsOf(p, flopCount / kernels);
  double share = 1; // of the rate of one large product
  if (slower) share = p.fact(StackFact::Grouped, "E", {w.tokensPerExpert, units::none});
  const bool fused = fusesAccumulation(p);
  const double byteCount = equations::bytes(shape) + (fused ? kFusedAccumulate * w.batch * w.m * w.n : 0);
  const bool alone = w.batch <= 1; // one expert: a product like any other
  Priced priced = product(
      p, {flopCount, f.peak * f.efficiency * share, byteCount, f.bandwidth * f.memoryEfficiency, f.start * kernels},
      alone ? equations::roofline : equations::inTurn, alone ? "max({}, {})" : "{} + {}");
  priced.launches = launchesOf(p, kernels);
  if (p.why)
    p.why->equation =
        fmt::format("{}2·b·m·n·k / (P·e{}){} b·(w·(m·k + k·n) + 2·m·n{}) / (B·f){} + {}t0{}  with b = {} "
                    "experts, m = {}, n = {}, k = {}, w = {} B",
                    alone ? "max(" : "", slower ? "·E" : "", alone ? "," : " +", fused ? " + 6·m·n" : "",
                    alone ? ")" : "", oneKernel ? "" : "b·", p.node.role == ir::Role::Forward ? "" : ", times r/2",
                    number(w.batch), number(w.m), number(w.n), number(w.k), number(w.operandWidth));
  return priced;
}

} // namespace planc::cost
