// The optimizer's step, on the device and on its host (docs/cost-model.md, sections 1.6 and 3a).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/price/Update.h"

#include "backends/cost/price/Buckets.h"
#include "backends/cost/price/Operators.h"
#include "ir/States.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/facts/StackFacts.h"

#include <algorithm>

namespace planc::cost {

using ir::DeviceFact;
using ir::StackFact;

namespace {

/// `1 / (efficiency · bandwidth)` of the memory that an update works in: the host's, or the device's, where rows are
/// reached at the efficiency of random access.
Term secondsPerByte(const Pricing& p, const ir::Optimizer& by, const ir::ParamState& s) {
  const Term bandwidth = by.onHost ? p.fact(DeviceFact::HostMemoryBandwidth, "H") : p.fact(DeviceFact::Bandwidth, "B");
  const DeviceFact efficiency = by.onHost       ? DeviceFact::HostUpdateEfficiency
                                : s.touched > 0 ? DeviceFact::LookupEfficiency
                                                : DeviceFact::MemoryEfficiency;
  return 1 / (p.fact(efficiency, "efficiency") * bandwidth);
}

/// What an update must touch: the gradient is read, states and the parameter with its master copy are read and written.
Term leastBytes(const Pricing& p, const ir::ParamState& s) {
  const ir::UpdateBytes least = ir::leastUpdateBytes(p.program, s);
  return p.known(least.gradient, "gradient", units::bytes) + 2 * p.known(least.states, "states", units::bytes) +
         p.known(least.parameters, "parameters", units::bytes);
}

/// By the stack's table, if it has one.
Term updateBytes(const Pricing& p, const ir::Optimizer& by, const ir::ParamState& s, double together) {
  if (!p.facts.stack.has(StackFact::Optimizer, by.name)) {
    p.note("figure", "the stack has none: what an update must touch is read and written once");
    return leastBytes(p, s);
  }
  const Term elements = p.known(ir::updatedElements(p.program, s), "elements");
  const Term known = elements * p.fact(StackFact::Optimizer, by.name, "bytes", {together, units::none});
  const double narrow = ir::narrowUpdateBytes(p.program, s);
  if (narrow == 0) return known;
  return max(leastBytes(p, s), known - p.known(narrow, "narrower states", units::bytes));
}

/// What crosses the host's link in the optimizer's step, of one instance: states in the host's memory stream to the
/// device and back while it updates them (arXiv 2104.07857, section 5.2); of an update on the host only new parameters
/// cross, its gradients left in backward (arXiv 2101.06840, section 4.1).
struct Crossing {
  double in = 0, out = 0; ///< to the device, and to the host
};
Crossing crossing(const ir::Program& program, const ir::ParamState& p) {
  if (!p.trainable || !p.owner || p.touched > 0) return {};
  const ir::Optimizer* by = ir::updaterOf(program, p);
  const double shard = p.elements / static_cast<double>(program.mesh.size(p.optimizer)),
               parameters = shard * ir::width(ir::storedAs(program, p));
  if (by && by->onHost) return {p.host[0] ? 0 : parameters, 0};
  Crossing c;
  if (p.host[2]) c.in = c.out = ir::stateBytes(program, p).optimizer();
  if (p.host[1]) // the shard of the gradient that this device's states need
    c.in += shard * ir::width(program.precisionOf(program.model->values[p.param]).grads);
  if (p.host[0]) c.out += parameters;
  return c;
}

/// What stands for the update in the tables of missing facts.
const ir::Node& updateNode() {
  static const ir::Node kUpdate = [] {
    ir::Node node;
    node.role = ir::Role::Optimizer;
    node.phase = ir::Phase::Step;
    return node;
  }();
  return kUpdate;
}

} // namespace

Pricing pricingUpdate(Facts& facts, const ir::Program& program, const Sinks& sinks) {
  return {facts, program, updateNode(), sinks};
}

Requester updateRequester(const ir::Program& program) {
  return {&program, &updateNode()};
}

Priced updateShard(const Pricing& p, const ir::ParamState& s, double together) {
  Priced priced;
  const ir::Optimizer* by = ir::updaterHere(p.program, s);
  if (!by) return priced;
  const Term bytes = updateBytes(p, *by, s, together);
  Term time = memory(bytes * secondsPerByte(p, *by, s));
  // An update that is launched tensor by tensor.
  if (p.facts.stack.has(StackFact::OptimizerTensor, by->name))
    time += p.fact(StackFact::OptimizerTensor, by->name, "tensor");
  priced = p.priced(time);
  priced.bytes = bytes.value;
  return priced;
}

MatrixProducts matrixProducts(const ir::Program& program, const ir::ParamState& s) {
  const ir::Optimizer* by = ir::updaterHere(program, s);
  if (!by || by->orthogonalise == 0) return {};
  const auto matrices = ir::matricesOf(program, s, false);
  if (!matrices) return {};
  MatrixProducts made{matrices->count, matrices->rows, matrices->columns};
  made.one = by->orthogonalise * ir::newtonSchulzFlops(matrices->rows, matrices->columns);
  made.share = made.one * made.matrices / static_cast<double>(program.mesh.size(s.optimizer));
  return made;
}

double matrixSeconds(const Pricing& p, double flops) {
  const Term peak = p.fact(DeviceFact::Peak, ir::kMatrixType, "P");
  const Term rate = peak * p.fact(DeviceFact::GemmEfficiency, ir::kMatrixType, "e");
  return p.priced(compute(p.known(flops, "FLOPs", units::flops) / rate)).seconds;
}

double updatedTogether(const ir::Program& program, const ir::StageKind& stage) {
  double elements = 0;
  for (const auto& [id, count] : instancesOf(stage))
    for (const ir::ParamState& p : program.classes[id].params)
      if (p.owner) elements += ir::updatedElements(program, p) * static_cast<double>(count);
  return elements * static_cast<double>(program.chunks); // a device has as many such stages
}

double updatedTogether(const ir::Program& program, ir::LayerClassId layerClass) {
  for (const ir::VirtualStage& vs : program.virtualStages)
    for (const auto& [id, count] : program.kindOf(vs.index).classes)
      if (id == layerClass && count > 0) return updatedTogether(program, program.kindOf(vs.index));
  return 0;
}

namespace {

/// Updates on the device of one virtual stage, one after the other.
double onDevice(const Pricing& pricing, const ir::StageKind& stage, double together) {
  const ir::Program& program = pricing.program;
  double seconds = 0, flops = 0, largest = 0;
  for (const auto& [id, count] : instancesOf(stage))
    for (const ir::ParamState& p : program.classes[id].params) {
      const ir::Optimizer* by = ir::updaterHere(program, p);
      if (!by || by->onHost) continue;
      seconds += updateShard(pricing, p, together).seconds * static_cast<double>(count);
      if (count == 0) continue;
      const MatrixProducts products = matrixProducts(program, p);
      largest = std::max(largest, products.one);
      flops += products.share * static_cast<double>(count);
    }
  return largest > 0 ? seconds + matrixSeconds(pricing, std::max(flops, largest)) : seconds;
}

/// Updates on the host, and what crosses its link.
void addHost(StageUpdate& sum, const Pricing& pricing, const ir::StageKind& stage, double together) {
  const ir::Program& program = pricing.program;
  for (const auto& [id, count] : instancesOf(stage))
    for (const ir::ParamState& p : program.classes[id].params) {
      const double instances = static_cast<double>(count);
      const ir::Optimizer* by = ir::updaterHere(program, p);
      if (by && by->onHost) sum.host += updateShard(pricing, p, together).seconds * instances;
      const Crossing c = crossing(program, p);
      sum.toDevice += c.in * instances;
      sum.toHost += c.out * instances;
    }
}

} // namespace

StageUpdate stageUpdate(Facts& facts, const ir::Program& program, const std::vector<const ir::StageKind*>& stages) {
  StageUpdate sum;
  if (!program.plan->workload.train) return sum;
  const Pricing pricing = pricingUpdate(facts, program);
  for (const ir::StageKind* stage : stages) {
    const double together = updatedTogether(program, *stage);
    sum.device += onDevice(pricing, *stage, together);
    addHost(sum, pricing, *stage, together);
  }
  sum.memory = sum.host;
  if (sum.toDevice + sum.toHost <= 0) return sum;
  sum.link = std::max(sum.toDevice, sum.toHost) / linkOf(pricing);
  if (const ir::Number* memory = facts.device.number(DeviceFact::HostMemoryBandwidth))
    sum.memory += (sum.toDevice + sum.toHost) / memory->value;
  return sum;
}

double linkOf(const Pricing& pricing) {
  return pricing.fact(DeviceFact::HostBandwidth, "host link").value;
}

std::vector<const ir::StageKind*> stagesOn(const ir::Program& program, int64_t device) {
  std::vector<const ir::StageKind*> stages;
  for (const size_t vs : program.heldBy(device)) stages.push_back(&program.kindOf(vs));
  return stages;
}

} // namespace planc::cost
