// Adds up what device stages spend, from the accounts of stage passes and pairs and what the pipeline booked.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/StageAccounts.h"

#include "backends/cost/price/Buckets.h"
#include "backends/cost/price/DeviceStages.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

namespace planc::cost {

namespace {

/// Communication of states on one virtual stage, the seconds of those that are picked by the share of them.
Account statesOf(const Simulation& sim, size_t virtualStage,
                 llvm::function_ref<double(const ir::StateCollective&)> share) {
  const ir::Program& program = *sim.schedule->program;
  Account account;
  for (const auto& [id, count] : instancesOf(program.kindOf(virtualStage))) {
    const auto& states = program.classes[id].states;
    for (size_t s = 0; s < states.size(); ++s)
      if (const double part = count > 0 ? share(states[s]) : 0; part > 0)
        account.expose(id, s, sim.classes[id.index].states[s] * static_cast<double>(count) * part);
  }
  return account;
}

/// Passes and pairs, as often as they are in the stage's order. A pair that begins with one pass alone is a pair only
/// by the share of its saving that it makes.
void addPasses(Account& account, const Simulation& sim, size_t stage) {
  struct Passes {
    double forward = 0, backward = 0, first = 0, second = 0; ///< times
  };
  std::map<size_t, Passes> passes; // by virtual stage
  sim.pipeline.actions[stage].eachWritten([&](const ir::Action& a, int64_t times) {
    Passes& of = passes[a.virtualStage];
    if (a.kind == ir::ActionKind::Forward) of.forward += static_cast<double>(times);
    if (a.kind == ir::ActionKind::Backward) of.backward += static_cast<double>(times);
    if (a.kind == ir::ActionKind::BackwardInput) of.first += static_cast<double>(times);
    if (a.kind == ir::ActionKind::BackwardWeight) of.second += static_cast<double>(times);
  });
  for (const auto& [pair, share] : sim.stages[stage].together) {
    const auto known = sim.pairs.find(pair);
    if (known == sim.pairs.end()) continue;
    account.add(*known->second, share);
    passes[static_cast<size_t>(pair.first)].forward -= share;
    passes[static_cast<size_t>(pair.second)].backward -= share;
  }
  for (const auto& [vs, ran] : passes) {
    const size_t pass = sim.stagePassOf[vs];
    const auto add = [&](const StagePass& of, double times) {
      if (times > 0) account.add(of.account, times);
    };
    add(sim.forward[pass], ran.forward), add(sim.backward[pass], ran.backward);
    if (sim.halves.empty()) continue;
    add(sim.halves[pass].first, ran.first), add(sim.halves[pass].second, ran.second);
  }
}

/// The pass that completes the gradients of a virtual stage.
const StagePass& lastPassOf(const Simulation& sim, const HeldStage& held) {
  return *(held.lastWeights ? sim.lastWeights : sim.last)[sim.stagePassOf[held.virtualStage]];
}

/// The account of that pass beyond another pass.
Account longerAccount(const Simulation& sim, const HeldStage& held) {
  const Account& last = lastPassOf(sim, held).account;
  return held.lastWeights ? last : last.beyond(sim.stagePass(held.virtualStage, true).account);
}

/// The reductions that run on after the pass that completes the gradients, `after` seconds of them.
void addReductions(Account& account, const Simulation& sim, const HeldStage& held, double after) {
  const StagePass& last = lastPassOf(sim, held);
  // First the reductions that run on when the pass runs by itself. If they queue behind others, those that would have
  // hidden in the pass show, too.
  const double alone = last.running.exposedStates();
  account.expose(last.running, std::min(after, alone));
  if (after > alone) {
    const Account all = statesOf(sim, static_cast<size_t>(held.virtualStage), [&](const ir::StateCollective& s) {
      return reducesInLast(s, held.lastWeights) ? 1 - sim.schedule->blockingShare[s.cls] : 0;
    });
    Account shown = last.running;
    shown.add(longerAccount(sim, held));
    const Account hidden = all.beyond(shown);
    account.expose(hidden.exposedStates() > 0 ? hidden : all, after - alone);
  }
}

/// The extra time of the pass that completes the gradients.
void addInLastPass(Account& account, const Simulation& sim, const HeldStage& held, double inPass) {
  const Account more = longerAccount(sim, held);
  if (const double all = more.sum().sum(); all > 0)
    account.add(more, inPass / all);
  else
    account.slow(sim.stagePass(held.virtualStage, true).account, inPass);
}

/// The seconds that the pipeline booked for one virtual stage, and the blocking shares of its step.
void addHeld(Account& account, const Simulation& sim, const HeldStage& held) {
  for (const Cause cause : {Cause::ForwardTail, Cause::BackwardTail, Cause::Gathers, Cause::SlowedByGathers,
                            Cause::Reductions, Cause::InLastPass})
    addBooked(account, sim, held, cause, held.booked[cause]);
  account.add(inlinedReductions(sim, held.virtualStage));
}

/// Moves waits that exceed the seconds of a reduction to reductions that have seconds left. A wait can exceed them if
/// reductions of several passes queue, or if whole passes and halves both leave some.
void keepWithinTheirTime(Account& account, const Simulation& sim, size_t stage, const DeviceStages& devices) {
  const ir::Program& program = *sim.schedule->program;
  Account all;
  for (const auto& [id, count] : devices.instancesOn(stage)) {
    const auto& states = program.classes[id].states;
    for (size_t s = 0; s < states.size(); ++s) {
      const double times = states[s].phase == ir::Phase::Step ? 1 : static_cast<double>(program.passes());
      all.expose(id, s, sim.classes[id.index].states[s] * static_cast<double>(count) * times);
    }
  }
  std::vector<std::tuple<ir::LayerClassId, size_t, double>> over;
  double moved = 0;
  for (const auto& [id, spent] : account.bodies())
    for (size_t s = 0; s < spent.states.size(); ++s) {
      const ClassSpent* const has = all.find(id);
      const double most = has && s < has->states.size() ? has->states[s] : 0;
      if (const double more = spent.states[s] - most; more > 0) over.emplace_back(id, s, more), moved += more;
    }
  if (over.empty()) return;
  for (const auto& [id, s, more] : over) account.expose(id, s, -more);
  const Account left = all.beyond(account);
  if (left.exposedStates() > 0) return account.expose(left, moved);
  for (const auto& [id, s, more] : over) account.expose(id, s, more);
}

VirtualStageCost meanOf(const std::vector<VirtualStageCost>& costs) {
  const double n = static_cast<double>(costs.size());
  VirtualStageCost mean;
  const auto addPass = [n](PassCost& to, const PassCost& from) {
    to.seconds += from.seconds / n, to.weight += from.weight / n, to.tail += from.tail / n;
    to.apart += from.apart / n, to.inputTail += from.inputTail / n, to.last += from.last / n;
    to.onStep += from.onStep / n, to.onGathers += from.onGathers / n, to.onSends += from.onSends / n;
    to.room = std::min(to.room, from.room);
  };
  const auto addLast = [n](LastPass& to, const LastPass& from) {
    to.longer += from.longer / n, to.tail += from.tail / n, to.carried += from.carried / n;
    to.reducing += from.reducing / n, to.onSends += from.onSends / n;
  };
  for (const VirtualStageCost& c : costs) {
    addPass(mean.forward, c.forward);
    addPass(mean.backward, c.backward);
    mean.gathers.inlined += c.gathers.inlined / n, mean.gathers.total += c.gathers.total / n;
    mean.gathers.wait += c.gathers.wait / n, mean.gathers.beside += (c.gathers.beside - 1) / n;
    mean.meets.add(c.meets);
    addLast(mean.last, c.last);
    addLast(mean.lastWeights, c.lastWeights);
    if (costs.size() < 2) continue;
    mean.send += c.send / (n - 1), mean.sendBack += c.sendBack / (n - 1);
    mean.joined += c.joined / (n - 1), mean.joinedBack += c.joinedBack / (n - 1);
  }
  return mean;
}

/// Returns one pair instead of all: it saves the mean of their savings, and makes its results at the same times.
PairCost meanPair(const PipelineInput& in, const VirtualStageCost& mean) {
  const double n = static_cast<double>(in.pairs.size()), apart = mean.forward.seconds + mean.backward.seconds;
  double kept = 0;
  PairCost pair;
  for (const auto& [stages, cost] : in.pairs) {
    const double whole =
        in.virtualStages[stages.first].forward.seconds + in.virtualStages[stages.second].backward.seconds;
    if (!(whole > 0 && cost.seconds > 0)) continue;
    kept += cost.seconds / whole / n;
    pair.forward += cost.forward / whole / n * apart;
    pair.backward += cost.backward / whole / n * apart;
  }
  pair.seconds = kept * apart;
  return pair;
}

} // namespace

void addBooked(Account& account, const Simulation& sim, const HeldStage& held, Cause cause, double seconds) {
  if (!(seconds > 0)) return;
  const StagePass& forward = sim.stagePass(held.virtualStage, false);
  switch (cause) {
  case Cause::ForwardTail:
    return account.expose(forward.running, seconds);
  case Cause::BackwardTail: {
    Account running = sim.stagePass(held.virtualStage, true).running;
    if (!sim.halves.empty()) running.add(sim.halves[sim.stagePassOf[held.virtualStage]].first.running);
    return account.expose(running, seconds);
  }
  case Cause::Gathers:
    return account.expose(statesOf(sim, static_cast<size_t>(held.virtualStage),
                                   [](const ir::StateCollective& s) { return gathersOnce(s) ? 1. : 0.; }),
                          seconds);
  case Cause::SlowedByGathers:
    return account.slow(forward.account, seconds);
  case Cause::Reductions:
    return addReductions(account, sim, held, seconds);
  case Cause::InLastPass:
    return addInLastPass(account, sim, held, seconds);
  case Cause::Send:
  case Cause::SendBack:
  case Cause::Receive:
  case Cause::ReceiveBack:
    return; // transfers belong to no class
  }
}

Account inlinedReductions(const Simulation& sim, int64_t virtualStage) {
  return statesOf(sim, static_cast<size_t>(virtualStage), [&](const ir::StateCollective& s) {
    return reducesOnce(s) ? sim.schedule->blockingShare[s.cls] : 0;
  });
}

StageAccount accountStage(const Simulation& sim, size_t stage, const DeviceStages* devices) {
  StageAccount a;
  addPasses(a.account, sim, stage);
  a.spent.exposed = sim.steps[stage].tied;
  for (const HeldStage& held : sim.stages[stage].holds) {
    addHeld(a.account, sim, held);
    for (const Cause cause : {Cause::Send, Cause::SendBack, Cause::Receive, Cause::ReceiveBack})
      a.spent.exposed += held.booked[cause];
  }
  const StageTimes& times = sim.stages[stage];
  if (times.booked(Cause::Reductions) + times.booked(Cause::BackwardTail) > 0) {
    std::optional<DeviceStages> own;
    if (!devices) devices = &own.emplace(*sim.schedule->program);
    keepWithinTheirTime(a.account, sim, stage, *devices);
  }
  a.spent.add(a.account.sum());
  return a;
}

std::vector<StageAccount> accountStages(const Simulation& sim) {
  const DeviceStages devices(*sim.schedule->program);
  std::vector<StageAccount> accounts;
  std::map<std::vector<std::pair<ir::LayerClassId, int64_t>>, int64_t> kinds; // by instances of classes
  for (size_t s = 0; s < sim.stages.size(); ++s) {
    StageAccount& a = accounts.emplace_back(accountStage(sim, s, &devices));
    a.kind = kinds.try_emplace(devices.instancesOn(s), static_cast<int64_t>(kinds.size())).first->second;
  }
  return accounts;
}

EvenStages evenStages(const Simulation& sim, FastPipeline& engine) {
  EvenStages even;
  if (sim.stages.size() < 2) return even;
  PipelineInput in = sim.pipeline;
  const VirtualStageCost mean = meanOf(sim.pipeline.virtualStages);
  const PairCost pair = meanPair(sim.pipeline, mean);
  for (VirtualStageCost& c : in.virtualStages) c = mean;
  in.virtualStages.back().send = in.virtualStages.front().sendBack = 0;
  for (auto& entry : in.pairs) entry.second = pair;
  double inlined = 0, most = 0;
  for (const StepTimes& step : sim.steps) inlined += step.inlined / static_cast<double>(sim.steps.size());
  std::fill(in.between.begin(), in.between.end(), inlined);
  for (const StageTimes& t : engine.simulate(in)) {
    even.end = std::max(even.end, t.end - t.begin + t.trailing + inlined);
    most = std::max(most, t.busy + t.booked() + inlined);
  }
  even.idle = std::max(0.0, even.end - most);
  return even;
}

} // namespace planc::cost
