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

/// Returns the backward time as a multiple of the forward time. A product with two gradient nodes gives each of them
/// half.
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

/// Returns the rate in FLOP/s of products over heads of `headBytes` bytes. Tensor cores load whole vectors, so products
/// over heads of other sizes run at the fp32 rate.
Term headRate(const Pricing& p, ir::DType type, double flops, double headBytes) {
  const ir::Number* alignment = p.facts.device.number(DeviceFact::Alignment);
  const bool aligned = !alignment || std::fmod(std::round(headBytes), alignment->value) == 0;
  if (aligned || !p.facts.device.has(DeviceFact::Peak, ir::DType::fp32)) return productRate(p, type, flopSize(flops));
  p.fact(DeviceFact::Alignment, "alignment");
  return p.fact(DeviceFact::Peak, ir::DType::fp32, "P") *
         p.fact(DeviceFact::GemmEfficiency, type, "e", flopSize(flops));
}

/// The facts of a product whose result (scores) or first operand (context) is in memory.
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
  // Tables of these facts are indexed by the head dimension, which the product sums over or keeps.
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
  Term factor = 1;
  if (ofBackward(p)) {
    const std::optional<Term> own = kernelRatio(p);
    factor = backwardShare(p, own ? *own : p.fact(product.backward, "factor", sized(product.backward)));
  }
  const Term kernel = kernelRate(p);
  // Bytes that the operator states take the place of its scores.
  const bool moves = p.op().reads || p.op().writes;
  const Term moved = moves ? readsAndWrites(p, w) : p.known(scoreBytes, "bytes(scores)", units::bytes);

  const Term forward = equations::roofline(p.known(w.flops, "flops", units::flops), rate * kernel, moved,
                                           bandwidth * share * kernel, start);
  Priced priced = p.priced(forward * factor);
  priced.flops = p.compute().work.flops; // masked scores are computed and then overwritten
  priced.bytes = moved.value * factor.value;
  return priced;
}

namespace {

/// Returns the size at which a curve has its maximum.
Size bestOf(const ir::Number* curve) {
  if (!curve || curve->table.empty()) return {};
  const auto best = std::max_element(curve->table.y.begin(), curve->table.y.end());
  return {curve->table.x[static_cast<size_t>(best - curve->table.y.begin())], units::none};
}

/// Returns the share of the curve's rate that the clocks of long training leave. The device limits power over many
/// milliseconds, longer than one kernel. So the share follows from the kernel's power at its best size, for every
/// length, and not from the peak of products.
Term clocksOf(const Pricing& p) {
  if (!p.facts.device.has(DeviceFact::AttentionEnergy)) return 1;
  const Size best = bestOf(p.facts.device.number(DeviceFact::AttentionForward));
  return equations::clocks(p.fact(DeviceFact::Power, "power"), p.fact(DeviceFact::AttentionForward, "best", best),
                           p.fact(DeviceFact::AttentionEnergy, "energy"));
}

} // namespace

namespace {

/// Returns the factor on the device's curve. A stack can state it for the kernel of an operator: a kernel that gathers
/// rows by index, or one of an unusual head size, is no point of the curves of dense kernels.
Term kernelFactor(const Pricing& p, const Size& headSize) {
  if (p.facts.stack.has(StackFact::RatesForward, p.op().name)) return kernelRate(p);
  // Narrow heads can slow the stack's kernel more or less than the kernel that the device was measured with.
  Term head = 1;
  if (p.facts.stack.has(StackFact::AttentionHead))
    head = p.fact(StackFact::AttentionHead, "head", headSize);
  else if (p.facts.device.has(DeviceFact::AttentionHead) || headSize.value != equations::kCurveHeadDim)
    head = p.fact(DeviceFact::AttentionHead, "head", headSize);
  return head * p.fact(StackFact::AttentionFactor, "stack");
}

/// Returns backward over forward. The stack's kernel has its own ratio if it is not the kernel that the device was
/// measured with.
Term kernelBackward(const Pricing& p, const Size& headSize) {
  if (!ofBackward(p)) return 1;
  if (const std::optional<Term> own = kernelRatio(p)) return *own;
  if (p.facts.stack.has(StackFact::AttentionBackward)) return p.fact(StackFact::AttentionBackward, "factor");
  return p.fact(DeviceFact::AttentionBackward, "factor", headSize);
}

/// Returns the rate over the curve of a kernel that has a part of the queries or keys.
Term splitFactor(const Pricing& p) {
  return p.facts.stack.has(StackFact::AttentionSplit) ? p.fact(StackFact::AttentionSplit, "split")
                                                      : p.fact(DeviceFact::AttentionSplit, "split");
}

/// Returns the bandwidth at which the operator's kernel moves what the operator states.
Term streamed(const Pricing& p, const ir::LocalWork& w) {
  return p.fact(DeviceFact::MemoryEfficiency, "efficiency", byteSize(w.reads + w.writes)) *
         p.fact(DeviceFact::Bandwidth, "B") * kernelRate(p);
}

} // namespace

Priced fusedAttention(const Pricing& p) {
  const ir::LocalWork& w = forwardWork(p);
  // If a window leaves a query fewer keys, its blocks are as short as the blocks of a short causal sequence.
  const Size keys{std::min(w.sequence, 2 * w.share * w.sequence), units::none};
  const Term curve = p.fact(DeviceFact::AttentionForward, "curve", keys);
  const Size headSize{w.headDim, units::none};
  const Term factor = kernelFactor(p, headSize);
  const Term split = w.sequenceSplit ? splitFactor(p) : 1;
  const Term start = p.fact(DeviceFact::AttentionStart, "start");
  const Term backward = kernelBackward(p, headSize);

  if (p.why && p.op().packed != 1)
    p.note("documents", fmt::format("the query of a token has {:.6g} keys in the mean: flops count only these, and the "
                                    "curve is read at this length",
                                    w.sequence));
  const Term useful = p.known(w.flops, "flops", units::flops) * p.known(w.share, "share");
  const Term rate = curve * factor * split * clocksOf(p);
  // Queries, keys, values and results are part of the measured rate; what an operator states beside them is not: scores
  // that are written, rows that are gathered for each query.
  const bool moves = p.op().reads || p.op().writes;
  const Term forward = moves ? equations::roofline(useful, rate, readsAndWrites(p, w), streamed(p, w), start)
                             : equations::fused(useful, rate, start);
  Priced priced = p.priced(forward * backwardShare(p, backward));
  priced.flops = p.compute().work.flops * p.compute().work.share; // blocks that are masked as a whole are skipped
  priced.bytes = p.compute().work.reads + p.compute().work.writes;
  return priced;
}

} // namespace planc::cost
