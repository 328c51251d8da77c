// Matrix products on the roofline of their type, plain and by expert (docs/cost-model.md, sections 1.1, 1.5).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/price/Equations.h"
#include "backends/cost/price/Operators.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/facts/StackFacts.h"

namespace planc::cost {

using ir::DeviceFact;
using ir::StackFact;

namespace {

// Constant of the equations, not measured: the additional bytes of wgrad when it adds into an fp32 main gradient. It
// reads 4 B and writes 4 B instead of writing a 16-bit result (docs/cost-model.md, section 1.1).
const Exact kFusedAccumulate{6, units::bytes, "6"};

struct GemmFacts {
  Term rate, memoryEfficiency, start, bandwidth;
};

GemmFacts factsOf(const Pricing& p, double flopCount) {
  const ir::DType dtype = p.compute().work.dtype;
  GemmFacts f;
  const Term kernel = kernelRate(p);
  f.rate = productRate(p, dtype, flopSize(flopCount)) * kernel;
  f.bandwidth = p.fact(DeviceFact::Bandwidth, "B") * kernel;
  f.memoryEfficiency = p.fact(DeviceFact::GemmMemoryEfficiency, dtype, "f");
  f.start = p.fact(DeviceFact::GemmStart, dtype, "t0");
  return f;
}

bool fusesAccumulation(const Pricing& p) {
  if (p.compute().role != ir::Role::WGrad) return false;
  p.facts.find(StackFact::Accumulate, p.requester());
  return p.facts.stack.accumulate() == ir::Accumulate::Fused;
}

using Shape = equations::ProductOf<Term>;

Shape shapeOf(const Pricing& p) {
  const ir::LocalWork& w = p.compute().work;
  return {p.known(w.batch, "b"), p.known(w.m, "m"), p.known(w.n, "n"), p.known(w.k, "k"),
          p.known(w.operandWidth, "w", units::bytes)};
}

/// Returns the bytes that a product moves, including the gradient that it adds into.
Term bytesOf(const Pricing& p, const Shape& s) {
  const Term moved = equations::bytes(s);
  return fusesAccumulation(p) ? moved + kFusedAccumulate * s.batch * s.m * s.n : moved;
}

/// Returns the time of both gradients over that of the forward product.
Term ratioOf(const Pricing& p) {
  const std::optional<Term> own = kernelRatio(p);
  return own ? *own : p.fact(StackFact::BackwardRatio, "r");
}

/// Returns the price of a product whose forward takes `forward`.
Priced product(const Pricing& p, const Term& forward, const Term& flops, const Term& bytes) {
  const bool gradient = p.compute().role == ir::Role::DGrad || p.compute().role == ir::Role::WGrad;
  // Both gradients together cost r times the forward product.
  Priced priced = p.priced(gradient ? forward * (ratioOf(p) / 2) : forward);
  priced.flops = flops.value;
  priced.bytes = bytes.value;
  return priced;
}

} // namespace

Term productRate(const Pricing& p, ir::DType type, Size flops) {
  const Term peak = p.fact(DeviceFact::Peak, type, "P");
  const Term rate = peak * p.fact(DeviceFact::GemmEfficiency, type, "e", flops);
  if (!p.facts.device.has(DeviceFact::GemmEnergy, type)) return rate; // no energy data: full clocks
  return rate *
         equations::clocks(p.fact(DeviceFact::Power, "power"), peak, p.fact(DeviceFact::GemmEnergy, type, "energy"));
}

Priced gemm(const Pricing& p) {
  const Shape shape = shapeOf(p);
  const Term flops = equations::flops(shape);
  const GemmFacts f = factsOf(p, flops.value);
  const Term bytes = bytesOf(p, shape);
  const Term time = equations::roofline(flops, f.rate, bytes, f.bandwidth * f.memoryEfficiency, f.start);
  return product(p, time, flops, bytes);
}

namespace {

/// Returns the host's work for so many products of one operator, in launches of one operator. Further launches come
/// from a loop that does nothing else.
double launchesOf(const Pricing& p, double kernels) {
  const ir::Number* next = p.facts.stack.number(StackFact::GroupedLaunch);
  const double launch = p.facts.stack.value(StackFact::Launch, 0);
  if (kernels <= 1 || !next || launch <= 0) return kernels;
  return 1 + (kernels - 1) * next->value / launch;
}

} // namespace

Priced groupedGemm(const Pricing& p) {
  const bool oneKernel = p.facts.stack.truth(StackFact::GroupedKernel),
             slower = p.facts.stack.has(StackFact::Grouped); // than one large product
  const Shape shape = shapeOf(p);
  const bool alone = shape.batch.value <= 1; // one expert: a product like any other
  const Term kernels = oneKernel || alone ? Term(1) : shape.batch, flops = equations::flops(shape);
  const GemmFacts f = factsOf(p, flops.value / kernels.value);
  // Relative to the rate of one large product.
  const Term share = slower ? p.fact(StackFact::Grouped, "E", {p.compute().work.tokensPerExpert, units::none}) : 1;
  const Term bytes = bytesOf(p, shape);
  const auto equation = alone ? equations::roofline<Term> : equations::overlapped<Term>;
  const Term time = equation(flops, f.rate * share, bytes, f.bandwidth * f.memoryEfficiency, f.start * kernels);
  Priced priced = product(p, time, flops, bytes);
  priced.launches = launchesOf(p, kernels.value);
  return priced;
}

} // namespace planc::cost
