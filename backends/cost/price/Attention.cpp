// The two products of unfused attention, and the fused kernel on its measured curve (docs/cost-model.md, section 1.3).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/price/Equations.h"
#include "backends/cost/price/Operators.h"

#include <algorithm>

namespace planc::cost {

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

} // namespace

Priced scoresProduct(const Pricing& p) {
  const ir::LocalWork& w = forwardWork(p);
  const ir::Device& device = p.facts.device;
  const bool scores = p.op().kind == ir::OpKind::Scores;
  const std::string_view kind = scores ? "calibration.scores" : "calibration.context";
  const ir::Device::Product& product = scores ? device.scores : device.context;
  const std::string_view type = ir::name(w.dtype);
  static const ir::Device::Gemm kNone;
  const auto found = device.gemm.find(w.dtype);
  const ir::Device::Gemm& gemm = found == device.gemm.end() ? kNone : found->second;

  const double peak = p.device(pointer(device.peak, w.dtype), "P", {"peak", type});
  const double efficiency = p.device(gemm.efficiency, "e", {"calibration.gemm", type, "efficiency"}, flopSize(w.flops));
  const double memory = p.device(device.bandwidth, "B", {"bandwidth"});
  const double scoreBytes = scores ? w.resultBytes : w.firstOperandBytes;
  // A table of these goes by the dimension that the product sums over or keeps: the head's.
  const double head = w.flops * ir::width(w.dtype) / (2 * scoreBytes);
  auto sized = [&](const ir::OptNumber& fact) {
    return fact && !fact->table.empty() ? Size{head, units::none} : byteSize(scoreBytes);
  };
  double share = p.device(product.memoryEfficiency, "f", {kind, "memory_efficiency"}, sized(product.memoryEfficiency));
  if (!product.size.empty())
    share *= p.curve(product.size, p.facts.deviceOwner(), "size", {kind, "size"}, scoreBytes, units::bytes);
  const double start = p.device(gemm.start, "t0", {"calibration.gemm", type, "start"});
  const double factor =
      ofBackward(p)
          ? backwardShare(p, p.device(product.backward, "factor", {kind, "backward"}, sized(product.backward)))
          : 1;

  const double math = w.flops / (peak * efficiency), move = scoreBytes / (memory * share);
  Priced priced;
  priced.seconds = equations::roofline(w.flops, peak * efficiency, scoreBytes, memory * share, start) * factor;
  priced.bound = start > std::max(math, move) ? Bound::Launch : math >= move ? Bound::Compute : Bound::Memory;
  priced.flops = p.node.work.flops;
  priced.bytes = scoreBytes * factor;
  if (p.why)
    p.explain(fmt::format("{}max(flops / (P·e), bytes(scores) / (B·f{})) + t0{}", ofBackward(p) ? "(" : "",
                          product.size.empty() ? "" : "·size", ofBackward(p) ? ") · factor" : ""),
              fmt::format("max({} / {}, {} / {}) + {}{} = {}", flops(w.flops), rate(peak * efficiency),
                          bytes(scoreBytes), bandwidth(memory * share), seconds(start),
                          ofBackward(p) ? fmt::format(", times {}", number(factor)) : "", seconds(priced.seconds)));
  return priced;
}

Priced fusedAttention(const Pricing& p) {
  const ir::LocalWork& w = forwardWork(p);
  const ir::Device::Attention& device = p.facts.device.attention;
  const ir::Stack& stack = p.facts.stack;
  double achieved = 1, head = 1;
  if (device.forward.empty()) {
    p.facts.missing(p.facts.deviceOwner(), {"calibration.attention.forward"}, p.requester());
  } else {
    achieved = p.curve(device.forward, p.facts.deviceOwner(), "curve", {"calibration.attention.forward"}, w.sequence);
  }
  // The stack's kernel may lose less or more to narrow heads than the one the device was measured with.
  const bool own = !stack.attentionHead.empty();
  const ir::Curve& heads = own ? stack.attentionHead : device.head;
  if (!heads.empty()) {
    head = p.curve(heads, own ? p.facts.stackOwner() : p.facts.deviceOwner(), "head",
                   {own ? "attention" : "calibration.attention", "head"}, w.headDim);
  } else if (w.headDim != equations::kCurveHeadDim) {
    p.facts.missing(p.facts.deviceOwner(), {"calibration.attention.head"}, p.requester());
  }
  const double factor = p.stack(stack.attentionFactor, "stack", {"attention.factor"});
  const double split = w.sequenceSplit ? p.device(device.split, "split", {"calibration.attention.split"}) : 1;
  const double start = p.device(device.start, "start", {"calibration.attention.start"});
  // The stack's kernel has its own ratio where it is not the one the device was measured with.
  const double backward =
      !ofBackward(p) ? 1
      : stack.attentionBackward
          ? p.stack(stack.attentionBackward, "factor", {"attention.backward"})
          : p.device(device.backward, "factor", {"calibration.attention.backward"}, {w.headDim, units::none});

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
