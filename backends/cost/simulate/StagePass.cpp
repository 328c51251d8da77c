// Passes of a virtual stage, and how long they take its ports.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/StagePass.h"

#include "backends/cost/price/Buckets.h"
#include "backends/cost/simulate/Chain.h"
#include "backends/cost/simulate/slices/InstanceSlices.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace planc::cost {

bool everyMicroBatch(const ir::StateCollective& state, bool backward) {
  return state.phase == (backward ? ir::Phase::Backward : ir::Phase::Forward);
}

bool reducesOnce(const ir::StateCollective& state) {
  return state.phase == ir::Phase::Step && endsBackward(state);
}

bool gathersOnce(const ir::StateCollective& state) {
  return state.phase == ir::Phase::Step && !endsBackward(state);
}

bool reducesInLast(const ir::StateCollective& state, bool weights) {
  return reducesOnce(state) || (!weights && everyMicroBatch(state, true) && endsBackward(state));
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

using CostOf = llvm::function_ref<const SegmentCost&(const ClassCost&)>;

const SegmentCost& firstOf(const ClassCost& cost) {
  return cost.halves->first;
}
const SegmentCost& secondOf(const ClassCost& cost) {
  return cost.halves->second;
}

void bookAlone(StagePass& pass, const std::vector<ClassCost>& costs, const ir::StageKind& stage, bool backward,
               CostOf costOf) {
  if (std::exchange(pass.booked, true)) return;
  for (const auto& [id, count] : runsOf(stage, backward))
    addAlone(pass.account, id, backward, costOf(costs[id.index]), static_cast<double>(count));
}

/// A pass without its account, if no states move with it.
StagePass runPass(const ir::Schedule& schedule, const std::vector<ClassCost>& costs, const ir::StageKind& stage,
                  bool backward, CostOf costOf, std::optional<ChainPart> moving) {
  Runs runs = runsOf(stage, backward);
  StagePass out;
  for (const auto& [id, count] : runs) {
    out.alone += costOf(costs[id.index]).seconds * static_cast<double>(count);
    for (const ir::StateCollective& state : schedule.program->classes[id].states)
      out.communicates |= moving && everyMicroBatch(state, backward);
  }
  if (!runs.empty()) {
    const ir::LayerClassId id = runs.back().first;
    out.last = costOf(costs[id.index]).seconds / static_cast<double>(layersOf(schedule.program->classes[id]));
  }
  out.seconds = out.alone;
  if (out.communicates) {
    Chain(schedule, costs, std::move(runs), backward, *moving).simulate(out);
    out.booked = true;
  }
  return out;
}

} // namespace

void bookAlone(StagePass& pass, const std::vector<ClassCost>& costs, const ir::StageKind& stage, bool backward) {
  bookAlone(pass, costs, stage, backward,
            [&](const ClassCost& cost) -> const SegmentCost& { return cost.of(backward); });
}

void bookAlone(HalfPasses& halves, const std::vector<ClassCost>& costs, const ir::StageKind& stage) {
  bookAlone(halves.first, costs, stage, true, firstOf);
  bookAlone(halves.second, costs, stage, true, secondOf);
}

StagePass runStagePass(const ir::Schedule& schedule, const std::vector<ClassCost>& costs, const ir::StageKind& stage,
                       bool backward, bool account) {
  StagePass out = runPass(
      schedule, costs, stage, backward, [&](const ClassCost& cost) -> const SegmentCost& { return cost.of(backward); },
      ChainPart::Pass);
  if (account) bookAlone(out, costs, stage, backward);
  return out;
}

void observeStagePass(const ir::Schedule& schedule, const std::vector<ClassCost>& costs, const ir::StageKind& stage,
                      ir::ActionKind kind, SliceObserver& observer) {
  const bool backward = kind != ir::ActionKind::Forward, weights = kind == ir::ActionKind::BackwardWeight;
  Runs runs = runsOf(stage, backward);
  const bool communicates = !weights && std::ranges::any_of(runs, [&](const auto& run) {
    const auto& states = *schedule.program->classes[run.first].states;
    return std::ranges::any_of(states, [&](const auto& state) { return everyMicroBatch(state, backward); });
  });
  if (communicates) {
    StagePass out;
    const ChainPart part = kind == ir::ActionKind::BackwardInput ? ChainPart::InputHalf : ChainPart::Pass;
    return Chain(schedule, costs, std::move(runs), backward, part).simulate(out, &observer);
  }
  double at = 0;
  for (const auto& [id, count] : runs) {
    const InstanceSlices instance(schedule, costs[id.index], id, kind);
    for (int64_t i = 0; i < count; ++i, at += instance.seconds()) {
      observer.beginLayer(static_cast<int64_t>(id.index), at);
      instance.tell(observer, at);
    }
  }
}

HalfPasses runHalves(const ir::Schedule& schedule, const std::vector<ClassCost>& costs, const ir::StageKind& stage) {
  return {runPass(schedule, costs, stage, true, firstOf, ChainPart::InputHalf),
          runPass(schedule, costs, stage, true, secondOf, std::nullopt)};
}

StagePass runLastPass(const ir::Schedule& schedule, const std::vector<ClassCost>& costs, const ir::StageKind& stage,
                      bool weights) {
  StagePass out;
  Chain(schedule, costs, runsOf(stage, true), true, weights ? ChainPart::LastWeights : ChainPart::Last).simulate(out);
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

void takeRunning(std::vector<double>& ports, const ir::Program& program, const StagePass& pass) {
  for (const auto& [id, spent] : pass.running.bodies())
    for (size_t s = 0; s < spent.states.size(); ++s) {
      double& on = ports[static_cast<size_t>(ir::streamOf(program, program.classes[id].states[s].level))];
      on = std::max(0.0, on - spent.states[s]);
    }
}

} // namespace planc::cost
