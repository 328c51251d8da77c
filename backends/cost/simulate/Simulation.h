// A schedule run to the end: classes priced, stage passes and pipeline simulated, the step put together.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/simulate/StagePass.h"
#include "backends/cost/simulate/TriedOrder.h"
#include "backends/cost/simulate/pipeline/Pipeline.h"
#include "support/Indexed.h"

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace planc::cost {

/// Seconds that one device stage spends once per step.
struct StepTimes {
  double inlined = 0; ///< blocking shares of its reductions
  double tied = 0;    ///< sums of parameters that the stage shares with others
  double optimizer = 0;
};

/// The time of a device stage from the beginning of a step to its optimizer.
struct StageAccount {
  Account account;  ///< passes and state collectives
  Spent spent;      ///< sum of `account`, plus transfers between stages and sums of tied parameters
  double idle = 0;  ///< seconds of waiting for other stages, also at the beginning and the end of the step
  int64_t kind = 0; ///< number that is equal for stages that run the same classes equally often
};

/// The times of the schedule if all stages were equal.
struct EvenStages {
  double idle = 0; ///< idle seconds of the stage with the most work
  double end = 0;  ///< seconds until the last stage has ended
};

struct Simulation {
  const ir::Schedule* schedule = nullptr;
  std::vector<ClassCost> classes;
  std::vector<StagePass> forward, backward; ///< the distinct passes of all virtual stages
  std::vector<HalfPasses> halves;           ///< halves of `backward`; empty if the schedule does not split it
  /// By index of `backward`: the pass that completes the gradients, as a whole pass and as the half that makes the
  /// gradients of parameters. Null: not simulated.
  std::vector<std::optional<StagePass>> last, lastWeights;
  Indexed<size_t> stagePassOf; ///< by virtual stage: index into `forward` and `backward`
  PipelineInput pipeline;
  std::vector<TriedOrder> orders; ///< orders that were simulated, if the schedule has several
  Indexed<StageTimes> stages;
  Indexed<StepTimes> steps;
  /// By virtual stages of a forward and a backward pass that run together: where their seconds go.
  std::map<std::pair<int64_t, int64_t>, std::shared_ptr<const Account>> pairs;
  double tied = 0;      ///< seconds of all-reduces of parameters that several stages hold; the longest of any stage
  double optimizer = 0; ///< seconds of the optimizer on the slowest stage
  double end = 0;       ///< seconds until the last stage has ended, exposed reductions included
  Indexed<StageAccount> accounts; ///< accounts of all stages, or only of the critical stage
  EvenStages even;
  /// The stage with the most work: the step is its time, except for its idle time.
  int64_t critical = 0;
  double straggler = 0; ///< waiting for the slowest device, once per step
  double stepTime = 0;

  const StagePass& stagePass(int64_t virtualStage, bool backwardPass) const {
    return (backwardPass ? backward : forward)[stagePassOf[virtualStage]];
  }
  const StageAccount& account() const { return accounts[critical]; }
};

/// The schedule's own orders. They are made without the times of the passes, so that schedules of one shape share them.
ir::Orders ownOrders(const ir::Schedule& schedule, const Facts& facts);

/// Returns whether the gradient of a boundary's value comes back: true for a floating-point value if an earlier stage
/// trains.
bool gradientReturns(const ir::Program& program, const ir::Boundary& boundary);

/// Requested results of a simulation, in addition to the times of the step.
struct Simulated {
  bool even = true;     ///< the same schedule with equal stages, which takes one more simulation
  bool accounts = true; ///< accounts of all stages; false: only of the critical stage
};

/// The schedule's order may depend on the times of the passes; the result holds it as `pipeline.actions`. The facts are
/// those of the model.
Simulation simulate(const ir::Schedule& schedule, const CostModel& model, Facts& facts, const Simulated& asked = {});

} // namespace planc::cost
