// Times of the passes of virtual stages, and the communication of the step around them.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/VirtualStages.h"

#include "backends/cost/price/Buckets.h"
#include "backends/cost/simulate/FirstPass.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace planc::cost {

namespace {

using Moves = llvm::function_ref<bool(const ir::StateCollective&)>;

/// Ports of state collectives that are picked, on the virtual stages of a kind.
std::vector<ir::Stream> portsOf(const ir::Program& program, const ir::StageKind& stage, Moves picked) {
  std::vector<ir::Stream> ports;
  for (const auto& run : stage.classes)
    for (const ir::StateCollective& state : program.classes[run.first].states)
      if (picked(state)) ports.push_back(ir::streamOf(program, state.level));
  return ports;
}

/// By port, the seconds for which the communication of a pass takes it: inside of layers, and of states by `share`.
std::vector<double> onPorts(const Simulation& sim, const ir::StageKind& stage, bool backward,
                            llvm::function_ref<double(const ir::StateCollective&)> share) {
  std::vector<double> seconds;
  addLayersOnPorts(seconds, *sim.schedule, sim.classes, stage, backward);
  addStatesOnPorts(seconds, *sim.schedule, sim.classes, stage, share);
  return seconds;
}

/// The most of any of these ports.
double busiest(const std::vector<double>& seconds, const std::vector<ir::Stream>& ports) {
  double most = 0;
  for (const ir::Stream port : ports)
    if (static_cast<size_t>(port) < seconds.size()) most = std::max(most, seconds[static_cast<size_t>(port)]);
  return most;
}

/// Ports over which any stage reduces and gathers states of the step, and over which it sends to others.
struct SharedPorts {
  std::vector<ir::Stream> reductions, gathers, sends;
  explicit SharedPorts(const ir::Program& program) {
    for (const ir::StageKind& kind : program.stageKinds) {
      llvm::append_range(reductions, portsOf(program, kind, reducesOnce));
      llvm::append_range(gathers, portsOf(program, kind, gathersOnce));
      if (!kind.sends.empty()) sends.push_back(ir::streamOf(program, kind.level));
    }
  }
};

/// Some passes move no states of their own. Communication that others left on a port runs during them while their
/// layers leave the port free.
PassCost passCost(const Simulation& sim, const SharedPorts& shared, const ir::StageKind& stage, const StagePass& p,
                  bool backward) {
  PassCost cost{p.seconds, 0, p.tail};
  cost.last = p.last;
  const ir::Program& program = *sim.schedule->program;
  const std::vector<ir::Stream> leftOn =
      portsOf(program, stage, [](const auto& s) { return s.phase != ir::Phase::Step; });
  if (p.communicates) cost.room = 0;
  if (shared.reductions.empty() && shared.gathers.empty() && shared.sends.empty() && leftOn.empty()) return cost;
  std::vector<double> seconds =
      onPorts(sim, stage, backward, [&](const auto& s) { return everyMicroBatch(s, backward) ? 1. : 0.; });
  takeRunning(seconds, program, p);
  cost.onStep = busiest(seconds, shared.reductions), cost.onGathers = busiest(seconds, shared.gathers);
  cost.onSends = busiest(seconds, shared.sends);
  if (const double held = busiest(seconds, leftOn); held > 0 && !p.communicates)
    cost.room = std::max(0.0, p.seconds - held);
  return cost;
}

/// Gathers of new parameters on a kind of virtual stage. Blocking shares of the step's reductions go to `inlined`.
StepGathers stepGathers(const Simulation& sim, const ir::StageKind& stage, std::vector<double>& inlined) {
  const ir::Schedule& schedule = *sim.schedule;
  StepGathers gathers;
  double slowing = 0;
  for (const auto& [id, count] : instancesOf(stage)) {
    const auto& states = schedule.program->classes[id].states;
    for (size_t s = 0; s < states.size(); ++s) {
      if (states[s].phase != ir::Phase::Step || count <= 0) continue;
      const double share = schedule.blockingShare[states[s].cls];
      const double all = sim.classes[id.index].states[s] * static_cast<double>(count), beside = all * (1 - share);
      if (!gathersOnce(states[s])) {
        if (share > 0) inlined.push_back(all * share);
        continue;
      }
      gathers.inlined += all * share;
      gathers.total += beside;
      slowing += beside * schedule.beside(ir::streamOf(*schedule.program, states[s].level));
    }
  }
  if (!(gathers.total > 0)) return gathers;
  gathers.wait = waitForGathers(schedule, sim.classes, stage);
  gathers.beside = slowing / gathers.total;
  return gathers;
}

/// Ports of the reductions of the step that may hide.
std::vector<ir::Stream> reductionPorts(const ir::Schedule& schedule, const ir::StageKind& stage) {
  return portsOf(*schedule.program, stage,
                 [&](const auto& s) { return reducesOnce(s) && schedule.blockingShare[s.cls] < 1; });
}

LastPass lastPass(const Simulation& sim, const SharedPorts& shared, const ir::StageKind& stage, const StagePass& last,
                  double seconds, bool weights) {
  const auto share = [&](const ir::StateCollective& s) {
    if (reducesOnce(s)) return 1 - sim.schedule->blockingShare[s.cls];
    return !weights && everyMicroBatch(s, true) ? 1. : 0.;
  };
  std::vector<double> ports;
  if (weights)
    addStatesOnPorts(ports, *sim.schedule, sim.classes, stage, share);
  else
    ports = onPorts(sim, stage, true, share);
  LastPass cost{std::max(0.0, last.seconds - seconds), last.tail, busiest(ports, reductionPorts(*sim.schedule, stage))};
  std::vector<double> reductions;
  addStatesOnPorts(reductions, *sim.schedule, sim.classes, stage, [&](const ir::StateCollective& s) {
    return reducesInLast(s, weights) ? 1 - sim.schedule->blockingShare[s.cls] : 0;
  });
  cost.reducing = std::accumulate(reductions.begin(), reductions.end(), 0.0);
  cost.onSends = busiest(reductions, shared.sends);
  return cost;
}

} // namespace

void addVirtualStages(Simulation& sim) {
  const ir::Program& program = *sim.schedule->program;
  const SharedPorts shared(program);
  std::vector<StepGathers> gathers(program.stageKinds.size());
  std::vector<std::vector<double>> inlined(gathers.size());
  std::vector<PortsMeet> meets(gathers.size());
  for (uint32_t k = 0; k < gathers.size(); ++k) {
    const ir::StageKind& kind = program.stageKinds[ir::StageKindId(k)];
    gathers[k] = stepGathers(sim, kind, inlined[k]);
    const auto meet = [&](const std::vector<ir::Stream>& ports, Moves picked) {
      return llvm::any_of(portsOf(program, kind, picked), [&](auto port) { return llvm::is_contained(ports, port); });
    };
    const auto share = [&](const ir::StateCollective& s) { return sim.schedule->blockingShare[s.cls]; };
    const auto left = [](const ir::StateCollective& s) { return s.phase != ir::Phase::Step; };
    meets[k] = {meet(shared.sends, left),
                meet(shared.sends, [&](const auto& s) { return reducesOnce(s) && share(s) < 1; }),
                meet(shared.sends, [&](const auto& s) { return reducesOnce(s) && share(s) > 0; }),
                meet(shared.sends, [&](const auto& s) { return gathersOnce(s) && share(s) < 1; }),
                meet(shared.reductions, left)};
  }
  std::vector<std::optional<PassCost>> forward(sim.forward.size()), backward(sim.backward.size());
  const auto costOf = [&](std::optional<PassCost>& known, const ir::StageKind& kind, const StagePass& pass, bool back) {
    if (!known) known = passCost(sim, shared, kind, pass, back);
    return *known;
  };
  for (size_t vs = 0; vs < program.virtualStages.size(); ++vs) {
    const ir::VirtualStage& stage = program.virtualStages[vs];
    VirtualStageCost& cost = sim.pipeline.virtualStages.emplace_back();
    const ir::StageKind& kind = program.kindOf(vs);
    const size_t pass = sim.stagePassOf[vs];
    cost.forward = costOf(forward[pass], kind, sim.forward[pass], false);
    cost.backward = costOf(backward[pass], kind, sim.backward[pass], true);
    if (!sim.halves.empty()) {
      const HalfPasses& halves = sim.halves[pass];
      cost.backward.weight = halves.second.seconds;
      cost.backward.apart = halves.first.seconds + halves.second.seconds - cost.backward.seconds;
      cost.backward.inputTail = halves.first.tail;
    }
    cost.gathers = gathers[stage.kind.index];
    cost.meets = meets[stage.kind.index];
    sim.pipeline.devices.add(stage.devices);
    for (const int64_t device : stage.devices)
      for (const double seconds : inlined[stage.kind.index]) sim.steps[device].inlined += seconds;
  }
}

void addLastPasses(Simulation& sim) {
  const ir::Program& program = *sim.schedule->program;
  const SharedPorts shared(program);
  sim.last.resize(sim.backward.size()), sim.lastWeights.resize(sim.backward.size());
  for (const ir::Action& a : sim.pipeline.actions.written()) {
    const bool weights = a.kind == ir::ActionKind::BackwardWeight;
    if (!weights && a.kind != ir::ActionKind::Backward) continue;
    const ir::StageKind& kind = program.kindOf(a.virtualStage);
    VirtualStageCost& cost = sim.pipeline.virtualStages[a.virtualStage];
    LastPass& of = weights ? cost.lastWeights : cost.last;
    if (of.carried > 0 || reductionPorts(*sim.schedule, kind).empty()) continue;
    const size_t pass = sim.stagePassOf[a.virtualStage];
    std::optional<StagePass>& known = (weights ? sim.lastWeights : sim.last)[pass];
    if (!known) known = runLastPass(*sim.schedule, sim.classes, kind, weights);
    of = lastPass(sim, shared, kind, *known, weights ? cost.backward.weight : cost.backward.seconds, weights);
  }
}

} // namespace planc::cost
