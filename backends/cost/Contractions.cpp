// Matrix products on the roofline of their type, plain and by expert (docs/cost-model.md, sections 1.1, 1.5).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/Equations.h"
#include "backends/cost/Operators.h"

#include <algorithm>

namespace planc::cost {

namespace {

// Structure of the equations, not measured: the 16-bit gradient of an expert's weights, and what wgrad moves beyond a
// 16-bit result when it adds into an fp32 main gradient, 4 B read and 4 B written in its place (docs/cost-model.md,
// sections 1.1 and 1.5).
constexpr double kResultWidth = 2;
constexpr double kFusedAccumulate = 6;

struct GemmFacts {
  double peak = 1, efficiency = 1, memoryEfficiency = 1, start = 0, bandwidth = 1;
};

GemmFacts factsOf(const Pricing& p, double flopCount) {
  const ir::DType dtype = p.node.work.dtype;
  const ir::Device& device = p.facts.device;
  const std::string_view type = ir::name(dtype);
  static const ir::Device::Gemm kNone;
  const auto found = device.gemm.find(dtype);
  const ir::Device::Gemm& gemm = found == device.gemm.end() ? kNone : found->second;
  GemmFacts f;
  f.peak = p.device(pointer(device.peak, dtype), "P", {"peak", type});
  f.efficiency = p.device(gemm.efficiency, "e", {"calibration.gemm", type, "efficiency"}, flopSize(flopCount));
  f.bandwidth = p.device(device.bandwidth, "B", {"bandwidth"});
  f.memoryEfficiency = p.device(gemm.memoryEfficiency, "f", {"calibration.gemm", type, "memory_efficiency"});
  f.start = p.device(gemm.start, "t0", {"calibration.gemm", type, "start"});
  return f;
}

bool fusesAccumulation(const Pricing& p) {
  if (p.node.role != ir::Role::WGrad) return false;
  if (!p.facts.stack.accumulate) p.facts.missing(p.facts.stackOwner(), {"accumulate"}, p.asker());
  return p.facts.stack.accumulate == ir::Accumulate::Fused;
}

/// The roofline with its start; `ratio` of a gradient against its forward product.
Priced roofline(const Pricing& p, double flopCount, double rateOf, double byteCount, double bandwidthOf, double start) {
  const bool gradient = p.node.role == ir::Role::DGrad || p.node.role == ir::Role::WGrad;
  // Both gradients together cost r times the forward product.
  const double ratio = gradient ? p.stack(p.facts.stack.backwardRatio, "r", {"backward_ratio"}) / 2 : 1;
  const double math = flopCount / rateOf, memory = byteCount / bandwidthOf;
  Priced priced;
  priced.seconds = equations::roofline(flopCount, rateOf, byteCount, bandwidthOf, start) * ratio;
  priced.bound = start > std::max(math, memory) ? Bound::Launch : math >= memory ? Bound::Compute : Bound::Memory;
  priced.flops = flopCount;
  priced.bytes = byteCount;
  if (p.why)
    p.why->substituted = fmt::format("max({} / {}, {} / {}) + {}{} = {}", flops(flopCount), rate(rateOf),
                                     bytes(byteCount), bandwidth(bandwidthOf), seconds(start),
                                     gradient ? fmt::format(", times {}", number(ratio)) : "", seconds(priced.seconds));
  return priced;
}

} // namespace

Priced gemm(const Pricing& p) {
  const ir::LocalWork& w = p.node.work;
  const equations::Product product{w.batch, w.m, w.n, w.k, w.operandWidth};
  const double flopCount = equations::flops(product);
  const GemmFacts f = factsOf(p, flopCount);
  double byteCount = equations::bytes(product);
  const bool fused = fusesAccumulation(p);
  if (fused) byteCount += kFusedAccumulate * w.batch * w.m * w.n;
  const Priced priced =
      roofline(p, flopCount, f.peak * f.efficiency, byteCount, f.bandwidth * f.memoryEfficiency, f.start);
  if (p.why)
    p.why->equation = fmt::format("max(2·b·m·n·k / (P·e), b·(w·(m·k + k·n) + 2·m·n{}) / (B·f)) + t0{}  with b = {}, m "
                                  "= {}, n = {}, k = {}, w = {} B",
                                  fused ? " + 6·m·n" : "", p.node.role == ir::Role::Forward ? "" : ", times r/2",
                                  number(w.batch), number(w.m), number(w.n), number(w.k), number(w.operandWidth));
  return priced;
}

Priced groupedGemm(const Pricing& p) {
  const ir::LocalWork& w = p.node.work;
  const double flopCount = equations::flops({w.batch, w.m, w.n, w.k, w.operandWidth});
  const GemmFacts f = factsOf(p, flopCount);
  const ir::Curve& curve = p.facts.stack.grouped;
  double share = 1;
  if (curve.empty()) {
    p.facts.missing(p.facts.stackOwner(), {"grouped"}, p.asker());
  } else {
    share = p.curve(curve, p.facts.stackOwner(), "E", {"grouped"}, w.tokensPerExpert);
  }
  // Few tokens per expert: what is moved is the experts' weights (of wgrad: their gradients).
  const bool wgrad = p.node.role == ir::Role::WGrad;
  const double byteCount = wgrad ? w.batch * w.m * w.n * (kResultWidth + (fusesAccumulation(p) ? kFusedAccumulate : 0))
                                 : w.batch * w.k * w.n * w.operandWidth;
  const Priced priced =
      roofline(p, flopCount, f.peak * f.efficiency * share, byteCount, f.bandwidth * f.memoryEfficiency, f.start);
  if (p.why)
    p.why->equation = fmt::format(
        "max(2·b·m·n·k / (P·e·E), weight bytes / (B·f)) + t0{}  with b = {} experts, m = {}, n = {}, k = {}",
        p.node.role == ir::Role::Forward ? "" : ", times r/2", number(w.batch), number(w.m), number(w.n), number(w.k));
  return priced;
}

} // namespace planc::cost
