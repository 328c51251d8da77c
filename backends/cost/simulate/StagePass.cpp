// Passes of a virtual stage, and how long they take its ports.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/StagePass.h"

#include "backends/cost/price/Buckets.h"
#include "backends/cost/simulate/Chain.h"

#include <algorithm>
#include <utility>

namespace planc::cost {

bool everyMicroBatch(const ir::StateCollective& state, bool backward) {
  return state.phase == (backward ? ir::Phase::Backward : ir::Phase::Forward);
}

bool oncePerStep(const ir::StateCollective& state) {
  return state.phase == ir::Phase::Step && endsBackward(state);
}

bool reducesInLast(const ir::StateCollective& state, bool weights) {
  return oncePerStep(state) || (!weights && everyMicroBatch(state, true) && endsBackward(state));
}

namespace {

using Runs = std::vector<std::pair<ir::LayerClassId, int64_t>>;

Runs runsOf(const ir::StageKind& stage, bool backward) {
  Runs runs;
  runs.reserve(stage.classes.size());
  for (const auto& run : stage.classes)
    if (run.second > 0) runs.push_back(run);
  if (backward) std::reverse(runs.begin(), runs.end());
  return runs;
}

} // namespace

void bookAlone(StagePass& pass, const std::vector<ClassCost>& costs, const ir::StageKind& stage, bool backward) {
  if (std::exchange(pass.booked, true)) return;
  for (const auto& [id, count] : runsOf(stage, backward))
    addAlone(pass.account, id, backward, costs[id.index].of(backward), static_cast<double>(count));
}

StagePass runStagePass(const ir::Schedule& schedule, const std::vector<ClassCost>& costs, const ir::StageKind& stage,
                       bool backward, bool account) {
  Runs runs = runsOf(stage, backward);
  StagePass out;
  for (const auto& [id, count] : runs) {
    const SegmentCost& cost = costs[id.index].of(backward);
    out.alone += cost.seconds * static_cast<double>(count);
    out.weight += cost.weight * static_cast<double>(count);
    for (const ir::StateCollective& state : schedule.program->classes[id].states)
      out.communicates |= everyMicroBatch(state, backward);
  }
  if (!runs.empty()) {
    const ir::LayerClassId id = runs.back().first;
    out.last = costs[id.index].of(backward).seconds / static_cast<double>(layersOf(schedule.program->classes[id]));
  }
  out.seconds = out.alone;
  if (out.communicates) {
    Chain(schedule, costs, std::move(runs), backward, Part::Pass).simulate(out);
    out.booked = true;
  } else if (account) {
    bookAlone(out, costs, stage, backward);
  }
  return out;
}

StagePass runLastPass(const ir::Schedule& schedule, const std::vector<ClassCost>& costs, const ir::StageKind& stage,
                      bool weights) {
  StagePass out;
  Chain(schedule, costs, runsOf(stage, true), true, weights ? Part::LastWeights : Part::Last).simulate(out);
  out.booked = true;
  return out;
}

namespace {

void addSeconds(std::vector<double>& ports, const ir::Program& program, size_t level, double seconds) {
  const auto port = static_cast<size_t>(ir::streamOf(program, level));
  if (port >= ports.size()) ports.resize(port + 1);
  ports[port] += seconds;
}

} // namespace

void addLayersOnPorts(std::vector<double>& ports, const ir::Schedule& schedule, const std::vector<ClassCost>& costs,
                      const ir::StageKind& stage, bool backward) {
  const ir::Program& program = *schedule.program;
  for (const auto& [id, count] : stage.classes) {
    const auto& nodes = backward ? program.classes[id].backward : program.classes[id].forward;
    const std::vector<NodeCost>& of = costs[id.index].of(backward).nodes;
    for (size_t n = 0; n < nodes.size(); ++n)
      if (const ir::Collective* c = nodes[n].asCollective(); c && of[n].runs)
        addSeconds(ports, program, c->level, of[n].seconds * static_cast<double>(count));
  }
}

void addStatesOnPorts(std::vector<double>& ports, const ir::Schedule& schedule, const std::vector<ClassCost>& costs,
                      const ir::StageKind& stage, llvm::function_ref<double(const ir::StateCollective&)> share) {
  const ir::Program& program = *schedule.program;
  for (const auto& [id, count] : stage.classes) {
    const auto& states = program.classes[id].states;
    for (size_t s = 0; s < states.size(); ++s)
      if (const double moves = share(states[s]); moves > 0)
        addSeconds(ports, program, states[s].level, costs[id.index].states[s] * static_cast<double>(count) * moves);
  }
}

} // namespace planc::cost
