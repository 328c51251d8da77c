// Loads of layers from passages of a few instances, and the dynamic programme over the ends of the stages.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/Balance.h"

#include "backends/cost/Facts.h"
#include "backends/cost/MemoryParts.h"
#include "backends/cost/Passage.h"
#include "backends/cost/Simulation.h"
#include "backends/cost/Update.h"

#include <algorithm>
#include <limits>

namespace planc::cost {

namespace {

/// An instance more is priced between runs of so many: the rhythm of prefetched states has settled by then.
constexpr int64_t kFewer = 9, kMore = 17;

ir::VirtualStage stageOf(ir::BodyId body, int64_t count) {
  ir::VirtualStage stage;
  stage.bodies.emplace_back(body, count);
  return stage;
}

double passSeconds(const ir::Schedule& schedule, const std::vector<BodyCost>& bodies, ir::BodyId body, int64_t count) {
  const ir::VirtualStage stage = stageOf(body, count);
  double seconds = runPassage(schedule, bodies, stage, false).seconds;
  if (schedule.program->plan->workload.train) seconds += runPassage(schedule, bodies, stage, true).seconds;
  return seconds;
}

/// What one instance of a body adds to its stage.
LayerLoad loadOf(const ir::Schedule& schedule, const std::vector<BodyCost>& bodies, const CostModel& model,
                 ir::BodyId id) {
  const ir::Program& program = *schedule.program;
  const ir::Body& body = program.bodies[id];
  const ir::VirtualStage one = stageOf(id, 1);
  LayerLoad load;
  load.pass = !body.seam && program.model.units[body.unit].repeat
                  ? (passSeconds(schedule, bodies, id, kMore) - passSeconds(schedule, bodies, id, kFewer)) /
                        static_cast<double>(kMore - kFewer)
                  : passSeconds(schedule, bodies, id, 1);
  if (program.plan->workload.train) load.step = updateSeconds(model.facts(), program, one);
  for (size_t s = 0; s < body.states.size(); ++s)
    if (body.states[s].phase == ir::Phase::Step)
      load.step += bodies[id.index].states[s] * schedule.inlineShare[static_cast<size_t>(body.states[s].cls)];
  const StageParts parts = partsOf(schedule, one, model.facts().stack);
  load.states = parts.params + parts.grads + parts.optimizer + parts.buckets;
  load.saved = parts.saved();
  load.working = parts.received + parts.gathered + parts.reducing + parts.staged;
  for (const InstanceMemory& m : parts.instances)
    load.working += std::max(m.workingForward, m.workingBackward) + m.narrow + m.logits;
  return load;
}

/// A seam goes with the layer that it stands before, or behind.
void addSeam(LayerLoad& layer, const LayerLoad& seam) {
  layer.pass += seam.pass, layer.step += seam.step, layer.states += seam.states, layer.saved += seam.saved;
  layer.working = std::max(layer.working, seam.working);
}

std::vector<LayerLoad> loadsOf(const ir::Schedule& schedule, const CostModel& model) {
  const ir::Program& program = *schedule.program;
  const std::vector<BodyCost> bodies = priceBodies(schedule, model);
  std::vector<LayerLoad> byBody, layers;
  for (uint32_t b = 0; b < program.bodies.size(); ++b) byBody.push_back(loadOf(schedule, bodies, model, ir::BodyId(b)));
  for (uint32_t u = 0; u < program.model.units.size(); ++u) {
    const int64_t count = program.model.units[ir::UnitId(u)].repeat ? program.model.units[ir::UnitId(u)].count : 1;
    const size_t first = layers.size();
    layers.resize(first + static_cast<size_t>(count));
    for (uint32_t b = 0; b < program.bodies.size(); ++b) {
      const ir::Body& body = program.bodies[ir::BodyId(b)];
      if (body.unit.index != u) continue;
      for (const ir::Range& r : body.instances.ranges)
        for (int64_t i = r.begin; i < r.end; i += r.step) addSeam(layers[first + static_cast<size_t>(i)], byBody[b]);
    }
  }
  return layers;
}

/// Micro-batches that a virtual stage holds at most between their forward and their backward pass.
std::vector<double> inFlightOf(const ir::Schedule& schedule) {
  const ir::Program& program = *schedule.program;
  std::vector<double> most(program.virtualStages.size(), 1);
  if (!program.plan->workload.train) return most;
  const auto known = [&](ir::OrderMaker make) {
    ir::Orders orders = make(schedule.shape());
    return orders.empty() ? std::optional<ir::Orders>() : std::optional(std::move(orders));
  };
  const auto orders = known(schedule.kind->orders);
  if (!orders) return most;
  for (const auto& order : *orders) {
    std::vector<double> now(most.size());
    for (const ir::Action& a : order) {
      double& held = now[a.virtualStage];
      if (a.kind == ir::ActionKind::Forward) most[a.virtualStage] = std::max(most[a.virtualStage], ++held);
      if (a.kind == ir::ActionKind::Backward || a.kind == ir::ActionKind::BackwardWeight) --held;
    }
  }
  return most;
}

/// Seconds for which a micro-batch's transfers hold the device of each virtual stage.
std::vector<double> transfersOf(const ir::Schedule& schedule, const CostModel& model) {
  const ir::Program& program = *schedule.program;
  const double send = schedule.inlineShare[static_cast<size_t>(ir::CollectiveClass::Pipeline)];
  const double receive = model.facts().stack.receive ? model.facts().stack.receive->value : 0;
  std::vector<double> held(program.virtualStages.size());
  for (size_t vs = 0; vs + 1 < held.size(); ++vs)
    for (const ir::Boundary& b : program.virtualStages[vs].sends) {
      double seconds = model.collective(program, transferNode(program.virtualStages[vs], b));
      if (b.scatter) seconds += model.collective(program, b.gather);
      const double back = gradientReturns(program, b) ? seconds : 0;
      held[vs] += seconds * send + back * receive;
      held[vs + 1] += seconds * receive + back * send;
    }
  return held;
}

} // namespace

std::unique_ptr<StageLoads> stageLoads(const ir::Schedule& schedule, DiagnosticEngine& diagnostics) {
  const ir::Plan& plan = *schedule.program->plan;
  if (!plan.stack || !plan.cluster) return nullptr;
  const std::unique_ptr<CostModel> model = makeCostModel("analytic", *plan.cluster, *plan.stack, diagnostics);
  auto loads = std::make_unique<StageLoads>();
  loads->layers = loadsOf(schedule, *model);
  loads->passes = static_cast<double>(schedule.program->passes());
  loads->transfers = transfersOf(schedule, *model);
  loads->inFlight = inFlightOf(schedule);
  const Facts& facts = model->facts();
  const auto value = [](const ir::OptNumber& n, double otherwise) { return n ? n->value : otherwise; };
  const double capacity = facts.device.memory ? facts.device.memory->value : 0;
  loads->room = (capacity - value(facts.stack.reserved, 0)) / value(facts.stack.fragmentation, 1) -
                value(facts.stack.workspace, 0);
  if (!model->complete()) return nullptr;
  return loads;
}

std::vector<int64_t> leastLongest(const StageLoads& loads, bool fits) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const size_t n = loads.layers.size(), stages = loads.transfers.size();
  if (n < stages || stages == 0) return {};
  // best[k][j]: the longest of k stages that hold the first j layers; from[k][j]: where the last of them begins.
  std::vector<std::vector<double>> best(stages + 1, std::vector<double>(n + 1, kNever));
  std::vector<std::vector<size_t>> from(stages + 1, std::vector<size_t>(n + 1));
  best[0][0] = 0;
  for (size_t k = 1; k <= stages; ++k)
    for (size_t end = k; end <= n - (stages - k); ++end) {
      double seconds = loads.passes * loads.transfers[k - 1], bytes = 0, working = 0;
      for (size_t begin = end; begin-- > k - 1;) { // the last stage holds [begin, end)
        const LayerLoad& layer = loads.layers[begin];
        seconds += loads.passes * layer.pass + layer.step;
        bytes += layer.states + loads.inFlight[k - 1] * layer.saved;
        working = std::max(working, layer.working);
        if (seconds >= best[k][end] || (fits && bytes + working > loads.room)) break; // it only grows
        const double longest = std::max(seconds, best[k - 1][begin]);
        if (longest < best[k][end]) best[k][end] = longest, from[k][end] = begin;
      }
    }
  if (best[stages][n] == kNever) return {};
  std::vector<int64_t> held(stages);
  for (size_t k = stages, end = n; k > 0; end = from[k][end], --k)
    held[k - 1] = static_cast<int64_t>(end - from[k][end]);
  return held;
}

} // namespace planc::cost
