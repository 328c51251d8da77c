// The two products of unfused attention, and the fused kernel on its measured curve (docs/cost-model.md, section 1.3).
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

/// Times of the backward pass are a multiple of the forward's. A product whose gradients are two nodes gives each half.
double backwardShare(const Pricing& p, double factor) {
  switch (p.node.role) {
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
  return p.node.role != ir::Role::Forward;
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

  const double peak = p.fact(DeviceFact::Peak, w.dtype, "P");
  const double efficiency = p.fact(DeviceFact::GemmEfficiency, w.dtype, "e", flopSize(w.flops));
  const double memory = p.fact(DeviceFact::Bandwidth, "B");
  const double scoreBytes = scores ? w.resultBytes : w.firstOperandBytes;
  // A table of these goes by the dimension that the product sums over or keeps: the head's.
  const double head = w.flops * ir::width(w.dtype) / (2 * scoreBytes);
  auto sized = [&](DeviceFact id) {
    const ir::Number* fact = device.number(id);
    return fact && !fact->table.empty() ? Size{head, units::none} : byteSize(scoreBytes);
  };
  double share = p.fact(product.memoryEfficiency, "f", sized(product.memoryEfficiency));
  const bool bySize = device.has(product.size);
  if (bySize) share *= p.fact(product.size, "size", byteSize(scoreBytes));
  const double start = p.fact(DeviceFact::GemmStart, w.dtype, "t0");
  const double factor =
      ofBackward(p) ? backwardShare(p, p.fact(product.backward, "factor", sized(product.backward))) : 1;

  const double math = w.flops / (peak * efficiency), move = scoreBytes / (memory * share);
  Priced priced;
  priced.seconds = equations::roofline(w.flops, peak * efficiency, scoreBytes, memory * share, start) * factor;
  priced.bound = start > std::max(math, move) ? Bound::Launch : math >= move ? Bound::Compute : Bound::Memory;
  priced.flops = p.node.work.flops;
  priced.bytes = scoreBytes * factor;
  if (p.why)
    p.explain(fmt::format("{}max(flops / (P·e), bytes(scores) / (B·f{})) + t0{}", ofBackward(p) ? "(" : "",
                          bySize ? "·size" : "", ofBackward(p) ? ") · factor" : ""),
              fmt::format("max({} / {}, {} / {}) + {}{} = {}", flops(w.flops), rate(peak * efficiency),
                          bytes(scoreBytes), bandwidth(memory * share), seconds(start),
                          ofBackward(p) ? fmt::format(", times {}", number(factor)) : "", seconds(priced.seconds)));
  return priced;
}

Priced fusedAttention(const Pricing& p) {
  const ir::LocalWork& w = forwardWork(p);
  const double achieved = p.fact(DeviceFact::AttentionForward, "curve", {w.sequence, units::none});
  // The stack's kernel may lose less or more to narrow heads than the one the device was measured with.
  const Size headSize{w.headDim, units::none};
  double head = 1;
  if (p.facts.stack.has(StackFact::AttentionHead))
    head = p.fact(StackFact::AttentionHead, "head", headSize);
  else if (p.facts.device.has(DeviceFact::AttentionHead) || w.headDim != equations::kCurveHeadDim)
    head = p.fact(DeviceFact::AttentionHead, "head", headSize);
  const double factor = p.fact(StackFact::AttentionFactor, "stack");
  const double split = w.sequenceSplit ? p.fact(DeviceFact::AttentionSplit, "split") : 1;
  const double start = p.fact(DeviceFact::AttentionStart, "start");
  // The stack's kernel has its own ratio where it is not the one the device was measured with.
  const double backward = !ofBackward(p) ? 1
                          : p.facts.stack.has(StackFact::AttentionBackward)
                              ? p.fact(StackFact::AttentionBackward, "factor")
                              : p.fact(DeviceFact::AttentionBackward, "factor", headSize);

  const double useful = w.flops * w.share, reached = achieved * head * factor * split;
  Priced priced;
  priced.seconds = equations::fused(useful, reached, start) * backwardShare(p, backward);
  priced.bound = start > useful / reached ? Bound::Launch : Bound::Compute;
  priced.flops = p.node.work.flops;
  priced.bytes = p.node.work.reads + p.node.work.writes;
  if (p.why)
    p.explain(ofBackward(p) ? "(flops · share / (curve · head · stack · split) + start) · factor"
                            : "flops · share / (curve · head · stack · split) + start",
              fmt::format("{} · {} / {} + {}{} = {}", flops(w.flops), number(w.share), rate(reached), seconds(start),
                          ofBackward(p) ? fmt::format(", times {}", number(backwardShare(p, backward))) : "",
                          seconds(priced.seconds)));
  return priced;
}

} // namespace planc::cost
