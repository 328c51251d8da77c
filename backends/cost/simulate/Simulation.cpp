// Puts the step together from classes, stage passes, pipeline and what happens once (docs/cost-model.md, section 3).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/Simulation.h"

#include "backends/cost/facts/Facts.h"
#include "backends/cost/memory/MemoryUse.h"
#include "backends/cost/price/Buckets.h"
#include "backends/cost/price/DeviceStages.h"
#include "backends/cost/price/Update.h"
#include "backends/cost/simulate/Pair.h"
#include "backends/cost/simulate/StageAccounts.h"
#include "backends/cost/simulate/Stragglers.h"
#include "backends/cost/simulate/VirtualStages.h"
#include "ir/facts/ClusterFacts.h"
#include "ir/facts/StackFacts.h"
#include "ir/program/CollectiveNodes.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

namespace planc::cost {

namespace {

/// Steps that differ by less than this share are equal: rounding.
constexpr double kSameStep = 1e-12;
/// Share of a sum of times below which a difference is rounding.
constexpr double kRounding = 1e-11;

/// Virtual stages of equal instances pass alike: each kind of stage pass is simulated once.
void runStagePasses(Simulation& sim) {
  const ir::Program& program = *sim.schedule->program;
  std::vector<const ir::StageKind*> representative;
  std::vector<size_t> passOf;
  for (const ir::StageKind& kind : program.stageKinds) {
    const auto same = std::find_if(representative.begin(), representative.end(),
                                   [&](const ir::StageKind* r) { return r->classes == kind.classes; });
    passOf.push_back(static_cast<size_t>(same - representative.begin()));
    if (same != representative.end()) continue;
    representative.push_back(&kind);
    sim.forward.push_back(runStagePass(*sim.schedule, sim.classes, kind, false, false));
    sim.backward.push_back(runStagePass(*sim.schedule, sim.classes, kind, true, false));
    if (sim.schedule->kind->splits) sim.halves.push_back(runHalves(*sim.schedule, sim.classes, kind));
  }
  for (const ir::VirtualStage& stage : program.virtualStages) sim.stagePassOf.push_back(passOf[stage.kind.index]);
}

/// Books the seconds of a virtual stage's passes.
void bookPasses(Simulation& sim, size_t virtualStage) {
  const ir::StageKind& kind = sim.schedule->program->kindOf(virtualStage);
  const size_t pass = sim.stagePassOf[virtualStage];
  bookAlone(sim.forward[pass], sim.classes, kind, false);
  bookAlone(sim.backward[pass], sim.classes, kind, true);
  if (!sim.halves.empty()) bookAlone(sim.halves[pass], sim.classes, kind);
}

/// The transfers of a virtual stage: its output, and the gradient that its successor returns.
void addTransfers(Simulation& sim, const CostModel& model) {
  const ir::Program& program = *sim.schedule->program;
  struct Transfer {
    double seconds = 0, joined = 0;
    void add(double moves, double joins) { seconds += moves + joins, joined += joins; }
  };
  std::vector<Transfer> send, sendBack; // by kind
  for (const ir::StageKind& kind : program.stageKinds) {
    send.emplace_back(), sendBack.emplace_back();
    for (const ir::Boundary& b : kind.sends) {
      const double moves = model.price(program, transferNode(kind, b)).seconds,
                   joins = b.scatter ? model.price(program, gatherNode(b)).seconds : 0;
      send.back().add(moves, joins);
      if (gradientReturns(program, b)) sendBack.back().add(moves, joins);
    }
  }
  auto& costs = sim.pipeline.virtualStages;
  for (size_t vs = 0; vs + 1 < costs.size(); ++vs) {
    const uint32_t kind = program.virtualStages[vs].kind.index;
    costs[vs].send = send[kind].seconds, costs[vs].joined = send[kind].joined;
    costs[vs + 1].sendBack = sendBack[kind].seconds, costs[vs + 1].joinedBack = sendBack[kind].joined;
  }
}

void addOptimizer(Simulation& sim, const CostModel& model) {
  const ir::Program& program = *sim.schedule->program;
  if (!program.plan->workload.updatesParameters()) return;
  const DeviceStages devices(program);
  std::vector<std::vector<const ir::StageKind*>> held;
  for (size_t kind = 0; kind < devices.kinds(); ++kind) held.push_back(devices.stageKinds(devices.firstOf(kind)));
  const std::vector<StageUpdate> updates = model.updates(program, held);
  for (size_t s = 0; s < devices.size(); ++s) {
    sim.steps[s].optimizer = updates[devices.kindOf(s)].seconds();
    sim.optimizer = std::max(sim.optimizer, sim.steps[s].optimizer);
  }
}

/// Sums over stages run one after the other on each device; the device with most of them holds up the step.
void addTied(Simulation& sim, const CostModel& model) {
  const ir::Program& program = *sim.schedule->program;
  if (!program.plan->workload.hasBackward()) return;
  for (const ir::StageGroup& group : program.stageGroups) {
    if (group.stages.size() < 2) continue;
    const double each = model.price(program, sumNode(group)).seconds;
    for (int64_t s : group.stages) sim.tied = std::max(sim.tied, sim.steps[s].tied += each);
  }
}

/// Every forward pass beside every backward pass that the orders pair it with, once per kind of stage pass.
void addPairs(Simulation& sim) {
  struct Known {
    PairCost cost;
    std::shared_ptr<const Account> account;
  };
  std::map<std::pair<size_t, size_t>, Known> known;
  const std::span<const ir::Action> written = sim.pipeline.actions.written();
  for (size_t i = 0; i < written.size(); ++i) {
    if (!written[i].paired) continue;
    const ir::Action &f = written[i], &b = written[i + 1];
    auto [entry, fresh] = sim.pipeline.pairs.try_emplace({f.virtualStage, b.virtualStage});
    if (!fresh) continue;
    const std::pair<size_t, size_t> kind{sim.stagePassOf[f.virtualStage], sim.stagePassOf[b.virtualStage]};
    Known& pair = known[kind];
    if (!pair.account) {
      bookPasses(sim, f.virtualStage), bookPasses(sim, b.virtualStage);
      const ir::Program& program = *sim.schedule->program;
      Pair ran = runPair(*sim.schedule, sim.classes, program.kindOf(f.virtualStage), sim.forward[kind.first],
                         program.kindOf(b.virtualStage), sim.backward[kind.second]);
      pair = {ran.cost, std::make_shared<const Account>(std::move(ran.account))};
    }
    entry->second = pair.cost;
    sim.pairs[entry->first] = pair.account;
  }
}

/// When the last stage has ended, what its reductions expose included.
double endOf(const Simulation& sim, const std::vector<StageTimes>& stages) {
  double end = 0;
  for (size_t s = 0; s < stages.size(); ++s)
    end = std::max(end, stages[s].end - stages[s].begin + stages[s].trailing + sim.steps[s].inlined);
  return end;
}

/// Seconds that a device stage works until its optimizer begins, as its account adds them up.
double workOf(const Simulation& sim, size_t stage) {
  const StageTimes& times = sim.stages[stage];
  return times.busy + times.booked() + sim.steps[stage].inlined + sim.steps[stage].tied;
}

/// Until the optimizer begins a stage works or idles; the one that idles least has the most work.
void addAccounts(Simulation& sim, bool all) {
  sim.end = endOf(sim, sim.stages);
  double most = 0;
  for (size_t s = 0; s < sim.stages.size(); ++s)
    if (const double work = workOf(sim, s); s == 0 || work > most * (1 + kRounding))
      most = work, sim.critical = static_cast<int64_t>(s);
  for (size_t vs = 0; vs < sim.stagePassOf.size(); ++vs)
    if (const auto devices = sim.pipeline.devices[vs]; all || llvm::is_contained(devices, sim.critical))
      bookPasses(sim, vs);
  if (all) {
    sim.accounts = accountStages(sim);
  } else {
    sim.accounts.resize(sim.stages.size());
    sim.accounts[sim.critical] = accountStage(sim, static_cast<size_t>(sim.critical));
  }
  const double end = sim.end + sim.tied;
  for (StageAccount& a : sim.accounts) {
    const double idle = end - a.spent.sum();
    a.idle = idle > kRounding * end ? idle : 0;
  }
}

/// unattributed · (slowest stage with its reductions + tied parameters + slowest optimizer + step).
void compose(Simulation& sim, Facts& facts, bool allAccounts) {
  addAccounts(sim, allAccounts);
  const ir::Number* factor = facts.find(ir::StackFact::Unattributed, {});
  const ir::Number* step = facts.find(ir::StackFact::Step, {});
  sim.straggler = stragglerShare(spreads(facts.cluster, facts.stack, sim.schedule->program->mesh)) *
                  (sim.account().spent.sum() + sim.optimizer);
  sim.stepTime =
      (factor ? factor->value : 1) * (sim.end + sim.tied + sim.optimizer + (step ? step->value : 0)) + sim.straggler;
}

/// The shape for which the orders of a schedule are made.
ir::ScheduleShape shapeOf(const ir::Schedule& schedule, const PipelineInput& in) {
  std::vector<ir::PassSeconds> seconds;
  for (const VirtualStageCost& c : in.virtualStages)
    seconds.push_back({c.forward.seconds, c.backward.input(), c.backward.weight, c.send, c.sendBack});
  return schedule.shape(std::move(seconds));
}

/// One order of the schedule's actions, run.
struct OrderRun {
  std::string_view name;
  ir::Orders actions;
  std::vector<StageTimes> stages;
  double end = 0;
};

std::vector<OrderRun> runEach(Simulation& sim, FastPipeline& engine, Facts& facts,
                              const std::vector<ir::NamedOrder>& makers, bool train) {
  std::vector<OrderRun> runs;
  for (const ir::NamedOrder& order : makers) {
    const bool own = order.make == sim.schedule->kind->orders;
    sim.pipeline.actions = own ? ownOrders(*sim.schedule, facts) : order.make(shapeOf(*sim.schedule, sim.pipeline));
    if (sim.pipeline.actions.empty()) continue;
    if (!train) sim.pipeline.actions = sim.pipeline.actions.forwardOnly();
    addLastPasses(sim);
    addPairs(sim);
    OrderRun& run = runs.emplace_back();
    run.name = order.name;
    run.stages = engine.simulate(sim.pipeline);
    run.end = endOf(sim, run.stages);
    run.actions = std::move(sim.pipeline.actions);
  }
  return runs;
}

/// The run that ends first, the first of equals, of those that are allowed; none if none is.
template <class Allowed> OrderRun* soonest(std::vector<OrderRun>& runs, Allowed allowed) {
  OrderRun* best = nullptr;
  for (OrderRun& run : runs)
    if ((!best || run.end < best->end * (1 - kSameStep)) && allowed(run)) best = &run;
  return best;
}

/// Runs every order that the schedule may take and keeps the soonest of those that fit in the memory, or of all if none
/// does.
void runOrders(Simulation& sim, FastPipeline& engine, Facts& facts) {
  const bool train = sim.schedule->program->plan->workload.hasBackward();
  std::vector<ir::NamedOrder> makers{{sim.schedule->kind->order, sim.schedule->kind->orders}};
  const std::vector<ir::NamedOrder> others = sim.schedule->kind->others();
  if (train) makers.insert(makers.end(), others.begin(), others.end());
  std::vector<OrderRun> runs = runEach(sim, engine, facts, makers, train);
  const auto fits = [&](const OrderRun& run) { return accountMemory(*sim.schedule, run.actions, facts, false).fits; };
  OrderRun* chosen = soonest(runs, [](const OrderRun&) { return true; });
  if (runs.size() > 1 && !fits(*chosen))
    if (OrderRun* other = soonest(runs, fits)) chosen = other;
  if (makers.size() > 1)
    for (const OrderRun& run : runs) sim.orders.push_back({run.name, run.end, &run == chosen});
  sim.pipeline.actions = std::move(chosen->actions), sim.stages = std::move(chosen->stages);
}

} // namespace

ir::Orders ownOrders(const ir::Schedule& schedule, const Facts& facts) {
  const ir::ScheduleShape shape = schedule.shape();
  Reads reads;
  reads << reinterpret_cast<uintptr_t>(schedule.kind->orders) << shape.stages << shape.chunks << shape.microBatches;
  for (const int64_t argument : shape.arguments) reads << argument;
  return remember(facts.memos, reads, [&] { return schedule.kind->orders(shape); });
}

bool gradientReturns(const ir::Program& program, const ir::Boundary& boundary) {
  return boundary.gradient && ir::isFloat(program.dtypeOf(boundary.value));
}

Simulation simulate(const ir::Schedule& schedule, const CostModel& model, Facts& facts, const Simulated& asked) {
  const ir::Program& program = *schedule.program;
  Simulation sim;
  sim.schedule = &schedule;
  sim.classes = priceClasses(schedule, model, facts);
  runStagePasses(sim);
  sim.steps.resize(static_cast<size_t>(program.stages));
  PipelineInput& in = sim.pipeline;
  in.stages = program.stages;
  in.microBatches = program.microBatches;
  // Stages that begin the next step apart need an optimizer's step between; a forward pass is over when it leaves the
  // last one.
  in.waitsForAll = schedule.kind->waitsForAll || !program.plan->workload.hasBackward();
  in.inlineSend = schedule.blockingShare[ir::CollectiveClass::Pipeline];
  if (const ir::Number* receive = facts.stack.number(ir::StackFact::Receive)) in.inlineReceive = receive->value;
  in.slowdown = schedule.slowdown;
  addVirtualStages(sim);
  for (const StepTimes& step : sim.steps) in.between.push_back(step.inlined);
  addTransfers(sim, model);
  addOptimizer(sim, model);
  addTied(sim, model);
  FastPipeline own;
  FastPipeline& engine = facts.memos ? facts.memos->of<FastPipeline>() : own;
  runOrders(sim, engine, facts);
  compose(sim, facts, asked.accounts);
  if (asked.even) sim.even = evenStages(sim, engine);
  return sim;
}

} // namespace planc::cost
