// The two products of unfused attention, and the fused kernel on its measured curve (docs/cost-model.md, section 1.3).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/price/Equations.h"
#include "backends/cost/price/Operators.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/facts/StackFacts.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

namespace planc::cost {

using ir::DeviceFact;
using ir::StackFact;

namespace {

/// Times of the backward pass are a multiple of the forward's. A product whose gradients are two nodes gives each half.
Term backwardShare(const Pricing& p, const Term& factor) {
  switch (p.compute().role) {
  case ir::Role::Backward:
    return factor;
  case ir::Role::DGrad:
  case ir::Role::WGrad:
    return factor / 2;
  default:
    return 1;
  }
}

bool ofBackward(const Pricing& p) {
  return p.compute().role != ir::Role::Forward;
}

/// The rate of products over heads of so many bytes: matrix units read whole vectors, of other heads the others
/// compute.
Term headRate(const Pricing& p, ir::DType type, double flops, double headBytes) {
  const ir::Number* alignment = p.facts.device.number(DeviceFact::Alignment);
  const bool aligned = !alignment || std::fmod(std::round(headBytes), alignment->value) == 0;
  if (aligned || !p.facts.device.has(DeviceFact::Peak, ir::DType::fp32)) return productRate(p, type, flopSize(flops));
  p.fact(DeviceFact::Alignment, "alignment");
  return p.fact(DeviceFact::Peak, ir::DType::fp32, "P") *
         p.fact(DeviceFact::GemmEfficiency, type, "e", flopSize(flops));
}

/// The facts of a product whose result or first operand stands in memory.
struct ProductFacts {
  DeviceFact memoryEfficiency, backward, size;
};
constexpr ProductFacts kScores{DeviceFact::ScoresMemoryEfficiency, DeviceFact::ScoresBackward, DeviceFact::ScoresSize};
constexpr ProductFacts kContext{DeviceFact::ContextMemoryEfficiency, DeviceFact::ContextBackward,
                                DeviceFact::ContextSize};

} // namespace

Priced scoresProduct(const Pricing& p) {
  const ir::LocalWork& w = forwardWork(p);
  const ir::Device& device = p.facts.device;
  const bool scores = p.op().kind == ir::OpKind::Scores;
  const ProductFacts& product = scores ? kScores : kContext;

  const double scoreBytes = scores ? w.resultBytes : w.firstOperandBytes;
  // A table of these goes by the dimension that the product sums over or keeps: the head's.
  const double head = w.flops * ir::width(w.dtype) / (2 * scoreBytes);
  const Term rate = headRate(p, w.dtype, w.flops, head * ir::width(w.dtype));
  const Term bandwidth = p.fact(DeviceFact::Bandwidth, "B");
  auto sized = [&](DeviceFact id) {
    const ir::Number* fact = device.number(id);
    return fact && !fact->table.empty() ? Size{head, units::none} : byteSize(scoreBytes);
  };
  Term share = p.fact(product.memoryEfficiency, "f", sized(product.memoryEfficiency));
  if (device.has(product.size)) share *= p.fact(product.size, "size", byteSize(scoreBytes));
  const Term start = p.fact(DeviceFact::GemmStart, w.dtype, "t0");
  const Term factor = ofBackward(p) ? backwardShare(p, p.fact(product.backward, "factor", sized(product.backward))) : 1;

  const Term forward =
      equations::roofline(p.known(w.flops, "flops", units::flops), rate,
                          p.known(scoreBytes, "bytes(scores)", units::bytes), bandwidth * share, start);
  Priced priced = p.priced(forward * factor);
  priced.flops = p.compute().work.flops; // masked scores are computed, and overwritten after that
  priced.bytes = scoreBytes * factor.value;
  return priced;
}

namespace {

/// Where a curve is highest.
Size bestOf(const ir::Number* curve) {
  if (!curve || curve->table.empty()) return {};
  const auto best = std::max_element(curve->table.y.begin(), curve->table.y.end());
  return {curve->table.x[static_cast<size_t>(best - curve->table.y.begin())], units::none};
}

/// Of the curve's rate, what the clocks of long training leave. Power is held over many milliseconds, longer than a
/// kernel: so they go by what the kernel draws at its best, at every length, and not by the peak of products.
Term clocksOf(const Pricing& p) {
  if (!p.facts.device.has(DeviceFact::AttentionEnergy)) return 1;
  const Size best = bestOf(p.facts.device.number(DeviceFact::AttentionForward));
  return equations::clocks(p.fact(DeviceFact::Power, "power"), p.fact(DeviceFact::AttentionForward, "best", best),
                           p.fact(DeviceFact::AttentionEnergy, "energy"));
}

} // namespace

Priced fusedAttention(const Pricing& p) {
  const ir::LocalWork& w = forwardWork(p);
  // Where a window leaves a query fewer keys, its blocks are as short as those of a short causal sequence.
  const Size keys{std::min(w.sequence, 2 * w.share * w.sequence), units::none};
  const Term curve = p.fact(DeviceFact::AttentionForward, "curve", keys);
  // The stack's kernel may lose less or more to narrow heads than the one the device was measured with.
  const Size headSize{w.headDim, units::none};
  Term head = 1;
  if (p.facts.stack.has(StackFact::AttentionHead))
    head = p.fact(StackFact::AttentionHead, "head", headSize);
  else if (p.facts.device.has(DeviceFact::AttentionHead) || w.headDim != equations::kCurveHeadDim)
    head = p.fact(DeviceFact::AttentionHead, "head", headSize);
  const Term stack = p.fact(StackFact::AttentionFactor, "stack");
  const Term split = w.sequenceSplit ? p.fact(DeviceFact::AttentionSplit, "split") : 1;
  const Term start = p.fact(DeviceFact::AttentionStart, "start");
  // The stack's kernel has its own ratio where it is not the one the device was measured with.
  const Term backward = !ofBackward(p) ? 1
                        : p.facts.stack.has(StackFact::AttentionBackward)
                            ? p.fact(StackFact::AttentionBackward, "factor")
                            : p.fact(DeviceFact::AttentionBackward, "factor", headSize);

  if (p.why && p.op().packed != 1)
    p.note("documents",
           fmt::format("the one of a token has {:.6g} keys on the mean: flops count no others, and the curve "
                       "is read there",
                       w.sequence));
  const Term useful = p.known(w.flops, "flops", units::flops) * p.known(w.share, "share");
  Priced priced = p.priced(equations::fused(useful, curve * head * stack * split * clocksOf(p), start) *
                           backwardShare(p, backward));
  priced.flops = p.compute().work.flops * p.compute().work.share; // blocks that are masked as a whole are skipped
  priced.bytes = p.compute().work.reads + p.compute().work.writes;
  return priced;
}

} // namespace planc::cost
