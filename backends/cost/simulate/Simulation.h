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

/// Once per step on one device stage.
struct StepTimes {
  double inlined = 0; ///< blocking shares of its reductions
  double tied = 0;    ///< sums of parameters that the stage shares with others
  double optimizer = 0;
};

/// The time of a device stage from the beginning of a step to its optimizer.
struct StageAccount {
  Account account;  ///< passes and state collectives
  Spent spent;      ///< the sum of it, with transfers to other stages and tied parameters
  double idle = 0;  ///< waits for other stages, at both ends too
  int64_t kind = 0; ///< the same for stages that run the same classes equally often
};

/// The same schedule if all stages were equal.
struct EvenStages {
  double idle = 0; ///< of the stage with the most work
  double end = 0;  ///< of the last stage
};

struct Simulation {
  const ir::Schedule* schedule = nullptr;
  std::vector<ClassCost> classes;
  std::vector<StagePass> forward, backward; ///< distinct ones
  std::vector<HalfPasses> halves;           ///< of backward, if the schedule splits it; and
  /// by these, the backward pass that completes the gradients: whole, and the half that makes those of parameters.
  std::vector<std::optional<StagePass>> last, lastWeights;
  Indexed<size_t> stagePassOf; ///< by virtual stage
  PipelineInput pipeline;
  std::vector<TriedOrder> orders; ///< what the schedule could have run, if it has several
  Indexed<StageTimes> stages;
  Indexed<StepTimes> steps;
  /// By virtual stages of a forward and a backward pass that run together: where their seconds go.
  std::map<std::pair<int64_t, int64_t>, std::shared_ptr<const Account>> pairs;
  double tied = 0;      ///< all-reduces of parameters that several stages hold, on the stage with most of them
  double optimizer = 0; ///< of the slowest stage
  double end = 0;       ///< of the last stage, what its reductions expose included
  Indexed<StageAccount> accounts; ///< of all stages, or of the critical one alone
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

/// Gradients come back for floating-point values that something before them trains on.
bool gradientReturns(const ir::Program& program, const ir::Boundary& boundary);

/// Requested results of a simulation, in addition to the times of the step.
struct Simulated {
  bool even = true;     ///< the same schedule where all stages are equal, which is a simulation more
  bool accounts = true; ///< of all stages; else of the critical one
};

/// The schedule's order may depend on the times of the passes; the result holds it as `pipeline.actions`. The facts are
/// those of the model.
Simulation simulate(const ir::Schedule& schedule, const CostModel& model, Facts& facts, const Simulated& asked = {});

} // namespace planc::cost
