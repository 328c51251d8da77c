// FLOPs of the matrix products over the best rate that the equations of price/ can give on the device.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/bounds/ProductWork.h"

#include "backends/cost/bounds/Rounding.h"
#include "backends/cost/price/Equations.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/facts/StackFacts.h"
#include "ir/layout/Routed.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace planc::cost {

using ir::DeviceFact;
using ir::OpKind;
using ir::StackFact;

namespace {

/// Types and gradients of one operator, collected from its nodes.
struct SeenProducts {
  std::vector<ir::DType> types;
  double gradients = 0; ///< share of its backward that is computed
};

/// Returns whether the node computes the operator or its gradients, and does not only move data for it.
bool isRun(ir::Role role) {
  return role == ir::Role::Forward || role == ir::Role::DGrad || role == ir::Role::WGrad || role == ir::Role::Backward;
}

void see(SeenProducts& seen, const ir::Compute& compute, bool& dgrad, bool& wgrad, bool& backward) {
  dgrad |= compute.role == ir::Role::DGrad;
  wgrad |= compute.role == ir::Role::WGrad;
  backward |= compute.role == ir::Role::Backward;
  if (!llvm::is_contained(seen.types, compute.work.dtype)) seen.types.push_back(compute.work.dtype);
}

/// Collects the products of all classes. A gradient counts only as far as every class of the layer computes it.
std::map<ir::OpId, SeenProducts> seenIn(const ir::Program& program) {
  std::map<ir::OpId, SeenProducts> all;
  std::map<ir::OpId, bool> met;
  for (const ir::LayerClass& layerClass : program.classes) {
    struct Roles {
      bool dgrad = false, wgrad = false, backward = false;
    };
    std::map<ir::OpId, Roles> roles;
    const auto visit = [&](const ir::Node& node) {
      const ir::Compute* compute = node.asCompute();
      if (!compute || !node.op.valid() || node.phase == ir::Phase::Recompute || !isRun(compute->role)) return;
      if (!ir::isProduct(program.model->ops[node.op].kind)) return;
      Roles& r = roles[node.op];
      see(all[node.op], *compute, r.dgrad, r.wgrad, r.backward);
    };
    for (const ir::Node& node : *layerClass.forward) visit(node);
    for (const ir::Node& node : *layerClass.backward) visit(node);
    for (const auto& [op, r] : roles) {
      const double share = r.backward ? 1 : 0.5 * r.dgrad + 0.5 * r.wgrad;
      SeenProducts& seen = all[op];
      seen.gradients = met[op] ? std::min(seen.gradients, share) : share;
      met[op] = true;
    }
  }
  return all;
}

double mostOf(const ir::Number* fact, double otherwise) {
  if (!fact) return otherwise;
  return fact->table.empty() ? fact->value : *std::max_element(fact->table.y.begin(), fact->table.y.end());
}
double leastOf(const ir::Number* fact) {
  if (!fact) return 0;
  return fact->table.empty() ? fact->value : *std::min_element(fact->table.y.begin(), fact->table.y.end());
}

/// Returns the largest share of full clocks that long training leaves to a kernel of this rate (at full clocks).
double clocksOf(const ir::Device& device, const ir::Number* energy, double rate) {
  const ir::Number* power = device.number(DeviceFact::Power);
  return energy && power && std::isfinite(rate) ? equations::clocks(power->value, rate, energy->value) : 1;
}

/// Returns an upper bound in FLOP/s for products of this kind; infinite if the device states no rate.
double ceilingOf(const ProductsOfKind& products, const ir::Device& device, const ir::Stack& stack) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  if (products.kind == OpKind::Attention) {
    const double best = mostOf(device.number(DeviceFact::AttentionForward), kNone);
    return best * clocksOf(device, device.number(DeviceFact::AttentionEnergy), best) *
           (stack.has(StackFact::AttentionHead) ? mostOf(stack.number(StackFact::AttentionHead), 1)
                                                : std::max(1.0, mostOf(device.number(DeviceFact::AttentionHead), 1))) *
           mostOf(stack.number(StackFact::AttentionFactor), kNone) *
           std::max(1.0, stack.has(StackFact::AttentionSplit) ? mostOf(stack.number(StackFact::AttentionSplit), 1)
                                                              : mostOf(device.number(DeviceFact::AttentionSplit), 1));
  }
  double most = 0;
  for (const ir::DType type : products.types) {
    const double peak = mostOf(device.number(DeviceFact::Peak, type), kNone);
    most = std::max(most, peak * mostOf(device.number(DeviceFact::GemmEfficiency, type), kNone) *
                              clocksOf(device, device.number(DeviceFact::GemmEnergy, type), peak));
  }
  const double grouped = products.kind == OpKind::GroupedGemm ? mostOf(stack.number(StackFact::Grouped), 1) : 1;
  return most > 0 ? most * std::max(1.0, grouped) : kNone;
}

/// Returns the lower bound of the ratio of backward to forward time.
double backwardOf(OpKind kind, const ir::Device& device, const ir::Stack& stack) {
  switch (kind) {
  case OpKind::Attention:
    return leastOf(stack.has(StackFact::AttentionBackward) ? stack.number(StackFact::AttentionBackward)
                                                           : device.number(DeviceFact::AttentionBackward));
  case OpKind::Scores:
    return leastOf(device.number(DeviceFact::ScoresBackward));
  case OpKind::Context:
    return leastOf(device.number(DeviceFact::ContextBackward));
  default:
    return leastOf(stack.number(StackFact::BackwardRatio));
  }
}

} // namespace

ProductWork productWork(const ir::Program& program) {
  ProductWork work;
  const ir::Model& model = program.model;
  const double samples = static_cast<double>(program.plan->workload.globalBatch);
  if (samples <= 0) return work;
  work.tokensPerSample = model.tokensPerSample();
  std::map<std::pair<OpKind, std::vector<ir::DType>>, ProductsOfKind> kinds;
  for (const auto& [id, seen] : seenIn(program)) {
    const ir::Op& op = model.ops[id];
    const double flops = ir::flopsOf(program, op) * static_cast<double>(model.times(op.region)) *
                         static_cast<double>(program.microBatches) / samples *
                         (op.kind == OpKind::Gemm || op.kind == OpKind::GroupedGemm ? 1 : op.share);
    ProductsOfKind& kind = kinds[{op.kind, seen.types}];
    kind.kind = op.kind;
    kind.types = seen.types;
    kind.flops += flops;
    kind.gradientFlops += flops * seen.gradients;
  }
  for (auto& [key, kind] : kinds) work.kinds.push_back(std::move(kind));
  return work;
}

double productFloor(const ProductWork& work, const ir::Plan& plan) {
  if (!plan.workload.hasBackward() || !plan.stack || !plan.cluster || plan.mesh.levelSizes.empty()) return 0;
  double seconds = 0; // per sample, on one device
  for (const ProductsOfKind& kind : work.kinds)
    seconds += (kind.flops + kind.gradientFlops * backwardOf(kind.kind, plan.cluster->device, *plan.stack)) /
               ceilingOf(kind, plan.cluster->device, *plan.stack);
  const ir::Number* factor = plan.stack->number(StackFact::Unattributed);
  return kRoundedDown * (factor ? factor->value : 1) * seconds * static_cast<double>(plan.workload.globalBatch) /
         static_cast<double>(plan.mesh.levelSizes.back());
}

} // namespace planc::cost
