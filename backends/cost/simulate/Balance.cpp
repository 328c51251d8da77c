// Loads of layers from stage passes of a few instances, and the search over the ends of the stages.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/Balance.h"

#include "backends/cost/facts/Facts.h"
#include "backends/cost/memory/MemoryParts.h"
#include "backends/cost/price/Update.h"
#include "backends/cost/simulate/Simulation.h"
#include "backends/cost/simulate/StagePass.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/facts/StackFacts.h"
#include "ir/program/CollectiveNodes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <span>

namespace planc::cost {

namespace {

/// An instance more is priced between runs of so many: the rhythm of prefetched states has settled by then.
constexpr int64_t kFewer = 9, kMore = 17;

ir::StageKind stageOf(ir::LayerClassId layerClass, int64_t count) {
  ir::StageKind stage;
  stage.classes.emplace_back(layerClass, count);
  return stage;
}

double passSeconds(const ir::Schedule& schedule, const std::vector<ClassCost>& classes, ir::LayerClassId layerClass,
                   int64_t count) {
  const ir::StageKind stage = stageOf(layerClass, count);
  double seconds = runStagePass(schedule, classes, stage, false).seconds;
  if (schedule.program->plan->workload.hasBackward()) seconds += runStagePass(schedule, classes, stage, true).seconds;
  return seconds;
}

/// The time that one instance of a class adds to its stage.
LayerLoad loadOf(const ir::Schedule& schedule, const std::vector<ClassCost>& classes, const CostModel& model,
                 const ir::Stack& stack, ir::LayerClassId id) {
  const ir::Program& program = *schedule.program;
  const ir::LayerClass& layerClass = program.classes[id];
  const ir::StageKind one = stageOf(id, 1);
  LayerLoad load;
  load.pass = !layerClass.boundaryReshard && program.model->layers[layerClass.layer].repeat
                  ? (passSeconds(schedule, classes, id, kMore) - passSeconds(schedule, classes, id, kFewer)) /
                        static_cast<double>(kMore - kFewer)
                  : passSeconds(schedule, classes, id, 1);
  if (program.plan->workload.updatesParameters()) load.step = model.update(program, {&one}).seconds();
  for (size_t s = 0; s < layerClass.states.size(); ++s)
    if (layerClass.states[s].phase == ir::Phase::Step)
      load.step += classes[id.index].states[s] * schedule.blockingShare[layerClass.states[s].cls];
  const StageParts parts = partsOf(schedule, one, stack);
  load.states = parts.params + parts.grads + parts.optimizer + parts.buckets;
  load.saved = parts.saved();
  load.working = parts.received + parts.gathered + parts.reducing + parts.staged;
  for (const InstanceMemory& m : parts.instances)
    load.working += std::max(m.workingForward, m.workingBackward) + m.narrow + m.logits;
  return load;
}

/// A boundary reshard goes with the layer that it stands before, or behind.
void addBoundaryReshard(LayerLoad& layer, const LayerLoad& boundary) {
  layer.pass += boundary.pass, layer.step += boundary.step, layer.states += boundary.states,
      layer.saved += boundary.saved;
  layer.working = std::max(layer.working, boundary.working);
}

std::vector<LayerLoad> loadsOf(const ir::Schedule& schedule, const CostModel& model, Facts& facts) {
  const ir::Program& program = *schedule.program;
  const std::vector<ClassCost> classes = priceClasses(schedule, model, facts);
  std::vector<LayerLoad> byClass, layers;
  for (uint32_t b = 0; b < program.classes.size(); ++b)
    byClass.push_back(loadOf(schedule, classes, model, facts.stack, ir::LayerClassId(b)));
  for (uint32_t u = 0; u < program.model->layers.size(); ++u) {
    const int64_t count =
        program.model->layers[ir::LayerId(u)].repeat ? program.model->layers[ir::LayerId(u)].count : 1;
    const size_t first = layers.size();
    layers.resize(first + static_cast<size_t>(count));
    for (uint32_t b = 0; b < program.classes.size(); ++b) {
      const ir::LayerClass& layerClass = program.classes[ir::LayerClassId(b)];
      if (layerClass.layer.index != u) continue;
      for (const ir::Range& r : layerClass.instances.ranges)
        for (int64_t i = r.begin; i < r.end; i += r.step)
          addBoundaryReshard(layers[first + static_cast<size_t>(i - program.model->layers[ir::LayerId(u)].from)],
                             byClass[b]);
    }
  }
  return layers;
}

/// Micro-batches that a virtual stage holds at most between their forward and their backward pass.
std::vector<double> inFlightOf(const ir::Schedule& schedule) {
  const ir::Program& program = *schedule.program;
  std::vector<double> most(program.virtualStages.size(), 1);
  if (!program.plan->workload.hasBackward()) return most;
  for (const ir::Order& order : schedule.kind->orders(schedule.shape())) {
    std::vector<double> now(most.size());
    const auto effect = [](const ir::Action& a) {
      return a.kind == ir::ActionKind::Forward ? 1. : a.kind == ir::ActionKind::BackwardInput ? 0. : -1.;
    };
    const auto visit = [&](const ir::Action& a) {
      double& held = now[a.virtualStage];
      held += effect(a);
      most[a.virtualStage] = std::max(most[a.virtualStage], held);
    };
    order.eachEnd(visit, [&](std::span<const ir::Action> actions, int64_t times) {
      for (const ir::Action& a : actions) now[a.virtualStage] += effect(a) * static_cast<double>(times);
    });
  }
  return most;
}

/// Seconds for which a micro-batch's transfers hold the device of each virtual stage.
std::vector<double> transfersOf(const ir::Schedule& schedule, const CostModel& model, const ir::Stack& stack) {
  const ir::Program& program = *schedule.program;
  const double send = schedule.blockingShare[ir::CollectiveClass::Pipeline];
  const double receive = stack.value(ir::StackFact::Receive, 0);
  std::vector<double> held(program.virtualStages.size());
  for (size_t vs = 0; vs + 1 < held.size(); ++vs)
    for (const ir::Boundary& b : program.kindOf(vs).sends) {
      double seconds = model.price(program, transferNode(program.kindOf(vs), b)).seconds;
      if (b.scatter) seconds += model.price(program, gatherNode(b)).seconds;
      const double back = gradientReturns(program, b) ? seconds : 0;
      held[vs] += seconds * send + back * receive;
      held[vs + 1] += seconds * receive + back * send;
    }
  return held;
}

constexpr double kNoCut = std::numeric_limits<double>::infinity();
/// A stage of a cut that is looked at has at most so many times the work of the best cut's longest.
constexpr double kLongest = 8;

/// Best-first search over the ends of the stages: what the rest of a cut comes to at best is known exactly, from a
/// dynamic programme over its layers, so that every step of it leads to one of the next cuts.
class ShortestCuts {
public:
  ShortestCuts(const StageLoads& loads, bool fits)
      : loads_(loads), fits_(fits), layers_(loads.layers.size()), stages_(loads.transfers.size()),
        rest_(stages_ + 1, std::vector<double>(layers_ + 1, kNoCut)) {
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
    if (rest_[0][0] == kNoCut) return cuts;
    add({rest_[0][0], 0, {0}});
    while (!open_.empty() && cuts.size() < most) {
      const CutPrefix part = open_.top();
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
  struct CutPrefix {
    double least = 0;         ///< of the longest stage of any cut that begins like this
    double longest = 0;       ///< of those that are here
    std::vector<size_t> ends; ///< 0, then of each stage
    /// Orders the queue: a longer prefix, or one that is as long with fewer stages, comes later.
    bool operator<(const CutPrefix& other) const {
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

  void extend(const CutPrefix& part) {
    const size_t stage = part.ends.size() - 1;
    eachEnd(stage, part.ends.back(), [&](size_t end, double seconds) {
      CutPrefix next = part;
      next.ends.push_back(end);
      next.longest = std::max(part.longest, seconds);
      next.least = std::max(next.longest, rest_[stage + 1][end]);
      add(std::move(next));
      return seconds < kLongest * rest_[0][0];
    });
  }

  void add(CutPrefix part) {
    if (part.least <= kLongest * rest_[0][0]) open_.push(std::move(part));
  }

  static RankedCut cutOf(const CutPrefix& part) {
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
  std::priority_queue<CutPrefix> open_;
};

} // namespace

std::unique_ptr<StageLoads> stageLoads(const ir::Schedule& schedule, DiagnosticEngine& diagnostics) {
  const ir::Plan& plan = *schedule.program->plan;
  if (!plan.stack || !plan.cluster) return nullptr;
  const ir::Stack& stack = *plan.stack;
  Facts facts(*plan.cluster, stack);
  const std::unique_ptr<CostModel> model = makeCostModel(facts, diagnostics);
  auto loads = std::make_unique<StageLoads>();
  loads->layers = loadsOf(schedule, *model, facts);
  loads->passes = static_cast<double>(schedule.program->passes());
  loads->transfers = transfersOf(schedule, *model, stack);
  loads->inFlight = inFlightOf(schedule);
  const double capacity = facts.device.value(ir::DeviceFact::Memory, 0);
  loads->room = (capacity - stack.value(ir::StackFact::Reserved, 0)) / stack.value(ir::StackFact::Fragmentation, 1) -
                stack.value(ir::StackFact::Workspace, 0);
  if (!model->complete()) return nullptr;
  return loads;
}

std::vector<RankedCut> shortestCuts(const StageLoads& loads, bool fits, size_t most) {
  if (loads.layers.size() < loads.transfers.size() || loads.transfers.empty()) return {};
  return ShortestCuts(loads, fits).run(most);
}

} // namespace planc::cost
