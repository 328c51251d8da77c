// Prices the nodes of a class and runs one instance alone (docs/cost-model.md, sections 1.7 and 2.4).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/Segments.h"

#include "backends/cost/price/Buckets.h"
#include "ir/facts/StackFacts.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace planc::cost {

namespace {

bool communicates(const ir::Node& node) {
  return node.isCollective();
}

bool isWeightGradient(const ir::Node& node) {
  const ir::Compute* c = node.asCompute();
  return c && (c->role == ir::Role::WGrad || c->role == ir::Role::Accumulate);
}

NodeCost priceNode(const ir::Program& program, const ir::Node& node, const CostModel& model, const Facts& facts) {
  NodeCost cost;
  if (communicates(node)) {
    cost.seconds = model.price(program, node).seconds * node.times;
    cost.bound = Bound::Network;
    cost.host = issueSeconds(facts, node) * node.times;
    return cost;
  }
  const Priced priced = model.price(program, node);
  cost.seconds = priced.seconds * node.times;
  cost.flops = priced.flops * node.times;
  cost.bytes = priced.bytes * node.times;
  cost.launches = priced.launches * node.times;
  cost.bound = priced.bound;
  return cost;
}

/// Sums a segment without overlap: the compute stream runs task after task.
void runInOrder(const ir::Segment& segment, const std::vector<ir::Node>& nodes, SegmentCost& cost) {
  for (const ir::Task& task : segment.tasks) {
    NodeCost& node = cost.nodes[task.node];
    const double seconds = node.seconds * task.fraction;
    (communicates(nodes[task.node]) ? node.spent.exposed : node.spent.computing) += seconds;
    cost.seconds += seconds;
  }
}

void runOnStreams(const ir::Segment& segment, const std::vector<ir::Node>& nodes, const ir::Schedule& schedule,
                  SegmentCost& cost) {
  Streams streams(schedule.slowdown, schedule.besides);
  const Streams::TaskId begin = streams.addMarker({}, schedule.slowdown * cost.computing);
  cost.instance = instanceOf(*schedule.program, nodes, segment, cost);
  streams.add(*cost.instance, begin);
  streams.run();
  cost.seconds = streams.now();
  const auto spent = streams.spent();
  for (size_t n = 0; n < std::min(spent.size(), cost.nodes.size()); ++n) cost.nodes[n].spent = spent[n];
}

/// Whether only the device knows how large the result is: slots of experts that take as many tokens as arrive.
bool sizedByRouting(const ir::Model& model, const ir::Node& node) {
  if (!node.isCompute() || node.compute().role != ir::Role::Forward || !node.op.valid()) return false;
  const ir::Op& op = model.ops[node.op];
  const auto given = [&](ir::DimId d) {
    return std::ranges::any_of(op.operands,
                               [&](const ir::Operand& o) { return llvm::is_contained(model.values[o.value].dims, d); });
  };
  return std::ranges::any_of(op.resultDims, [&](ir::DimId d) {
    return model.dims[d].kind == ir::DimKind::Routed && model.dims[d].capacity == 0 && !given(d);
  });
}

/// Whether the host waits for the device before it launches a node: for a size that routing decides, or because the
/// stack's software reads a value back there.
bool readsBack(const ir::Program& program, const ir::Node& node, const ir::Stack& stack) {
  if (stack.truth(ir::StackFact::Waits) && sizedByRouting(program.model, node)) return true;
  if (!node.isCompute() || node.compute().role != ir::Role::Forward || !node.op.valid()) return false;
  const ir::Number* reads = stack.number(ir::StackFact::ReadsBack, program.model->ops[node.op].name);
  return reads && reads->value != 0;
}

/// Host and device one after the other, as a flow shop of two machines (Johnson 1954): the device runs a kernel when it
/// is launched and the one before has ended. A stretch begins with nothing launched.
struct LaunchedStretch {
  double host = 0, device = 0;
  void add(double launching, double running) {
    host += launching;
    device = std::max(device, host) + running;
  }
};

/// Seconds of one instance among others, as its host launches it. The longer time of host and device counts while the
/// host is ahead. After a wait for the device, the host launches the following kernels, also of the next instance,
/// while the device is idle.
double launched(const ir::Program& program, const ir::Segment& segment, const std::vector<ir::Node>& nodes,
                const SegmentCost& cost, const Facts& facts, double launch) {
  std::vector<uint32_t> order;
  std::vector<bool> launchedOnce(nodes.size());
  std::optional<size_t> first;
  for (const ir::Task& task : segment.tasks) {
    if (launchedOnce[task.node]) continue;
    launchedOnce[task.node] = true;
    if (!first && readsBack(program, nodes[task.node], facts.stack)) first = order.size();
    order.push_back(task.node);
  }
  if (!first) return std::max(cost.seconds, cost.host);
  std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(*first), order.end());
  double seconds = 0, running = 0;
  LaunchedStretch stretch;
  for (const uint32_t n : order) {
    if (readsBack(program, nodes[n], facts.stack)) seconds += std::exchange(stretch, {}).device;
    stretch.add(launch * cost.nodes[n].launches + cost.nodes[n].host, cost.nodes[n].spent.sum());
    running += cost.nodes[n].spent.sum();
  }
  seconds += stretch.device;
  return std::max(cost.seconds, cost.seconds + seconds - running);
}

/// Small shapes wait for the host (docs/cost-model.md, section 1.7).
void padForHost(const ir::Program& program, const ir::Segment& segment, const std::vector<ir::Node>& nodes,
                SegmentCost& cost, Facts& facts) {
  double launches = 0, collectives = 0;
  for (const NodeCost& node : cost.nodes) {
    if (!node.runs) continue;
    launches += node.launches;
    collectives += node.host;
  }
  if (launches == 0) return;
  const ir::Number* found = facts.find(ir::StackFact::Launch, {});
  const double launch = found ? found->value : 0;
  cost.host = launch * launches + collectives;
  const double seconds = launched(program, segment, nodes, cost, facts, launch);
  if (cost.seconds >= seconds) return;
  cost.padding = seconds - cost.seconds;
  cost.seconds = seconds;
  for (size_t n = 0; n < nodes.size(); ++n) {
    NodeCost& node = cost.nodes[n];
    if (!node.runs) continue;
    node.spent.launches = cost.padding * node.launches / launches;
  }
}

/// Seconds of inline shares on the port of a collective.
double& inlinedOn(const ir::Program& program, const ir::Node& node, SegmentCost& cost) {
  const ir::Stream port = ir::streamOf(program, node.collective().level);
  for (auto& [known, seconds] : cost.inlined)
    if (known == port) return seconds;
  return cost.inlined.emplace_back(port, 0).second;
}

/// Runs the tasks of a segment, whose nodes are priced.
void runSegment(const ir::Schedule& schedule, const ir::LayerClass& layerClass, const ir::Segment& segment,
                SegmentCost& cost, Facts& facts) {
  const std::vector<ir::Node>& nodes = segment.backward ? layerClass.backward : layerClass.forward;
  for (const ir::Task& task : segment.tasks) {
    const ir::Node& node = nodes[task.node];
    cost.nodes[task.node].runs = true;
    cost.overlaps |= task.stream != ir::kComputeStream;
    const double seconds = cost.nodes[task.node].seconds * task.fraction;
    if (task.stream == ir::kComputeStream)
      (communicates(node) ? inlinedOn(*schedule.program, node, cost) : cost.computing) += seconds;
    if (isWeightGradient(node)) cost.weight += cost.nodes[task.node].seconds * task.fraction;
  }
  if (cost.overlaps)
    runOnStreams(segment, nodes, schedule, cost);
  else
    runInOrder(segment, nodes, cost);
  if (schedule.program->model->layers[layerClass.layer].repeat && !layerClass.boundaryReshard)
    padForHost(*schedule.program, segment, nodes, cost, facts);
}

SegmentCost priceSegment(const ir::Schedule& schedule, const ir::LayerClass& layerClass, const ir::Segment& segment,
                         const CostModel& model, Facts& facts) {
  SegmentCost cost;
  for (const ir::Node& node : segment.backward ? layerClass.backward : layerClass.forward)
    cost.nodes.push_back(priceNode(*schedule.program, node, model, facts));
  runSegment(schedule, layerClass, segment, cost, facts);
  return cost;
}

/// A run of one half alone, from the prices of the nodes.
SegmentCost runHalf(const ir::Schedule& schedule, const ir::LayerClass& layerClass, const ir::Segment& half,
                    const SegmentCost& whole, Facts& facts) {
  SegmentCost cost;
  cost.nodes = whole.nodes;
  for (NodeCost& node : cost.nodes) node.spent = {}, node.runs = false;
  runSegment(schedule, layerClass, half, cost, facts);
  return cost;
}

/// The fused collectives of one instance, layer by layer, in buckets of the stack's size, if it has one: a layer's part
/// of a bucket that it shares with others, or the buckets that it is cut into.
double priceState(const ir::Schedule& schedule, ir::LayerClassId layerClass, const ir::StateCollective& state,
                  const CostModel& model, const Facts& facts) {
  const Messages messages = messagesOf(schedule, layerClass, state);
  return static_cast<double>(state.times) * messages.count *
         stateSeconds(schedule, facts, messages.one, model.price(*schedule.program, messages.one).seconds);
}

} // namespace

ir::Segment halfOf(const ir::LayerClass& layerClass, const ir::Segment& backward, bool second) {
  const std::vector<ir::Task>& tasks = *backward.tasks;
  ir::Segment half{backward.layerClass, true, {}};
  std::vector<ir::Task>& kept = half.tasks.edit();
  std::vector<bool> isSecond;
  std::vector<uint32_t> place(tasks.size());
  for (const ir::Task& task : tasks) {
    isSecond.push_back(isWeightGradient(layerClass.backward[task.node]) ||
                       llvm::any_of(task.deps, [&](uint32_t d) { return isSecond[d]; }));
    if (isSecond.back() != second) continue;
    place[isSecond.size() - 1] = static_cast<uint32_t>(kept.size());
    ir::Task& mine = kept.emplace_back(task);
    mine.deps.clear();
    for (const uint32_t d : task.deps)
      if (isSecond[d] == second) mine.deps.push_back(place[d]);
  }
  return half;
}

double issueSeconds(const Facts& facts, const ir::Node& node) {
  const ir::Collective& c = node.collective();
  if (c.kind == ir::CollectiveKind::Slice) return 0;
  const ir::Number* start = facts.stack.number(ir::StackFact::CollectiveStart, c.cls);
  const ir::Number* each = facts.stack.number(ir::StackFact::CollectiveLaunch, c.cls);
  return (start ? start->value : 0) + (each ? each->value * static_cast<double>(c.group) : 0);
}

double stateSeconds(const ir::Schedule& schedule, const Facts& facts, const ir::Node& node, double moving) {
  const double issue = issueSeconds(facts, node);
  const double waits = schedule.blockingShare[node.collective().cls];
  return std::max(moving, issue) + waits * std::min(moving, issue);
}

Streams::Batch instanceOf(const ir::Program& program, const std::vector<ir::Node>& nodes, const ir::Segment& segment,
                          const SegmentCost& cost, double share) {
  const std::vector<ir::Task>& tasks = segment.tasks;
  Streams::Batch instance(2 * tasks.size());
  std::vector<uint32_t> ends; // by task: what its readers wait for
  ends.reserve(tasks.size());
  for (const ir::Task& task : tasks) {
    Few<uint32_t, 4> deps;
    for (const uint32_t d : task.deps) deps.push_back(ends[d]);
    const std::span after(deps.data(), deps.size());
    const double seconds = share * cost.nodes[task.node].seconds * task.fraction;
    const auto tag = static_cast<int32_t>(task.node);
    const ir::Collective* inlined = task.stream == ir::kComputeStream ? nodes[task.node].asCollective() : nullptr;
    ends.push_back(inlined ? instance.addInline(ir::streamOf(program, inlined->level), seconds, after, tag)
                           : instance.add(task.stream, seconds, after, tag));
  }
  return instance;
}

void addAlone(Account& account, ir::LayerClassId layerClass, bool backward, const SegmentCost& cost, double times) {
  std::vector<Spent>& nodes = account.nodes(layerClass, backward, cost.nodes.size());
  for (size_t n = 0; n < cost.nodes.size(); ++n) nodes[n].add(cost.nodes[n].spent, times);
}

namespace {

/// FLOPs that matrix products of an instance execute, recomputation included; mean of the devices.
FlopsByType productsOf(const ir::Program& program, const ir::LayerClass& layerClass, const ClassCost& cost) {
  FlopsByType flops;
  for (const bool backward : {false, true}) {
    const Indexed<ir::Node>& nodes = backward ? layerClass.backward : layerClass.forward;
    const std::vector<NodeCost>& costs = cost.of(backward).nodes;
    for (size_t n = 0; n < nodes.size(); ++n) {
      if (!costs[n].runs || !nodes[n].isCompute()) continue;
      const ir::Op& op = program.model->ops[nodes[n].op];
      const ir::LocalWork& work = nodes[n].compute().work;
      // The fused kernel skips masked blocks: on this device it leaves `work.share`, in the mean `op.share`.
      const double masked = op.kind == ir::OpKind::Attention && work.share > 0 ? op.share / work.share : 1;
      if (ir::isProduct(op.kind)) flops[ir::arithmetic(program.computeType(op))] += costs[n].flops * masked / work.skew;
    }
  }
  return flops;
}

} // namespace

CachedCosts::CachedCosts(const ir::Schedule& schedule, Memos& memos) : costs_(memos.of<Memo<ClassCost>>()) {
  Reads reads;
  reads << schedule.slowdown;
  for (const double share : schedule.blockingShare) reads << share;
  for (const double beside : schedule.besides) reads << beside;
  overlap_ = remember(&memos, reads, [&] { return memos.fresh(); });
}

std::vector<ClassCost> priceClasses(const ir::Schedule& schedule, const CostModel& model, Facts& facts) {
  const ir::Program& program = *schedule.program;
  std::optional<CachedCosts> cached;
  if (facts.memos) cached.emplace(schedule, *facts.memos);
  std::vector<ClassCost> costs(program.classes.size());
  for (uint32_t b = 0; b < program.classes.size(); ++b) {
    const ir::LayerClass& layerClass = program.classes[ir::LayerClassId(b)];
    ClassCost& cost = costs[b];
    if (const ClassCost* before = cached ? cached->find(layerClass) : nullptr) {
      cost = *before;
    } else {
      cost.forward = priceSegment(schedule, layerClass, schedule.forward[b], model, facts);
      cost.backward = priceSegment(schedule, layerClass, schedule.backward[b], model, facts);
      cost.products = productsOf(program, layerClass, cost);
      if (cached) cached->add(layerClass, cost);
    }
    if (schedule.kind && schedule.kind->splits) {
      const auto half = [&](bool second) {
        return runHalf(schedule, layerClass, halfOf(layerClass, schedule.backward[b], second), cost.backward, facts);
      };
      cost.halves = remember(facts.memos, cached ? cached->readBy(layerClass) : Reads(), [&] {
        return std::make_shared<const HalfCosts>(HalfCosts{half(false), half(true)});
      });
    }
    for (const ir::StateCollective& state : layerClass.states)
      cost.states.push_back(priceState(schedule, ir::LayerClassId(b), state, model, facts));
  }
  return costs;
}

} // namespace planc::cost
