// The optimizer's step, on the device and on its host (docs/cost-model.md, sections 1.6 and 3a).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/price/Update.h"

#include "backends/cost/price/Buckets.h"
#include "backends/cost/price/Operators.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/facts/StackFacts.h"
#include "ir/print/Labels.h"
#include "ir/program/States.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace planc::cost {

using ir::DeviceFact;
using ir::StackFact;

namespace {

/// Returns `1 / (efficiency · bandwidth)` of the memory in which an update works: the host's memory or the device's.
/// Rows in the device's memory are reached at the efficiency of random access.
Term secondsPerByte(const Pricing& p, const ir::Optimizer& by, bool rows) {
  const Term bandwidth = by.onHost ? p.fact(DeviceFact::HostMemoryBandwidth, "H") : p.fact(DeviceFact::Bandwidth, "B");
  const DeviceFact efficiency = by.onHost ? DeviceFact::HostUpdateEfficiency
                                : rows    ? DeviceFact::LookupEfficiency
                                          : DeviceFact::MemoryEfficiency;
  return 1 / (p.fact(efficiency, "efficiency") * bandwidth);
}

/// Returns the bytes that an update must move: it reads the gradient, and it reads and writes the states and the
/// parameter with its master copy.
Term leastBytes(const Pricing& p, const ir::ParamState& s) {
  const ir::UpdateBytes least = ir::leastUpdateBytes(p.program, s);
  return p.known(least.gradient, "gradient", units::bytes) + 2 * p.known(least.states, "states", units::bytes) +
         p.known(least.parameters, "parameters", units::bytes);
}

/// The facts that an update reads from device and stack, for all parameters that one optimizer updates together.
struct UpdateRates {
  const ir::Optimizer* by = nullptr;
  bool rows = false;              ///< updates only the rows of a table that were read
  std::optional<Term> perElement; ///< bytes; null if the stack does not give them
  Term secondsPerByte;
  std::optional<Term> tensor; ///< seconds per tensor, if updates are launched tensor by tensor
  std::optional<Term> part;   ///< seconds per tensor and rank, if a sharded optimizer sends parts
};

UpdateRates ratesOf(const Pricing& p, const ir::Optimizer& by, bool rows, double together) {
  UpdateRates rates{&by, rows, {}, {}, {}, {}};
  if (p.facts.stack.has(StackFact::Optimizer, by.name))
    rates.perElement = p.fact(StackFact::Optimizer, by.name, "bytes", {together, units::none});
  else
    p.note("figure", "the stack gives no bytes: each value of an update is read and written once");
  rates.secondsPerByte = secondsPerByte(p, by, rows);
  if (p.facts.stack.has(StackFact::OptimizerTensor, by.name))
    rates.tensor = p.fact(StackFact::OptimizerTensor, by.name, "tensor");
  if (p.facts.stack.has(StackFact::OptimizerPart, by.name))
    rates.part = p.fact(StackFact::OptimizerPart, by.name, "tensors");
  return rates;
}

/// Returns the bytes of an update, from the stack's table if it has one.
Term updateBytes(const Pricing& p, const UpdateRates& rates, const ir::ParamState& s) {
  if (!rates.perElement) return leastBytes(p, s);
  const Term known = p.known(ir::updatedElements(p.program, s), "elements") * *rates.perElement;
  const double narrow = ir::narrowUpdateBytes(p.program, s);
  if (narrow == 0) return known;
  return max(leastBytes(p, s), known - p.known(narrow, "narrower states", units::bytes));
}

Priced priceShard(const Pricing& p, const UpdateRates& rates, const ir::ParamState& s) {
  const Term bytes = updateBytes(p, rates, s);
  Term time = memory(bytes * rates.secondsPerByte);
  if (rates.tensor) time += *rates.tensor;
  if (const auto ranks = static_cast<double>(p.program.mesh.size(s.optimizer)); rates.part && ranks > 1)
    time += p.known(ranks, "ranks") * *rates.part;
  Priced priced = p.priced(time);
  priced.bytes = bytes.value;
  return priced;
}

/// Traffic over the host's link in the optimizer's step of one instance, in bytes. States in the host's memory stream
/// to the device and back during the update (arXiv 2104.07857, section 5.2). For an update on the host only the new
/// parameters cross, because the gradients left in backward (arXiv 2101.06840, section 4.1).
struct Crossing {
  double in = 0, out = 0; ///< to the device, and to the host
};
Crossing crossing(const ir::Program& program, const ir::ParamState& p) {
  if (!p.trainable || !p.owner || p.touched > 0) return {};
  const ir::Optimizer* by = ir::updaterOf(program, p);
  if (!(by && by->onHost) && std::ranges::none_of(p.host, [](bool host) { return host; })) return {};
  const double shard = p.elements / static_cast<double>(program.mesh.size(p.optimizer)),
               parameters = shard * ir::width(ir::storedAs(program, p));
  if (by && by->onHost) return {p.host[0] ? 0 : parameters, 0};
  Crossing c;
  if (p.host[2]) c.in = c.out = ir::stateBytes(program, p).optimizer();
  if (p.host[1]) // the gradient shard that this device's states need
    c.in += shard * ir::width(program.precisionOf(program.model->values[p.param]).grads);
  if (p.host[0]) c.out += parameters;
  return c;
}

/// Returns the node that represents the update in reports of missing facts.
const ir::Node& updateNode() {
  static const ir::Node kUpdate({.phase = ir::Phase::Step}, ir::Compute({.role = ir::Role::Optimizer}));
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
  const ir::Optimizer* by = ir::updaterHere(p.program, s);
  return by ? priceShard(p, ratesOf(p, *by, s.touched > 0, together), s) : Priced();
}

MatrixProducts matrixProducts(const ir::Program& program, const ir::ParamState& s) {
  const ir::Optimizer* by = ir::updaterHere(program, s);
  if (!by || by->orthogonalise == 0) return {};
  const auto matrices = ir::matricesOf(program, s, false);
  if (!matrices) return {};
  MatrixProducts made{matrices->count, matrices->rows, matrices->columns};
  made.one = by->orthogonalise * ir::newtonSchulzFlops(matrices->rows, matrices->columns);
  made.share = made.one * made.matrices / (by->repeated ? 1.0 : static_cast<double>(program.mesh.size(s.optimizer)));
  return made;
}

double matrixSeconds(const Pricing& p, double flops) {
  const Term rate = productRate(p, ir::kMatrixType, {});
  return p.priced(compute(p.known(flops, "FLOPs", units::flops) / rate)).seconds;
}

double updatedTogether(const ir::Program& program, const ir::StageKind& stage) {
  double elements = 0;
  for (const auto& [id, count] : instancesOf(stage))
    for (const ir::ParamState& p : program.classes[id].params)
      if (p.owner) elements += ir::updatedElements(program, p) * static_cast<double>(count);
  return elements * static_cast<double>(program.chunks); // a device holds so many stages
}

double updatedTogether(const ir::Program& program, ir::LayerClassId layerClass) {
  for (const ir::VirtualStage& vs : program.virtualStages)
    for (const auto& [id, count] : program.kindOf(vs.index).classes)
      if (id == layerClass && count > 0) return updatedTogether(program, program.kindOf(vs.index));
  return 0;
}

namespace {

/// Work on the host for all instances of one parameter: seconds of updates, bytes over its link.
struct OnHost {
  double seconds = 0, in = 0, out = 0;
};

/// The optimizer's step of one virtual stage.
struct KindUpdate {
  double device = 0;
  std::vector<OnHost> host; ///< one element per parameter with work on the host
};

/// Prices the optimizer's step of kinds of virtual stages. Work that all kinds share is done once.
class Updates {
public:
  explicit Updates(const Pricing& pricing)
      : pricing_(pricing), program_(pricing.program),
        shards_(pricing.facts.memos ? &pricing.facts.memos->of<PriceMemo>() : nullptr),
        known_(program_.classes.size()) {}

  /// Returns the step of one kind of stage. Updates on the device run one after the other.
  KindUpdate of(const ir::StageKind& stage) {
    KindUpdate sum;
    double flops = 0, largest = 0, together = -1;
    for (const auto& [id, count] : instancesOf(stage))
      for (const Param& p : classOf(id)) {
        const double instances = static_cast<double>(count);
        double seconds = p.seconds;
        if (p.byTable) {
          if (together < 0) together = updatedTogether(program_, stage);
          seconds = priceShard(pricing_, ratesOf(pricing_, *p.by, p.state->touched > 0, together), *p.state).seconds;
        }
        const bool onHost = p.by && p.by->onHost;
        if (onHost || p.crossing.in > 0 || p.crossing.out > 0)
          sum.host.push_back({onHost ? seconds * instances : 0, p.crossing.in * instances, p.crossing.out * instances});
        if (!p.by || onHost) continue;
        sum.device += seconds * instances;
        if (count == 0 || p.by->orthogonalise == 0) continue;
        const MatrixProducts products = matrixProducts(program_, *p.state);
        largest = std::max(largest, products.one);
        flops += products.share * instances;
      }
    if (largest > 0) sum.device += matrixSeconds(pricing_, std::max(flops, largest));
    return sum;
  }

private:
  /// Distinguishes shards from nodes in the shared cache; nodes have their kind in this place.
  static constexpr uint64_t kShard = UINT64_MAX;
  struct TypedOptimizer {
    const ir::Optimizer* by = nullptr;
    const ir::Precision* precision = nullptr;
    Reads reads;
  };
  /// One instance of a parameter.
  struct Param {
    const ir::ParamState* state = nullptr;
    const ir::Optimizer* by = nullptr; ///< null: nothing updates it here
    bool byTable = false;              ///< its bytes depend on the number of elements updated together
    double seconds = 0;                ///< price of the shard, unless `byTable`
    Crossing crossing;
  };

  const std::vector<Param>& classOf(ir::LayerClassId id) {
    std::optional<std::vector<Param>>& known = known_[id.index];
    if (known) return *known;
    std::vector<Param>& params = known.emplace();
    for (const ir::ParamState& state : program_.classes[id].params) {
      Param& p =
          params.emplace_back(Param{&state, ir::updaterHere(program_, state), false, 0, crossing(program_, state)});
      if (!p.by) continue;
      const ir::Number* bytes = pricing_.facts.stack.number(StackFact::Optimizer, p.by->name);
      p.byTable = bytes && !bytes->table.empty();
      if (!p.byTable) p.seconds = secondsOf(*p.by, state);
    }
    return params;
  }
  double secondsOf(const ir::Optimizer& by, const ir::ParamState& state) {
    const auto priced = [&] { return priceShard(pricing_, ratesFor(by, state.touched > 0), state); };
    if (!shards_ || by.factored > 0) return priced().seconds; // their price depends on the sides of the matrix
    const Reads reads = readByShard(by, state);
    if (const Priced* before = shards_->find(reads)) return before->seconds;
    const Priced shard = priced();
    shards_->add(reads, shard);
    return shard.seconds;
  }
  /// Returns everything on which the price of a shard depends, apart from the facts.
  Reads readByShard(const ir::Optimizer& by, const ir::ParamState& s) {
    const ir::Value& value = program_.model->values[s.param];
    Reads reads = readsOf(by, program_.precisionOf(value));
    reads << (s.touched > 0 ? static_cast<double>(program_.passes()) : 0) << s.touched << s.elements << s.rowElements;
    reads << program_.mesh.size(s.optimizer) << s.host[1] << (value.dtype ? 1 + static_cast<int>(*value.dtype) : 0);
    return reads;
  }
  /// Returns the reads of an optimizer and the types of its states, built once.
  const Reads& readsOf(const ir::Optimizer& by, const ir::Precision& precision) {
    for (const TypedOptimizer& known : optimizers_)
      if (known.by == &by && known.precision == &precision) return known.reads;
    Reads reads;
    reads << kShard << by.states << by.master << by.stateBytes.has_value() << by.stateBytes.value_or(0) << by.rowStates
          << by.onHost << reinterpret_cast<uintptr_t>(by.name.key());
    reads << precision.params << precision.grads << precision.reduce << precision.optimizer << precision.states.empty()
          << precision.stateType(ir::labels::kMaster) << by.stateNames.size();
    for (const Symbol state : by.stateNames) reads << precision.stateType(state);
    return optimizers_.emplace_back(TypedOptimizer{&by, &precision, reads}).reads;
  }
  /// Returns the cached rates of one optimizer.
  const UpdateRates& ratesFor(const ir::Optimizer& by, bool rows) {
    for (const UpdateRates& rates : rates_)
      if (rates.by == &by && rates.rows == rows) return rates;
    return rates_.emplace_back(ratesOf(pricing_, by, rows, 0));
  }

  const Pricing& pricing_;
  const ir::Program& program_;
  PriceMemo* shards_;
  std::vector<std::optional<std::vector<Param>>> known_; ///< by class
  std::vector<TypedOptimizer> optimizers_;
  std::vector<UpdateRates> rates_;
};

void add(StageUpdate& sum, const KindUpdate& stage) {
  sum.device += stage.device;
  for (const OnHost& p : stage.host) sum.host += p.seconds, sum.toDevice += p.in, sum.toHost += p.out;
}

/// Adds the time of the link and of the host's memory, which serves updates and the traffic over the link.
void addLink(StageUpdate& sum, const Pricing& pricing) {
  sum.memory = sum.host;
  if (sum.toDevice + sum.toHost <= 0) return;
  sum.link = std::max(sum.toDevice, sum.toHost) / linkOf(pricing);
  if (const ir::Number* memory = pricing.facts.device.number(DeviceFact::HostMemoryBandwidth))
    sum.memory += (sum.toDevice + sum.toHost) / memory->value;
}

} // namespace

std::vector<StageUpdate> deviceUpdates(Facts& facts, const ir::Program& program,
                                       const std::vector<std::vector<const ir::StageKind*>>& devices) {
  std::vector<StageUpdate> sums(devices.size());
  if (!program.plan->workload.updatesParameters()) return sums;
  const Pricing pricing = pricingUpdate(facts, program);
  Updates updates(pricing);
  std::vector<std::pair<const ir::StageKind*, KindUpdate>> kinds; // few elements
  for (size_t d = 0; d < devices.size(); ++d) {
    for (const ir::StageKind* stage : devices[d]) {
      auto one = std::find_if(kinds.begin(), kinds.end(), [&](const auto& k) { return k.first == stage; });
      if (one == kinds.end()) one = kinds.insert(kinds.end(), {stage, updates.of(*stage)});
      add(sums[d], one->second);
    }
    addLink(sums[d], pricing);
  }
  return sums;
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
