// Loads of layers from passages of a few instances, the search over the ends of the stages, and the price of a cut.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/Balance.h"

#include "backends/cost/facts/Facts.h"
#include "backends/cost/memory/MemoryParts.h"
#include "backends/cost/memory/MemoryUse.h"
#include "backends/cost/price/Update.h"
#include "backends/cost/simulate/Passage.h"
#include "backends/cost/simulate/Simulation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

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
  if (program.plan->workload.train) load.step = stageUpdate(model.facts(), program, {&one}).seconds();
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
        for (int64_t i = r.begin; i < r.end; i += r.step)
          addSeam(layers[first + static_cast<size_t>(i - program.model.units[ir::UnitId(u)].from)], byBody[b]);
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

constexpr double kNever = std::numeric_limits<double>::infinity();
/// A stage of a cut that is looked at has at most so many times the work of the best cut's longest.
constexpr double kLongest = 8;

/// Best-first search over the ends of the stages: what the rest of a cut comes to at best is known exactly, from a
/// dynamic programme over its layers, so that every step of it leads to one of the next cuts.
class ShortestCuts {
public:
  ShortestCuts(const StageLoads& loads, bool fits)
      : loads_(loads), fits_(fits), layers_(loads.layers.size()), stages_(loads.transfers.size()),
        rest_(stages_ + 1, std::vector<double>(layers_ + 1, kNever)) {
    rest_[stages_][layers_] = 0;
    for (size_t stage = stages_; stage-- > 0;)
      for (size_t begin = stage; begin + (stages_ - stage) <= layers_; ++begin) {
        double& best = rest_[stage][begin];
        eachEnd(stage, begin, [&](size_t end, double seconds) {
          best = std::min(best, std::max(seconds, rest_[stage + 1][end]));
          return seconds < best; // it only grows
        });
      }
  }

  std::vector<RankedCut> run(size_t most) {
    std::vector<RankedCut> cuts;
    if (rest_[0][0] == kNever) return cuts;
    add({rest_[0][0], 0, {0}});
    while (!open_.empty() && cuts.size() < most) {
      const Part part = open_.top();
      open_.pop();
      if (part.ends.size() <= stages_)
        extend(part);
      else
        cuts.push_back(cutOf(part));
    }
    return cuts;
  }

private:
  /// The first stages of a cut.
  struct Part {
    double least = 0;         ///< of the longest stage of any cut that begins like this
    double longest = 0;       ///< of those that are here
    std::vector<size_t> ends; ///< 0, then of each stage
    /// Behind another in the queue: longer, or as long and of fewer stages.
    bool operator<(const Part& other) const {
      if (least != other.least) return least > other.least;
      return ends.size() != other.ends.size() ? ends.size() < other.ends.size() : ends > other.ends;
    }
  };

  /// Calls `visit(end, seconds)` for each run of layers from `begin` that has room on a stage, until that says no.
  template <class Visit> void eachEnd(size_t stage, size_t begin, Visit visit) const {
    double seconds = loads_.passes * loads_.transfers[stage], bytes = 0, working = 0;
    for (size_t end = begin + 1; end + (stages_ - stage - 1) <= layers_; ++end) {
      const LayerLoad& layer = loads_.layers[end - 1];
      seconds += loads_.passes * layer.pass + layer.step;
      bytes += layer.states + loads_.inFlight[stage] * layer.saved;
      working = std::max(working, layer.working);
      if ((fits_ && bytes + working > loads_.room) || !visit(end, seconds)) return;
    }
  }

  void extend(const Part& part) {
    const size_t stage = part.ends.size() - 1;
    eachEnd(stage, part.ends.back(), [&](size_t end, double seconds) {
      Part next = part;
      next.ends.push_back(end);
      next.longest = std::max(part.longest, seconds);
      next.least = std::max(next.longest, rest_[stage + 1][end]);
      add(std::move(next));
      return seconds < kLongest * rest_[0][0];
    });
  }

  void add(Part part) {
    if (part.least <= kLongest * rest_[0][0]) open_.push(std::move(part));
  }

  static RankedCut cutOf(const Part& part) {
    RankedCut cut;
    for (size_t i = 1; i < part.ends.size(); ++i)
      cut.held.push_back(static_cast<int64_t>(part.ends[i] - part.ends[i - 1]));
    cut.longest = part.longest;
    return cut;
  }

  const StageLoads& loads_;
  bool fits_;
  size_t layers_, stages_;
  std::vector<std::vector<double>> rest_; ///< by stage and its first layer: the least longest of it and those behind it
  std::priority_queue<Part> open_;
};

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

std::optional<CutPrice> priceCut(const ir::Schedule& schedule) {
  DiagnosticEngine ignored;
  const ir::Plan& plan = *schedule.program->plan;
  if (!plan.stack || !plan.cluster) return std::nullopt;
  const std::unique_ptr<CostModel> model = makeCostModel("analytic", *plan.cluster, *plan.stack, ignored);
  const Simulation sim = simulateStep(schedule, *model);
  const Memory memory = accountMemory(schedule, sim.pipeline.actions, model->facts());
  if (!model->complete() || !std::isfinite(sim.stepTime)) return std::nullopt;
  return CutPrice{memory.fits, memory.peak, memory.capacity, sim.stepTime, sim.critical, memory.fullest};
}

std::vector<RankedCut> shortestCuts(const StageLoads& loads, bool fits, size_t most) {
  if (loads.layers.size() < loads.transfers.size() || loads.transfers.empty()) return {};
  return ShortestCuts(loads, fits).run(most);
}

} // namespace planc::cost
