// The progress of the stages of a pipeline within a step, in the fast engine.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/simulate/pipeline/ActionPrice.h"
#include "backends/cost/simulate/pipeline/PipelineShape.h"

#include <cstdint>
#include <span>
#include <vector>

namespace planc::cost {

/// Streams, ports and accounts of all stages, with the same effects as in the reference (`Timeline`). All booked
/// seconds are in one array of sums, so that a leap over repeated periods can multiply them.
class StepState {
public:
  struct Stage {
    size_t number = 0;
    double* spent = nullptr; ///< points into `sums`: idle, busy, and waits while its port sends
    double begin = 0;        ///< moment at which its step begins
    double free = 0;         ///< moment at which its last action has ended
    RunningOn tail;          ///< communication that the last pass with a tail left behind
    RunningOn reductions;    ///< reductions of the step so far
    double port = 0;         ///< moment at which its port has sent all transfers so far
    double row = 0;          ///< seconds of back-to-back transfers on the port, less the shares that hold senders
    double gathered = 0;     ///< moment at which the last of the step's new parameters has arrived
    double gatherSends = 0;  ///< seconds by which transfers delayed `gathered`, less those already waited for
    size_t reducing = 0;     ///< number of slots whose reductions have begun
    PortsMeet meets;
    double& idle() { return spent[0]; }
    double& busy() { return spent[1]; }
    double& portWaits() { return spent[2]; }
    uint32_t tailSlot = 0; ///< slot that left `tail` behind
    Cause tailCause = Cause::ForwardTail;
  };
  /// How a pass leaves communication behind: from which moment on, and what else takes the port.
  struct TailPlace {
    double from = 0;
    Beside other{};              ///< the other pass of its pair
    bool withReductions = false; ///< the reductions of its own pass already account for it
  };
  /// Two passes of two slots of a stage that run together.
  struct Together {
    PairCost cost;
    int64_t forwardStage = 0, backwardStage = 0;
    bool met = false;
  };

  /// Input and shape have to outlive the steps.
  void prepare(const PipelineInput& in, const PipelineShape& shape);
  /// `begins`: by stage, when it is free for the step.
  void begin(const std::vector<double>& begins);
  std::vector<StageTimes> times();

  double& booked(size_t slot, Cause cause) { return sums[bookedAt_ + slot * kCauses + static_cast<size_t>(cause)]; }

  /// Returns the cost of two passes that run together. `apart`: their seconds one after the other.
  const Together& togetherOf(const Stage& stage, size_t forwardSlot, size_t backwardSlot, double apart);
  void addTogether(const Together& pair, double share) {
    sums[sharesAt_ + static_cast<size_t>(&pair - together_.data())] += share;
  }

  // Effects of communication (Communication.cpp). Most passes have few effects, so the tests for an effect are inline.
  double afterTail(Stage& stage, double room, double start) {
    const double begin = stage.tail.until - room;
    return begin > start ? waitForTail(stage, begin, start) : start;
  }
  double takeTurns(Stage& stage, double onStep, double onSends, double start, double seconds) {
    return onStep > 0 || onSends > 0 ? sharePort(stage, onStep, onSends, start, seconds) : 0;
  }
  void pauseGathers(Stage& stage, double onGathers, double start, double end) {
    if (onGathers > 0 && stage.gathered > start) shareGathers(stage, onGathers, start, end);
  }
  double depart(Stage& stage, double transfer, double end, const Beside& pair) {
    return transfer > 0 ? send(stage, transfer, end, pair) : end;
  }
  PassDelay afterGathers(size_t slot, double start, double end, double held) const;
  PassDelay beginReductions(Stage& stage, size_t slot, const LastPass& last, bool weights, double start, double end,
                            double held);
  void leaveTail(Stage& stage, const TailPlace& place, double tail, uint32_t slot, Cause cause);
  void bookDelay(Stage& stage, size_t slot, bool forward, const PassDelay& delay);

  std::vector<Stage> stages;
  std::vector<double> sums; ///< idle, busy and port waits by stage; booked by slot and cause; shares of pairs

private:
  std::span<const uint32_t> holds(const Stage& stage) const { return shape_->holds(stage.number); }
  double waitForTail(Stage& stage, double begin, double start);
  double sharePort(Stage& stage, double onStep, double onSends, double start, double seconds);
  void shareGathers(Stage& stage, double onGathers, double start, double end);
  double send(Stage& stage, double transfer, double end, const Beside& pair);
  double waitForSends(Stage& stage, double& sends, double waits);
  void bookTrailing(Stage& stage, double trailing);

  const PipelineInput* in_ = nullptr;
  const PipelineShape* shape_ = nullptr;
  size_t routes_ = 1;
  size_t bookedAt_ = 0, sharesAt_ = 0; ///< indices into `sums`
  std::vector<double> gathered_;       ///< by slot: moment at which its new parameters have arrived
  std::vector<double> gathering_;      ///< by slot: seconds of its gathers that no pass has waited for
  std::vector<uint32_t> reducing_;     ///< stage by stage: slots in the order in which their reductions began
  std::vector<char> byWeights_;        ///< by slot: a half that makes gradients of parameters completed its gradients
  std::vector<Together> together_;     ///< by stage, slot of the forward and of the backward pass; empty without pairs
  std::vector<size_t> togetherFrom_;   ///< by stage: index of its first element in `together_`
};

} // namespace planc::cost
