// What a pipeline does whatever its passes take: who holds what, what the orders repeat, in which turn actions can run.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/simulate/pipeline/Pipeline.h"
#include "backends/cost/simulate/pipeline/SteadyState.h"

#include <cstdint>
#include <span>
#include <vector>

namespace planc::cost {

/// All actions in a turn in which each finds what it receives. When a pass ended is a cell: of rows forward and
/// backward of each slot, with one for each of its micro-batches and an empty one behind them.
struct Tape {
  static constexpr int64_t kAtOnce = 0, kNever = 1, kNobody = 2, kConstants = 3; ///< cells before the rows

  struct Step {
    uint32_t in = kAtOnce, out = kNobody; ///< cells that it reads and fills
    uint32_t work = 0;                    ///< slot and kind of action
    uint32_t stage = 0;
  };
  /// The first forward pass of a slot, which meets the step's new parameters, or the pass that completes its gradients.
  struct Edge {
    uint32_t step = 0, slot = 0;
    bool forward = false;
  };
  /// Where all stages have run a period of what they repeat, and may leap over more.
  struct Mark {
    size_t step = 0;
    std::vector<size_t> next;        ///< by stage: actions that it has run
    std::vector<ir::OrderCursor> at; ///< by stage
    std::vector<int64_t> left;       ///< by slot: passes that complete its gradients
    std::vector<uint32_t> passes;    ///< as below, so far
  };
  std::vector<Step> steps;
  std::vector<Edge> edges; ///< in turn
  std::vector<Mark> marks;
  std::vector<size_t> firstMarks; ///< by what can be leapt over: that of its first period
  std::vector<uint32_t> passes;   ///< by slot: forward, and backward or of inputs
};

/// A slot is a virtual stage on a route.
class PipelineShape {
public:
  static constexpr size_t kKinds = 4; ///< of actions

  explicit PipelineShape(const PipelineInput& in);
  /// Is this the shape of another input, too?
  bool fits(const PipelineInput& in) const;

  size_t routes() const { return routes_; }
  int64_t perRoute() const { return perRoute_; } ///< micro-batches
  size_t slots() const { return holdOf_.size(); }
  size_t stages() const { return heldFrom_.size() - 1; }
  bool pairs() const { return pairs_; }
  /// Slots of a stage, in the order in which their new parameters arrive; they stand behind each other from there on.
  std::span<const uint32_t> holds(size_t stage) const {
    return std::span(heldSlots_).subspan(heldFrom_[stage], heldFrom_[stage + 1] - heldFrom_[stage]);
  }
  size_t heldFrom(size_t stage) const { return heldFrom_[stage]; }
  /// The place of a slot on its stage.
  uint32_t holdOf(size_t slot) const { return holdOf_[slot]; }
  /// What can be leapt over.
  const std::vector<SteadyOrders>& steady() const { return steady_; }
  /// No steps before it is written, where passes pair, and where there are very many.
  const Tape& tape() const { return tape_; }
  /// Pays where several pipelines have this shape: what they take is the same with and without it.
  void writeTape();

private:
  void hold(const PipelineInput& in);

  ir::Orders orders_;
  StageDevices devices_;
  int64_t microBatches_;
  size_t routes_;
  int64_t perRoute_;
  bool pairs_ = false;
  std::vector<uint32_t> heldSlots_, holdOf_;
  std::vector<size_t> heldFrom_; ///< by stage
  std::vector<SteadyOrders> steady_;
  bool written_ = false;
  Tape tape_;
};

} // namespace planc::cost
