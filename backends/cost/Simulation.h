// A schedule run to the end: bodies priced, passages and pipeline simulated, the step put together.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/Passage.h"
#include "backends/cost/Pipeline.h"

#include <vector>

namespace planc::cost {

/// Once per step on one device stage.
struct StepTimes {
  double inlined = 0; ///< inline shares of state and gradient collectives
  double comm = 0;    ///< all of those collectives, hidden or not
  double optimizer = 0;
};

struct Simulation {
  const ir::Schedule* schedule = nullptr;
  std::vector<BodyCost> bodies;
  std::vector<Passage> forward, backward; ///< distinct ones
  std::vector<size_t> passageOf;          ///< by virtual stage
  PipelineInput pipeline;
  std::vector<StageTimes> stages;
  std::vector<StepTimes> steps;
  double tied = 0;      ///< all-reduces of parameters that several stages hold
  double optimizer = 0; ///< of the slowest stage
  int64_t critical = 0; ///< the stage that ends last
  double end = 0;       ///< when it ends, what its reductions expose included
  double straggler = 0; ///< waiting for the slowest device, once per step
  double stepTime = 0;

  const Passage& passage(int64_t virtualStage, bool backwardPass) const {
    return (backwardPass ? backward : forward)[passageOf[static_cast<size_t>(virtualStage)]];
  }
};

/// The schedule's order may depend on the times of the passes; the result holds it as `pipeline.actions`.
Simulation simulate(const ir::Schedule& schedule, const CostModel& model);

} // namespace planc::cost
