// Totals of a step: compute, exposed communication, slowed, launches, bubble, optimizer, overhead and straggler of the
// critical stage.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/result/Totals.h"

#include "backends/cost/facts/Facts.h"
#include "backends/cost/price/Buckets.h"
#include "backends/cost/result/Confidence.h"
#include "backends/cost/result/Rows.h"
#include "backends/cost/simulate/Stragglers.h"
#include "ir/facts/ClusterFacts.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/facts/StackFacts.h"
#include "ir/layout/Routed.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

namespace planc::cost {

namespace {

constexpr double kSecondsPerHour = 3600;
constexpr double kTrillion = 1e12;
/// By convention, the backward of a matrix product counts twice its forward FLOPs (arXiv 2104.04473, appendix).
constexpr double kTrainingPasses = 3;

bool movesOnly(ir::Role role) {
  return role == ir::Role::Accumulate || role == ir::Role::Cast || role == ir::Role::Save;
}

ir::DType typeOf(const ir::Program& program, const ir::Op& op) {
  return ir::arithmetic(program.computeType(op));
}

FlopsByType scaled(FlopsByType flops, double by) {
  for (auto& [type, n] : flops) n *= by;
  return flops;
}

/// Returns the share of an operator's FLOPs that model FLOPs count: all but what windows, chunks and choices leave out;
/// `causal`: without what any mask removes.
double counted(const ir::Op& op, bool causal) {
  if (!ir::isAttention(op.kind)) return 1;
  return causal ? std::min(op.share, op.countedShare) : op.countedShare;
}

/// Returns the model FLOPs of a step with frozen parameters: the products that its gradients need. Forward counts once,
/// backward counts the nodes of the classes, recomputation is left out.
FlopsByType tunedFlops(const ir::Program& program, bool causal) {
  const ir::Model& model = program.model;
  FlopsByType sum;
  for (const ir::VirtualStage& vs : program.virtualStages)
    for (const auto& part : instancesOf(program.kindOf(vs.index))) {
      const ir::LayerClass& layerClass = program.classes[part.first];
      const auto count = static_cast<double>(part.second);
      auto add = [&](const ir::Node& n) {
        const ir::Compute* c = n.asCompute();
        if (!c || !n.op.valid() || n.phase == ir::Phase::Recompute) return;
        const ir::Op& op = model.ops[n.op];
        if (!ir::isProduct(op.kind) || movesOnly(c->role)) return;
        const double flops = ir::modelFlopsOf(program, op) * counted(op, causal);
        // One product per gradient. A backward node of attention computes the gradients of both operands.
        const double products = c->role == ir::Role::Backward ? kTrainingPasses - 1 : 1;
        sum[typeOf(program, op)] += flops * products * n.times * count;
      };
      for (const ir::Node& n : layerClass.forward) add(n);
      for (const ir::Node& n : layerClass.backward) add(n);
    }
  return scaled(sum, static_cast<double>(program.microBatches));
}

/// FLOPs of the model per step on all devices, matrix products only. `causal` leaves out masked FLOPs.
struct ModelFlops {
  FlopsByType whole, causal;
};

/// Returns by value whether a gradient would flow on from it. `carried`: by value, whether a gradient flows on from it
/// in the previous instance of the repeat. Carried values begin an instance with it.
std::vector<bool> flowsOf(const ir::Model& model, const std::vector<bool>& carried) {
  std::vector<bool> flows(model.values.size(), true);
  for (const ir::Op& op : model.ops) {
    const auto passesOn = [&](const ir::Operand& o) { return flows[o.value.index] && model.passesGradient(op, o); };
    flows[op.result.index] = llvm::any_of(op.operands, passesOn);
    for (const ir::Carry& c : model.layers[op.layer].carries)
      if (c.inside == op.result && carried[c.last.index]) flows[op.result.index] = true;
  }
  return flows;
}

/// Returns how often a training step computes each product of the model, by operator: once forward, and once per
/// operand with a gradient. Parameters and inputs count as operands with a gradient, whether they are trained or not;
/// what integers and detached operands cut off does not.
std::vector<double> passesOfProducts(const ir::Model& model) {
  const std::vector<bool> first = flowsOf(model, std::vector<bool>(model.values.size()));
  // Each instance begins with the gradient that the end of the instance before it passes on. A value carried through
  // several repeats settles in as many sweeps.
  std::vector<bool> later = first;
  for (std::vector<bool> before; before != later;) before = later, later = flowsOf(model, before);
  const std::vector<bool> reaches = model.reachesLoss();
  std::vector<double> passes;
  for (const ir::Op& op : model.ops) {
    const auto gradients = [&](const std::vector<bool>& flows) {
      const auto passesOn = [&](const ir::Operand& o) { return flows[o.value.index] && model.passesGradient(op, o); };
      if (!reaches[op.result.index]) return 0.0;
      if (!ir::isContraction(op.kind)) return llvm::any_of(op.operands, passesOn) ? kTrainingPasses - 1 : 0;
      const std::span factors = std::span(op.operands).first(std::min<size_t>(2, op.operands.size()));
      return static_cast<double>(std::ranges::count_if(factors, passesOn));
    };
    const ir::Layer& layer = model.layers[op.layer];
    const auto count = layer.repeat ? static_cast<double>(layer.count) : 1;
    passes.push_back(1 + (gradients(first) + (count - 1) * gradients(later)) / count);
  }
  return passes;
}

/// Returns the share of attention's model FLOPs that no mask removes; 1 if nothing is masked.
double unmaskedShare(const ir::Program& program) {
  const ir::Model& model = program.model;
  double whole = 0, left = 0;
  for (const ir::Op& op : model.ops) {
    if (!ir::isAttention(op.kind)) continue;
    const double all = ir::modelFlopsOf(program, op) * static_cast<double>(model.times(op.region));
    whole += all * counted(op, false);
    left += all * counted(op, true);
  }
  return whole > 0 ? left / whole : 1;
}

ModelFlops modelFlops(const ir::Program& program) {
  const ir::Model& model = program.model;
  if (program.plan->workload.adapters || !program.plan->workload.freeze.empty())
    return {tunedFlops(program, false), tunedFlops(program, true)};
  ModelFlops sum;
  const std::vector<double> passes =
      program.plan->workload.hasBackward() ? passesOfProducts(model) : std::vector<double>(model.ops.size(), 1);
  for (uint32_t i = 0; i < model.ops.size(); ++i) {
    const ir::Op& op = model.ops[ir::OpId(i)];
    if (!ir::isProduct(op.kind)) continue;
    const double all = ir::modelFlopsOf(program, op) * static_cast<double>(model.times(op.region)) * passes[i];
    const ir::DType type = typeOf(program, op);
    sum.whole[type] += all * counted(op, false);
    sum.causal[type] += all * counted(op, true);
  }
  const auto batches = static_cast<double>(program.microBatches);
  return {scaled(std::move(sum.whole), batches), scaled(std::move(sum.causal), batches)};
}

/// Returns the FLOPs of matrix products executed per step, recomputation included, as the mean over devices.
FlopsByType executedFlops(const Simulation& sim) {
  const ir::Program& program = *sim.schedule->program;
  FlopsByType sum;
  for (const ir::VirtualStage& vs : program.virtualStages)
    for (const auto& [id, count] : program.kindOf(vs.index).classes)
      for (const auto& [type, flops] : *sim.classes[id.index].products) sum[type] += flops * static_cast<double>(count);
  return scaled(sum, static_cast<double>(program.microBatches) / static_cast<double>(program.stages));
}

/// Returns the dimensions over which grouped products are separate: the experts.
std::vector<ir::DimId> expertDims(const ir::Model& model) {
  std::vector<ir::DimId> experts;
  for (const ir::Op& op : model.ops) {
    if (op.kind != ir::OpKind::GroupedGemm || op.operands.size() < 2) continue;
    for (ir::DimId d : op.operands[1].dims)
      if (llvm::is_contained(op.operands[0].dims, d) && llvm::is_contained(op.resultDims, d) &&
          !llvm::is_contained(experts, d))
        experts.push_back(d);
  }
  return experts;
}

/// Returns the number of parameters that one token uses. Of the experts (and their biases) only those count that a
/// token is sent to. The dimension `slots` counts the tokens of one expert, so its scale is the share of experts that a
/// token reaches.
double activeParameters(const ir::Model& model) {
  double active = model.parameterCount();
  const std::vector<ir::DimId> experts = expertDims(model);
  std::vector<bool> seen(model.values.size());
  for (const ir::Op& op : model.ops) {
    const auto slots = llvm::find_if(op.dims, [&](ir::DimId d) { return model.dims[d].kind == ir::DimKind::Routed; });
    if (slots == op.dims.end()) continue;
    for (const ir::Operand& operand : op.operands) {
      const ir::Value& param = model.values[operand.value];
      if (param.kind != ir::ValueKind::Param || seen[operand.value.index]) continue;
      if (llvm::none_of(param.dims, [&](ir::DimId d) { return llvm::is_contained(experts, d); })) continue;
      seen[operand.value.index] = true;
      double elements = static_cast<double>(model.times(param.region));
      for (ir::DimId e : param.dims) elements *= static_cast<double>(model.dims[e].extent);
      const ir::Dim& dim = model.dims[*slots];
      active -= elements * (1 - std::min(1.0, dim.scale / (dim.capacity > 0 ? dim.capacity : 1)));
    }
  }
  return active;
}

void addTimes(Totals& t, const Simulation& sim, const std::vector<CollectiveRow>& collectives, bool stages) {
  const StageAccount& account = sim.account();
  t.compute = account.spent.computing;
  t.slowed = account.spent.slowed;
  t.launches = account.spent.launches;
  t.exposedComm = account.spent.exposed;
  for (const CollectiveRow& row : collectives)
    if (row.stage == sim.critical) t.comm += row.count * row.seconds;
  t.bubble = account.idle;
  t.critical = sim.critical;
  t.work = account.spent.sum();
  t.optimizer = sim.optimizer;
  t.stepTime = sim.stepTime;
  t.overhead = sim.stepTime - (sim.end + sim.tied + sim.optimizer + sim.straggler);
  if (!stages) return;
  t.bubbleEven = std::min(account.idle, sim.even.idle);
  t.bubbleImbalance = t.bubble - t.bubbleEven;
  for (const StageAccount& a : sim.accounts) t.meanWork += a.spent.sum() / static_cast<double>(sim.accounts.size());
  t.imbalance = sim.accounts.size() > 1 ? std::max(0.0, sim.end - sim.even.end) : 0;
}

/// Returns the FLOPs with the peak of each type. A peak that the device does not give is reported like any other
/// missing fact.
Flops withPeaks(const FlopsByType& flops, Facts& facts) {
  Flops out;
  for (const auto& [type, n] : flops) {
    if (!(n > 0)) continue;
    const ir::Number* peak = facts.find(ir::DeviceFact::Peak, {}, type);
    out.types.push_back({type, n, peak ? peak->value : 1});
  }
  return out;
}

/// Returns the time, raised above 0 so that rates can divide by it.
double positive(double time) {
  return std::max(time, 1e-300);
}

void addRates(Totals& t, const Simulation& sim, Facts& facts) {
  const ir::Program& program = *sim.schedule->program;
  const double devices = static_cast<double>(program.mesh.devices());
  const double time = positive(t.stepTime);
  const ModelFlops flops = modelFlops(program);
  t.modelFlops = withPeaks(scaled(flops.whole, 1 / devices), facts);
  t.modelFlopsCausal = withPeaks(scaled(flops.causal, 1 / devices), facts);
  t.hardwareFlops = withPeaks(executedFlops(sim), facts);
  t.unmasked = unmaskedShare(program);
  t.modelRate = t.modelFlops.sum() / time;
  t.modelRateCausal = t.modelFlopsCausal.sum() / time;
  t.hardwareRate = t.hardwareFlops.sum() / time;
  t.mfu = t.modelRate / t.modelFlops.peak();
  t.mfuCausal = t.modelRateCausal / t.modelFlopsCausal.peak();
  t.hfu = t.hardwareRate / t.hardwareFlops.peak();
  t.params = program.model->parameterCount();
  t.paramsActive = activeParameters(program.model);
  addAmounts(t, *program.plan, devices, program.model->tokensPerSample());
}

} // namespace

void addAmounts(Totals& t, const ir::Plan& plan, double devices, const std::optional<double>& each) {
  const double samples = static_cast<double>(plan.workload.globalBatch), time = positive(t.stepTime);
  t.samplesPerSecond = samples / time;
  t.devices = devices;
  t.deviceHours = t.stepTime * devices / kSecondsPerHour;
  if (const ir::Number* price = plan.cluster->priceOfDevice()) t.cost = price->value * t.stepTime * devices;
  if (const auto power = plan.cluster->powerOfDevice()) t.energyJoules = *power * t.stepTime * devices;
  if (!each || samples <= 0) return;
  const double tokens = samples * *each, steps = kTrillion / tokens;
  t.tokensPerSecond = tokens / time;
  t.tokensPerSecondPerDevice = tokens / time / devices;
  t.deviceHoursPer1t = *t.deviceHours * steps;
  if (t.cost) t.costPer1t = *t.cost * steps;
  if (t.energyJoules) t.energyPer1tJoules = *t.energyJoules * steps;
}

double Flops::sum() const {
  double sum = 0;
  for (const TypedFlops& t : types) sum += t.flops;
  return sum;
}

double Flops::peak() const {
  if (types.size() == 1) return types.front().peak;
  double seconds = 0;
  for (const TypedFlops& t : types) seconds += t.flops / t.peak;
  return seconds > 0 ? sum() / seconds : 1;
}

Totals totals(const Simulation& sim, const CostModel& model, Facts& facts,
              const std::vector<CollectiveRow>& collectives, Wanted wanted) {
  Totals t;
  addTimes(t, sim, collectives, wanted.rows);
  if (!spreads(facts.cluster, facts.stack, sim.schedule->program->mesh).empty()) t.straggler = sim.straggler;
  if (wanted.confidence) t.confidence = confidence(sim, model, facts);
  addRates(t, sim, facts);
  return t;
}

} // namespace planc::cost
