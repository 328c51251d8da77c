// Collective rows: one per class, operation, axes, layer, phase and stage, with the count per device and step.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/price/Buckets.h"
#include "backends/cost/price/DeviceStages.h"
#include "backends/cost/result/Rows.h"
#include "ir/program/CollectiveNodes.h"

#include <algorithm>
#include <array>

namespace planc::cost {

namespace {

/// Sums over the collectives of one row. They are averaged when the row is written.
struct Sum {
  const ir::Node* node = nullptr; ///< the first collective
  size_t layer = 0;
  double count = 0, bytes = 0, seconds = 0;
};

/// Rows of one instance of a class, and the row of each node.
struct ClassCollectives {
  std::vector<CollectiveRow> rows;
  std::array<std::vector<size_t>, 2> rowOf; ///< by direction and node; SIZE_MAX: no row
};

bool sameRow(const Sum& s, const ir::Node& n, size_t layer) {
  const ir::Collective &a = s.node->collective(), &b = n.collective();
  return s.layer == layer && a.cls == b.cls && a.kind == b.kind && a.axes == b.axes && s.node->phase == n.phase;
}

CollectiveRow describe(const CostModel& model, const ir::Program& program, const ir::Node& node) {
  const ir::Collective& c = node.collective();
  CollectiveRow row;
  row.op = ir::name(c.kind);
  row.cls = c.cls;
  row.phase = node.phase;
  row.axis = program.mesh.str(c.axes);
  row.axes = c.axes;
  row.group = c.group;
  if (c.kind == ir::CollectiveKind::HostCopy) {
    row.level = ir::kHost;
  } else if (c.level < program.mesh.levelNames.size()) {
    row.level = program.mesh.levelNames[c.level].str();
    row.levelIndex = c.level;
  }
  row.because = c.because;
  std::vector<LimitPart> limits;
  model.price(program, node, {.limits = &limits});
  row.limit = narrowest(limits).what;
  return row;
}

/// Returns the rows of one instance. `count` is per instance and micro-batch.
ClassCollectives instanceRows(const CostModel& model, const ir::Program& program, const ir::LayerTree& tree,
                              ir::LayerClassId id, const ClassCost& cost) {
  const ir::LayerClass& layerClass = program.classes[id];
  ClassLayers layers(program, tree, id);
  ClassCollectives out;
  std::vector<Sum> sums;
  for (const bool backward : {false, true}) {
    const auto& nodes = backward ? layerClass.backward : layerClass.forward;
    const SegmentCost& segment = cost.of(backward);
    out.rowOf[backward].assign(nodes.size(), SIZE_MAX);
    for (size_t n = 0; n < nodes.size(); ++n) {
      const ir::Node& node = nodes[n];
      const ir::Collective* c = node.asCollective();
      if (!c || c->kind == ir::CollectiveKind::Slice || !segment.nodes[n].runs) continue;
      const size_t layer = node.op.valid() ? layers.rowOf(node.op) : 0;
      auto sum = std::find_if(sums.begin(), sums.end(), [&](const Sum& s) { return sameRow(s, node, layer); });
      if (sum == sums.end()) sum = sums.insert(sums.end(), Sum{&node, layer});
      sum->count += node.times;
      sum->bytes += c->bytes * node.times;
      sum->seconds += segment.nodes[n].seconds;
      out.rowOf[backward][n] = static_cast<size_t>(sum - sums.begin());
    }
  }
  for (const Sum& s : sums) {
    CollectiveRow row = describe(model, program, *s.node);
    row.count = s.count;
    row.bytes = s.bytes / s.count;
    row.seconds = s.seconds / s.count;
    row.layer = s.layer < layers.rows().size() ? layers.rows()[s.layer] : program.refOf(layerClass);
    out.rows.push_back(std::move(row));
  }
  return out;
}

/// Finishes a row whose `exposed` is the time of a whole step of its stage.
void finish(CollectiveRow& row, const Simulation& sim, int64_t stage) {
  row.stage = stage;
  row.inStep = row.exposed;
  if (stage == sim.critical) row.onPath = row.exposed;
  if (row.count > 0) row.exposed /= row.count;
}

/// Adds the collectives inside the instances of a class.
void addInstances(std::vector<CollectiveRow>& rows, const ClassCollectives& body, const Simulation& sim, int64_t stage,
                  ir::LayerClassId id, int64_t count) {
  const size_t first = rows.size();
  rows.insert(rows.end(), body.rows.begin(), body.rows.end());
  const ClassSpent* spent = sim.accounts[stage].account.find(id);
  for (const bool backward : {false, true})
    for (size_t n = 0; spent && n < spent->nodes(backward).size(); ++n)
      if (const size_t row = body.rowOf[backward][n]; row < body.rows.size())
        rows[first + row].exposed += spent->nodes(backward)[n].exposed;
  for (size_t r = first; r < rows.size(); ++r) {
    rows[r].count *= static_cast<double>(count) * static_cast<double>(sim.schedule->program->passes());
    finish(rows[r], sim, stage);
  }
}

/// Adds the fused collectives of states. A row counts messages; messages that its layers share with other layers count
/// in part.
void addStates(std::vector<CollectiveRow>& rows, const Simulation& sim, const CostModel& model, int64_t stage,
               const std::vector<std::pair<ir::LayerClassId, int64_t>>& counts) {
  const ir::Program& program = *sim.schedule->program;
  for (const auto& [id, count] : counts) {
    const ir::LayerClass& layerClass = program.classes[id];
    const ClassSpent* spent = sim.accounts[stage].account.find(id);
    for (size_t s = 0; s < layerClass.states.size(); ++s) {
      const ir::StateCollective& state = layerClass.states[s];
      const Messages messages = messagesOf(*sim.schedule, id, state);
      CollectiveRow row = describe(model, program, messages.one);
      const bool once = state.phase == ir::Phase::Step;
      row.layer = program.refOf(layerClass);
      const double each = static_cast<double>(state.times) * messages.count; // of one instance
      row.count = each * static_cast<double>(count) * (once ? 1 : static_cast<double>(program.passes()));
      row.bytes = messages.one.collective().bytes;
      row.seconds = sim.classes[id.index].states[s] / each;
      if (spent && s < spent->states.size()) row.exposed = spent->states[s];
      finish(row, sim, stage);
      rows.push_back(std::move(row));
    }
  }
}

/// One side of the transfers between two virtual stages: what occupies the stage, and what the rows state.
struct TransferSide {
  Cause cause;
  ir::Phase phase;
  bool receives = false;
  int64_t from = 0; ///< sender relative to the occupied virtual stage: 0 or -1
};
constexpr std::array<TransferSide, 4> kSides{{{Cause::Send, ir::Phase::Forward, false, 0},
                                              {Cause::SendBack, ir::Phase::Backward, false, -1},
                                              {Cause::Receive, ir::Phase::Forward, true, -1},
                                              {Cause::ReceiveBack, ir::Phase::Backward, true, 0}}};

/// Rows of transfers, one per boundary value, direction and stage: what a device sends, and what holds it up while it
/// receives, if the stack models that.
class Transfers {
public:
  Transfers(const Simulation& sim, const CostModel& model, int64_t stage)
      : sim_(sim), program_(*sim.schedule->program), model_(model), stage_(stage) {}

  void add(const HeldStage& held, const TransferSide& side) {
    const int64_t from = held.virtualStage + side.from;
    if (from < 0 || (side.receives && sim_.pipeline.inlineReceive == 0)) return;
    if (side.phase == ir::Phase::Backward && !program_.plan->workload.hasBackward()) return;
    const ir::StageKind& sender = program_.kindOf(from);
    if (sender.sends.empty()) return;
    const auto& costs = sim_.pipeline.virtualStages;
    const bool back = side.phase == ir::Phase::Backward;
    const double all = back ? costs[from + 1].sendBack : costs[from].send;
    const double share = all > 0 ? held.booked[side.cause] / all : 0;
    for (const ir::Boundary& b : sender.sends) {
      if (back && !gradientReturns(program_, b)) continue;
      const double seconds = model_.price(program_, transferNode(sender, b)).seconds;
      const double gathering = b.scatter ? model_.price(program_, gatherNode(b)).seconds : 0;
      const ir::LayerRef crossing = ir::LayerRef::of(program_.model->values[b.value].path);
      ir::Node node = transferNode(sender, b);
      node.collective().axes = program_.stageAxes;
      add(node, side, crossing, side.receives ? seconds + gathering : seconds, share);
      if (b.scatter && !side.receives) add(gatherNode(b), side, crossing, gathering, share);
    }
  }

  void write(std::vector<CollectiveRow>& rows) {
    for (CollectiveRow& row : rows_) {
      finish(row, sim_, stage_);
      rows.push_back(std::move(row));
    }
  }

private:
  /// Adds one transfer. `share`: exposed seconds per step over the seconds of one micro-batch's transfers.
  void add(ir::Node node, const TransferSide& side, const ir::LayerRef& layer, double seconds, double share) {
    node.phase = side.phase;
    CollectiveRow row = describe(model_, program_, node);
    if (side.receives) row.op = "receive";
    row.layer = layer;
    row.bytes = node.collective().bytes;
    row.seconds = seconds;
    auto known = std::find_if(rows_.begin(), rows_.end(), [&](const CollectiveRow& r) {
      return r.op == row.op && r.layer == row.layer && r.phase == row.phase && r.level == row.level &&
             r.bytes == row.bytes;
    });
    if (known == rows_.end()) known = rows_.insert(rows_.end(), row);
    known->count += static_cast<double>(program_.passes());
    known->exposed += share * seconds;
  }

  const Simulation& sim_;
  const ir::Program& program_;
  const CostModel& model_;
  int64_t stage_;
  std::vector<CollectiveRow> rows_;
};

void addTransfers(std::vector<CollectiveRow>& rows, const Simulation& sim, const CostModel& model, int64_t stage) {
  Transfers transfers(sim, model, stage);
  for (const HeldStage& held : sim.stages[stage].holds)
    for (const TransferSide& side : kSides) transfers.add(held, side);
  transfers.write(rows);
}

void addTied(std::vector<CollectiveRow>& rows, const Simulation& sim, const CostModel& model, int64_t stage) {
  const ir::Program& program = *sim.schedule->program;
  if (!program.plan->workload.hasBackward()) return;
  for (const ir::StageGroup& group : program.stageGroups) {
    if (group.stages.size() < 2 || std::find(group.stages.begin(), group.stages.end(), stage) == group.stages.end())
      continue;
    const ir::Node sum = sumNode(group);
    CollectiveRow row = describe(model, program, sum);
    row.layer = ir::LayerRef::of(program.model->values[group.storage].path);
    row.count = 1;
    row.bytes = group.allReduce.bytes;
    row.seconds = row.exposed = model.price(program, sum).seconds;
    finish(row, sim, stage);
    rows.push_back(std::move(row));
  }
}

} // namespace

std::vector<CollectiveRow> collectiveRows(const Simulation& sim, const CostModel& model) {
  const ir::Program& program = *sim.schedule->program;
  const ir::LayerTree tree(program.model);
  std::vector<ClassCollectives> byClass;
  for (uint32_t b = 0; b < program.classes.size(); ++b)
    byClass.push_back(instanceRows(model, program, tree, ir::LayerClassId(b), sim.classes[b]));
  const DeviceStages devices(program);
  std::vector<CollectiveRow> rows;
  for (int64_t s = 0; s < program.stages; ++s) {
    const std::vector<std::pair<ir::LayerClassId, int64_t>> counts = devices.instancesOn(static_cast<size_t>(s));
    for (const auto& [id, count] : counts)
      if (count > 0) addInstances(rows, byClass[id.index], sim, s, id, count);
    addStates(rows, sim, model, s, counts);
    addTransfers(rows, sim, model, s);
    addTied(rows, sim, model, s);
  }
  return rows;
}

} // namespace planc::cost
