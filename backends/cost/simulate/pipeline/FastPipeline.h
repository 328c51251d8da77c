// The fast engine of the pipeline simulation: the actions of all stages, with leaps over repeated periods.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/simulate/pipeline/PipelineShape.h"
#include "backends/cost/simulate/pipeline/Results.h"
#include "backends/cost/simulate/pipeline/StepState.h"
#include "support/Memo.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace planc::cost {

/// Computes the times of the reference (`Timeline`), up to rounding, but faster:
/// * Everything that an action needs is looked up once per kind and slot (`Work`), and results lie in flat rows.
/// * A stage runs until its next input is missing; the stage that makes that input wakes it.
/// * Stretches that all stages repeat are simulated until they repeat in time, too, and then leapt over (`Strider`).
///
/// It keeps its buffers and the shapes of pipelines for later runs. It keeps no times, so it serves any machine.
class FastPipeline {
public:
  /// Returns the same times as `runPipeline`.
  std::vector<StageTimes> simulate(const PipelineInput& input);

private:
  friend class Strider;

  /// The actions of one kind on one slot.
  struct Work : ActionPrice {
    Results::Place in, out;
    uint32_t slot = 0;
    ir::ActionKind kind = ir::ActionKind::Forward;
    int64_t first = -1;       ///< for forward passes: the micro-batch that waits for the step's new parameters
    int64_t* left = nullptr;  ///< number of passes that may complete the gradients of its slot and have not run
    double* booked = nullptr; ///< where it books how long transfers of its results hold the stage
    bool forward() const { return kind == ir::ActionKind::Forward; }
    bool reducesNext() const { return *left == 1 && reductions; } ///< the step's reductions run in the next pass
  };
  /// How far a stage has come in its order.
  struct Progress {
    ir::OrderCursor at;
    size_t next = 0;  ///< index of the next action
    size_t limit = 0; ///< index of the action before which it stops
  };
  /// A pass that can run.
  struct Arrival {
    int64_t microBatch = 0;
    double at = 0;
  };

  std::shared_ptr<const PipelineShape> shapeOf(const PipelineInput& in);
  /// Input and shape have to outlive the runs.
  void prepare(const PipelineInput& in, const PipelineShape& shape);
  /// Simulates one step. `begins`: by stage, the moment at which the stage is free for the step.
  std::vector<StageTimes> run(const std::vector<double>& begins);
  void bind();
  size_t slotOf(size_t virtualStage, int64_t microBatch) const {
    return virtualStage * routes_ + (routes_ == 1 ? 0 : static_cast<size_t>(microBatch / perRoute_));
  }
  Work& workOf(const ir::Action& a, int64_t microBatch) {
    return works_[slotOf(a.virtualStage, microBatch) * PipelineShape::kKinds + static_cast<size_t>(a.kind)];
  }
  void settle();
  void advance(size_t s);
  void perform(StepState::Stage& stage, Work& work, Arrival input);
  void performPair(StepState::Stage& stage, Work& f, Work& b, const Arrival& inputF, const Arrival& inputB);
  PassDelay finish(StepState::Stage& stage, Work& work, int64_t microBatch, double start, double end, double held,
                   StepState::TailPlace tail);
  void leave(Work& work, int64_t microBatch, double at);
  /// Records, for the strider, for how many seconds an input was available before its pass could start.
  void watch(const Work& work, double slack) {
    if (!watches_) return;
    double& least = slack_[static_cast<size_t>(&work - works_.data())];
    least = std::min(least, slack);
  }

  const PipelineInput* in_ = nullptr;
  const PipelineShape* shape_ = nullptr;
  size_t routes_ = 1;
  int64_t perRoute_ = 1; ///< micro-batches of one route
  StepState step_;
  Results results_;
  std::vector<Work> works_;        ///< by slot and kind
  std::vector<int64_t> left_;      ///< by slot: passes left that may complete its gradients; last: all other passes
  std::vector<Progress> progress_; ///< by stage
  std::vector<int32_t> waiters_;   ///< by row of results: the stage that waits for its next result; -1: no stage
  std::vector<size_t> ready_;      ///< stages that may go on
  std::vector<double> slack_;      ///< by work, while the strider watches: least seconds between input and start
  bool watches_ = false;
  Memo<std::shared_ptr<const PipelineShape>, 256> shapes_; ///< by key: the first shape with that key
};

} // namespace planc::cost
