// Collective rows: one per class, operation, axes, layer, phase and stage, with the count of a device and step.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/Rows.h"

#include <algorithm>

namespace planc::cost {

namespace {

/// Sums over the collectives of one row; averaged when it is written.
struct Sum {
  const ir::Node* node = nullptr;
  size_t layer = 0;
  double count = 0, bytes = 0, seconds = 0, exposed = 0;
};

bool sameRow(const Sum& s, const ir::Node& n, size_t layer) {
  return s.layer == layer && s.node->cls == n.cls && s.node->collective == n.collective && s.node->axes == n.axes &&
         s.node->phase == n.phase;
}

CollectiveRow describe(const ir::Program& program, const ir::Node& node) {
  CollectiveRow row;
  row.op = ir::name(node.collective);
  row.cls = node.cls;
  row.phase = node.phase;
  row.axis = program.mesh.str(node.axes);
  row.group = node.group;
  if (node.level < program.mesh.levelNames.size()) row.level = program.mesh.levelNames[node.level].str();
  if (node.collective == ir::CollectiveKind::HostCopy) row.level = ir::kHost;
  row.because = node.because;
  return row;
}

/// Rows of one instance; `count` is per instance and micro-batch.
std::vector<CollectiveRow> instanceRows(const ir::Program& program, ir::BodyId id, const BodyCost& cost) {
  const ir::Body& body = program.bodies[id];
  RowPaths paths(program, id);
  std::vector<Sum> sums;
  for (const bool backward : {false, true}) {
    const auto& nodes = backward ? body.backward : body.forward;
    const SegmentCost& segment = cost.of(backward);
    for (size_t n = 0; n < nodes.size(); ++n) {
      const ir::Node& node = nodes[n];
      if (node.kind != ir::NodeKind::Collective || node.collective == ir::CollectiveKind::Slice ||
          !segment.nodes[n].runs)
        continue;
      const size_t layer = node.op.valid() ? paths.rowOf(node.op) : 0;
      auto sum = std::find_if(sums.begin(), sums.end(), [&](const Sum& s) { return sameRow(s, node, layer); });
      if (sum == sums.end()) sum = sums.insert(sums.end(), Sum{&node, layer});
      sum->count += node.times;
      sum->bytes += node.bytes * node.times;
      sum->seconds += segment.nodes[n].seconds;
      sum->exposed += segment.nodes[n].exposed;
    }
  }
  std::vector<CollectiveRow> rows;
  for (const Sum& s : sums) {
    CollectiveRow row = describe(program, *s.node);
    row.count = s.count;
    row.bytes = s.bytes / s.count;
    row.seconds = s.seconds / s.count;
    row.exposed = s.exposed / s.count;
    row.layer = s.layer < paths.paths().size() ? paths.paths()[s.layer] : paths.unitPath();
    rows.push_back(std::move(row));
  }
  return rows;
}

double exposedOn(const Simulation& sim, int64_t stage, ir::BodyId body, size_t state, bool backward) {
  const ir::Program& program = *sim.schedule->program;
  double seconds = 0;
  for (size_t vs : program.heldBy(stage))
    for (const StateExposure& e : sim.passage(static_cast<int64_t>(vs), backward).exposed)
      if (e.body == body && e.state == state) seconds += e.seconds;
  return seconds;
}

/// Fused collectives of states. What a step exposes beyond inline shares is spread over its collectives by their time.
void addStates(std::vector<CollectiveRow>& rows, const Simulation& sim, int64_t stage,
               const std::vector<int64_t>& counts) {
  const ir::Program& program = *sim.schedule->program;
  const StepTimes& step = sim.steps[static_cast<size_t>(stage)];
  const StageTimes& times = sim.stages[static_cast<size_t>(stage)];
  const double stepShare = step.comm > 0 ? std::min(1.0, (step.inlined + times.trailing) / step.comm) : 0;
  for (uint32_t b = 0; b < counts.size(); ++b) {
    if (counts[b] == 0) continue;
    const ir::Body& body = program.bodies[ir::BodyId(b)];
    const RowPaths paths(program, ir::BodyId(b));
    for (size_t s = 0; s < body.states.size(); ++s) {
      const ir::StateCollective& state = body.states[s];
      CollectiveRow row = describe(program, collectiveNode(state));
      const bool once = state.phase == ir::Phase::Step;
      row.stage = stage;
      row.layer = paths.unitPath();
      row.count = static_cast<double>(counts[b]) * (once ? 1 : static_cast<double>(program.passes()));
      row.bytes = state.bytes;
      row.seconds = sim.bodies[b].states[s];
      const double passExposed = once ? 0 : exposedOn(sim, stage, ir::BodyId(b), s, state.phase == ir::Phase::Backward);
      row.exposed = once ? row.seconds * stepShare : passExposed / static_cast<double>(counts[b]);
      rows.push_back(std::move(row));
    }
  }
}

/// One row per boundary value, direction and stage: what a device sends.
void addTransfers(std::vector<CollectiveRow>& rows, const Simulation& sim, const CostModel& model, int64_t stage) {
  const ir::Program& program = *sim.schedule->program;
  const size_t firstRow = rows.size();
  auto add = [&](const ir::VirtualStage& from, const ir::Boundary& b, ir::Phase phase) {
    for (const bool gather : {false, true}) {
      if (gather && !b.scatter) continue;
      ir::Node node = gather ? b.gather : transferNode(from, b);
      node.phase = phase;
      if (!gather) node.axes = program.stageAxes;
      CollectiveRow row = describe(program, node);
      row.stage = stage;
      row.layer = program.model.pathOf(b.value);
      row.count = static_cast<double>(program.passes());
      row.bytes = node.bytes;
      if (!gather) node.axes = 0;
      row.seconds = model.collective(program, node);
      row.exposed = row.seconds * sim.pipeline.inlineSend;
      for (size_t r = firstRow; r < rows.size(); ++r)
        if (rows[r].op == row.op && rows[r].layer == row.layer && rows[r].phase == phase &&
            rows[r].level == row.level && rows[r].bytes == row.bytes) {
          rows[r].count += row.count;
          return;
        }
      rows.push_back(std::move(row));
    }
  };
  for (size_t vs : program.heldBy(stage)) {
    for (const ir::Boundary& b : program.virtualStages[vs].sends) add(program.virtualStages[vs], b, ir::Phase::Forward);
    if (vs == 0 || !program.plan->workload.train) continue;
    for (const ir::Boundary& b : program.virtualStages[vs - 1].sends)
      if (ir::isFloat(program.dtypeOf(b.value))) add(program.virtualStages[vs - 1], b, ir::Phase::Backward);
  }
}

/// Pairs of passes hide communication of the instances: the rest is spread over their rows.
void hide(std::vector<CollectiveRow>& rows, size_t first, double seconds) {
  double exposed = 0;
  for (size_t r = first; r < rows.size(); ++r) exposed += rows[r].exposed * rows[r].count;
  if (exposed <= 0 || seconds <= 0) return;
  for (size_t r = first; r < rows.size(); ++r) rows[r].exposed *= 1 - std::min(1.0, seconds / exposed);
}

void addTied(std::vector<CollectiveRow>& rows, const Simulation& sim, const CostModel& model, int64_t stage) {
  const ir::Program& program = *sim.schedule->program;
  if (!program.plan->workload.train) return;
  for (const ir::StageGroup& group : program.stageGroups) {
    if (group.stages.size() < 2 || std::find(group.stages.begin(), group.stages.end(), stage) == group.stages.end())
      continue;
    CollectiveRow row = describe(program, group.allReduce);
    row.stage = stage;
    row.layer = program.model.pathOf(group.storage);
    row.count = 1;
    row.bytes = group.allReduce.bytes;
    row.seconds = row.exposed = model.collective(program, group.allReduce);
    rows.push_back(std::move(row));
  }
}

} // namespace

std::vector<CollectiveRow> collectiveRows(const Simulation& sim, const CostModel& model) {
  const ir::Program& program = *sim.schedule->program;
  std::vector<std::vector<CollectiveRow>> byBody;
  for (uint32_t b = 0; b < program.bodies.size(); ++b)
    byBody.push_back(instanceRows(program, ir::BodyId(b), sim.bodies[b]));
  std::vector<CollectiveRow> rows;
  for (int64_t s = 0; s < program.stages; ++s) {
    const std::vector<int64_t> counts = instancesOn(program, s);
    const size_t first = rows.size();
    for (size_t b = 0; b < byBody.size(); ++b) {
      if (counts[b] == 0) continue;
      for (const CollectiveRow& row : byBody[b]) {
        rows.push_back(row);
        rows.back().stage = s;
        rows.back().count *= static_cast<double>(counts[b]) * static_cast<double>(program.passes());
      }
    }
    hide(rows, first, sim.stages[static_cast<size_t>(s)].paired);
    addStates(rows, sim, s, counts);
    addTransfers(rows, sim, model, s);
    addTied(rows, sim, model, s);
  }
  return rows;
}

} // namespace planc::cost
