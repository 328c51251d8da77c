// Machines and programs for the tests of the cost model.
// SPDX-License-Identifier: Apache-2.0
#include "Fixtures.h"

#include "ir/facts/ClusterFacts.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/facts/StackFacts.h"
#include "passes/Passes.h"
#include "support/Symbol.h"

#include <algorithm>

namespace planc::cost::test {

using namespace ir;

Number number(double value) {
  return {value, {}, "test"};
}

Number curve(std::vector<double> x, std::vector<double> y) {
  Number number{y.back(), {}, "test"};
  number.table = {std::move(x), std::move(y)};
  return number;
}

ClusterLevel levelOf(Symbol name, int64_t count, Fabric fabric, double bandwidth, double latency, Topology topology) {
  ClusterLevel level;
  level.name = name;
  level.count = count;
  level.fabric = std::move(fabric);
  level.topology = std::move(topology);
  level.set(LevelFact::Bandwidth, number(bandwidth));
  level.set(LevelFact::Latency, number(latency));
  return level;
}

namespace {

Fabric::Samples samples(std::vector<Fabric::Sample> rows) {
  return {std::move(rows), {}, {}, "test"};
}

/// (us, GB/s, time of the root term at 1 GB in seconds from s/sqrt(B)).
Fabric::Sample sample(double ranks, double a, double b, double g) {
  return {ranks, a * 1e-6, b * 1e9, g * 31622.776601683792};
}

void setGemm(Device& d, DType type, double efficiency, double memoryEfficiency, double start) {
  d.set(DeviceFact::GemmEfficiency, type, number(efficiency));
  d.set(DeviceFact::GemmMemoryEfficiency, type, number(memoryEfficiency));
  d.set(DeviceFact::GemmStart, type, number(start));
}

void setPasses(Stack& s, Symbol name, double forward, double backward) {
  s.set(StackFact::PassesForward, name, number(forward));
  s.set(StackFact::PassesBackward, name, number(backward));
}

void shareCalibration(Device& d) {
  d.set(DeviceFact::MemoryEfficiency, number(.85));
  d.set(DeviceFact::MemoryStart, number(3e-6));
  d.set(DeviceFact::LookupEfficiency, number(.55));
  d.set(DeviceFact::AttentionHead, curve({32, 64, 80, 96, 128, 256}, {.45, .78, .82, .9, 1, 1.05}));
  d.set(DeviceFact::AttentionStart, number(5e-6));
  d.set(DeviceFact::AttentionSplit, number(.6));
}

} // namespace

Device a100() {
  Device d;
  d.name = "a100";
  d.set(DeviceFact::Memory, number(80e9));
  d.set(DeviceFact::Bandwidth, number(2.039e12));
  d.set(DeviceFact::Power, number(400));
  d.set(DeviceFact::Price, number(3.6 / 3600));
  for (const DType type : {DType::fp16, DType::bf16}) {
    d.set(DeviceFact::Peak, type, number(312e12));
    setGemm(d, type, .772, .73, 6.6e-6);
  }
  d.set(DeviceFact::ScoresMemoryEfficiency, number(.45));
  d.set(DeviceFact::ScoresBackward, number(1.25));
  d.set(DeviceFact::ContextMemoryEfficiency, number(.74));
  d.set(DeviceFact::ContextBackward, number(2.7));
  d.set(DeviceFact::AttentionForward, curve({256, 512, 1024, 2048, 4096, 8192, 16384, 65536},
                                            {63e12, 93e12, 125e12, 149e12, 163e12, 173e12, 178e12, 180e12}));
  d.set(DeviceFact::AttentionBackward, number(2.5));
  shareCalibration(d);
  return d;
}

Device h100() {
  Device d;
  d.name = "h100";
  d.set(DeviceFact::Memory, number(80e9));
  d.set(DeviceFact::Bandwidth, number(3.35e12));
  d.set(DeviceFact::Peak, DType::bf16, number(989e12));
  d.set(DeviceFact::Peak, DType::fp8, number(1979e12));
  setGemm(d, DType::bf16, .77 * .85, .81, 3.5e-6);
  setGemm(d, DType::fp8, .586, .81, 3.5e-6);
  shareCalibration(d);
  return d;
}

Fabric nvlink3() {
  Fabric f;
  f.name = "nvlink3";
  f.allReduce =
      samples({sample(2, 9.51, 230.1, 1.353e-8), sample(4, 13.75, 224.9, 8.57e-9), sample(8, 21.29, 229.7, 8.64e-9)});
  f.allGather =
      samples({sample(2, 9.04, 176.4, 1.333e-8), sample(4, 10.7, 227.5, 1.391e-8), sample(8, 15.02, 216.8, 9.29e-9)});
  f.reduceScatter =
      samples({sample(2, 8.94, 205.2, 1.233e-8), sample(4, 10.46, 234.4, 1.168e-8), sample(8, 14.36, 221.3, 8.29e-9)});
  f.allToAll =
      samples({sample(2, 10.75, 195.4, 1.19e-8), sample(4, 12.0, 215.7, 9.1e-9), sample(8, 12.8, 224.2, 9.7e-9)});
  f.set(FabricFact::SendRecvStart, number(10e-6));
  f.set(FabricFact::SendRecvBandwidth, number(.7 * 176.4e9));
  return f;
}

Fabric nvlink5() {
  Fabric f;
  f.name = "nvlink5";
  f.allReduce =
      samples({sample(2, 9.88, 610.9, 4.1e-9), sample(4, 14.6, 715.1, 4.68e-9), sample(8, 24.75, 745.4, 5.12e-9)});
  f.allGather =
      samples({sample(2, 8.81, 546.1, 4.95e-9), sample(4, 11.3, 717.7, 5.35e-9), sample(8, 16.6, 745., 5.44e-9)});
  f.set(FabricFact::Growth, number(.15));
  return f;
}

Fabric hdr() {
  Fabric f;
  f.name = "hdr";
  f.set(FabricFact::Start, number(40e-6));
  f.set(FabricFact::Hop, number(10e-6));
  f.set(FabricFact::Root, number(3e-8 * 31622.776601683792));
  f.set(FabricFact::NicEfficiency, number(.95));
  f.set(FabricFact::ExchangeEfficiency, number(.96));
  f.set(FabricFact::PairBonus, number(1.25));
  f.set(FabricFact::SendRecvStart, number(20e-6));
  f.set(FabricFact::SendRecvEfficiency, number(.9));
  return f;
}

Topology fatTree(double oversubscription) {
  return {"fat_tree", {{"oversubscription", oversubscription}}, {}};
}

Cluster superpod(int64_t nodes, int64_t perNode) {
  Cluster c;
  c.name = "superpod";
  c.device = a100();
  c.levels = {levelOf("node", perNode, nvlink3(), 300e9, 2e-6), levelOf("nodes", nodes, hdr(), 25e9, 5e-6, fatTree(1))};
  return c;
}

void setReceive(Stack& s, double seconds) {
  s.set(StackFact::Receive, number(seconds));
}

Stack megatron() {
  Stack s;
  s.name = "megatron";
  s.set(StackFact::BackwardRatio, number(1.9));
  s.set(StackFact::Accumulate, number(static_cast<double>(Accumulate::Fused)));
  setPasses(s, "layer_norm", 2.6, 5.5);
  setPasses(s, "gelu", 2, 3);
  setPasses(s, "softmax", 4.7, 5.8);
  setPasses(s, "dropout", 0, 0);
  setPasses(s, "lookup", 4, 4);
  setPasses(s, "cross_entropy", 12, 6);
  for (int c = 0; c < kCollectiveClasses; ++c) s.set(StackFact::Inline, static_cast<CollectiveClass>(c), number(1));
  s.set(StackFact::Slowdown, number(0));
  s.set(StackFact::Optimizer, Symbol("adam"), number(50));
  s.set(StackFact::TableGradient, number(8));
  s.set(StackFact::Grouped, curve({32, 128, 512, 2048, 8192}, {.18, .38, .62, .85, .97}));
  s.set(StackFact::AttentionFactor, number(1));
  s.set(StackFact::Launch, number(0));
  s.set(StackFact::Unattributed, number(1.02));
  s.set(StackFact::Step, number(2e-3));
  s.set(StackFact::AccuracyRuns, number(50));
  s.set(StackFact::AccuracySources, number(3));
  s.set(StackFact::AccuracyLow, number(0.95));
  s.set(StackFact::AccuracyHigh, number(1.1));
  s.set(StackFact::AccuracyDerived, number(0.2));
  s.set(StackFact::AccuracyFitted, number(0.05));
  s.set(StackFact::AccuracyNominal, number(0.4));
  s.set(StackFact::AccuracyDistance, number(0.1));
  return s;
}

Mesh mesh(const Cluster& cluster, const std::vector<std::pair<std::string, int64_t>>& axes) {
  std::vector<std::pair<std::string, int64_t>> levels;
  int64_t devices = 1;
  for (const ClusterLevel& l : cluster.levels) levels.emplace_back(l.name.str(), devices *= l.count);
  return planc::test::mesh(axes, levels);
}

Builder::Builder(int64_t nodes, const std::vector<std::pair<std::string, int64_t>>& axes) : Build(axes) {
  plan.cluster = std::make_shared<const Cluster>(superpod(nodes));
  plan.stack = std::make_shared<const Stack>(megatron());
  plan.workload.globalBatch = 1;
  plan.workload.optimizer = ir::Optimizer{"adam", 2, true, {}};
  plan.precision.compute = plan.precision.activations = plan.precision.params = DType::fp16;
  program.mesh = mesh(*plan.cluster, axes);
  schedule.program = &program;
  schedule.kind = &oneForwardOneBackward();
  schedule.blockingShare.fill(1);
}

LayerClassId Builder::unit(const std::string& name, int64_t count, bool repeat) {
  const LayerClassId id = layer(name, repeat ? count : 0);
  program.model.edit().layers[body(id).layer].count = count;
  body(id).instances = RangeSet{{{0, count, 1}}};
  return id;
}

OpId Builder::op(const std::string& name, OpKind kind, const std::string& child) {
  Model& model = program.model.edit();
  ir::Layer& layer = model.layers[body().layer];
  Op op;
  op.name = Symbol(name);
  op.kind = kind;
  op.path = {layer.name};
  if (!child.empty()) op.path.push_back(Symbol(child));
  op.layer = body().layer;
  op.region = layer.region;
  const OpId id(model.ops.size());
  Value result;
  result.kind = ValueKind::Result;
  result.producer = id;
  result.layer = op.layer, result.region = op.region;
  op.result = model.values.add(std::move(result));
  model.ops.add(std::move(op));
  layer.end = OpId(model.ops.size());
  return id;
}

Node Builder::compute(OpId op, Role role, Phase phase) const {
  Node n = Build::compute(op, role, phase);
  n.compute().work.dtype = DType::fp16;
  return n;
}

Node Builder::lasting(OpId op, double seconds, bool backward) const {
  Node n = compute(op, backward ? Role::Backward : Role::Forward, backward ? Phase::Backward : Phase::Forward);
  n.compute().work.reads = (seconds - 3e-6) * .85 * 2.039e12;
  return n;
}

ValueId Builder::param(OpId reader, const std::string& name, std::vector<int64_t> extents) {
  Model& model = program.model.edit();
  Value v;
  v.name = Symbol(name);
  v.path = {Symbol(name)};
  v.kind = ValueKind::Param;
  v.trainable = true;
  v.layer = model.ops[reader].layer;
  v.region = model.ops[reader].region;
  for (size_t i = 0; i < extents.size(); ++i) v.dims.push_back(model.dim(Symbol(name + std::to_string(i)), extents[i]));
  const ValueId id = model.values.add(v);
  model.values[id].storage = id;
  model.params.push_back(id);
  model.ops[reader].operands.push_back({id, v.dims});
  return id;
}

namespace {

Segment segmentOf(const Schedule& schedule, LayerClassId id, bool backward) {
  const LayerClass& layerClass = schedule.program->classes[id];
  const auto& nodes = backward ? layerClass.backward : layerClass.forward;
  Segment segment{id, backward, {}};
  std::vector<std::vector<uint32_t>> tasksOf(nodes.size());
  for (uint32_t n = 0; n < nodes.size(); ++n) {
    const Collective* comm = nodes[n].asCollective();
    const double share = comm ? schedule.blockingShare[comm->cls] : 1;
    Few<uint32_t, 4> deps;
    for (NodeIndex d : nodes[n].deps) deps.insert(deps.end(), tasksOf[d].begin(), tasksOf[d].end());
    auto add = [&](Stream stream, double fraction) {
      if (fraction <= 0) return;
      segment.tasks.edit().push_back({stream, n, fraction, deps});
      tasksOf[n].push_back(static_cast<uint32_t>(segment.tasks.size()) - 1);
      deps.push_back(tasksOf[n].back()); // the rest of a collective follows its inline part
    };
    add(kComputeStream, share);
    if (comm) add(streamOf(*schedule.program, comm->level), 1 - share);
  }
  return segment;
}

} // namespace

void Builder::finish() {
  schedule.forward.clear();
  schedule.backward.clear();
  for (uint32_t b = 0; b < program.classes.size(); ++b) {
    schedule.forward.push_back(segmentOf(schedule, LayerClassId(b), false));
    schedule.backward.push_back(segmentOf(schedule, LayerClassId(b), true));
  }
}

std::unique_ptr<CostModel> Builder::model(DiagnosticEngine& diagnostics) const {
  return makeCostModel(facts_.emplace_back(*plan.cluster, *plan.stack), diagnostics);
}

std::vector<ClassCost> Builder::classCosts(DiagnosticEngine& diagnostics) const {
  const auto made = model(diagnostics);
  return priceClasses(schedule, *made, facts_.back());
}

Simulation Builder::simulated(DiagnosticEngine& diagnostics) const {
  const auto made = model(diagnostics);
  return simulate(schedule, *made, facts_.back());
}

std::unique_ptr<Estimate> Builder::estimate(DiagnosticEngine& diagnostics) {
  finish();
  return cost::estimate(schedule, diagnostics);
}

// ---- orders ------------------------------------------------------------------

const ScheduleKind& scheduleNamed(std::string_view name) {
  if (const ScheduleKind* kind = passes::scheduleKinds().find(name)) return *kind;
  throw std::runtime_error("no such schedule");
}

const ScheduleKind& oneForwardOneBackward() {
  return scheduleNamed("one_f_one_b");
}
const ScheduleKind& interleaved() {
  return scheduleNamed("interleaved_1f1b");
}
const ScheduleKind& gpipe() {
  return scheduleNamed("gpipe");
}

const ScheduleKind& splitBackward() {
  static const ScheduleKind kind{.splits = true, .orders = [](const ScheduleShape& shape) {
                                   ActionLists orders = oneForwardOneBackward().orders(shape).lists();
                                   for (auto& order : orders) {
                                     std::vector<Action> split;
                                     for (Action a : order) {
                                       if (a.kind == ActionKind::Backward) a.kind = ActionKind::BackwardInput;
                                       split.push_back(a);
                                       if (a.kind == ActionKind::Forward || a.microBatch == 0) continue;
                                       a.kind = ActionKind::BackwardWeight;
                                       --a.microBatch;
                                       split.push_back(a);
                                     }
                                     Action last = split.back();
                                     ++last.microBatch;
                                     split.push_back(last);
                                     order = std::move(split);
                                   }
                                   return Orders(orders);
                                 }};
  return kind;
}

} // namespace planc::cost::test
