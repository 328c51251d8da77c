// One step of a pipeline: what its stages have done so far, action by action and in leaps over what repeats.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/simulate/pipeline/ActionPrice.h"
#include "backends/cost/simulate/pipeline/PipelineShape.h"
#include "support/Indexed.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace planc::cost {

/// An action starts at max(stage free, producer's end + transfer); the blocking share of a transfer holds its sender.
class PipelineRun {
public:
  /// Input and shape have to outlive the runs. What is run next may be another one.
  void prepare(const PipelineInput& in, const PipelineShape& shape);
  /// `begins`: by stage, when it is free for the step.
  std::vector<StageTimes> run(const std::vector<double>& begins);

private:
  using Action = ir::Action;
  static constexpr double kNotYet = -1;
  /// Of what a stage made itself and finds when it goes on, whenever that leaves for others.
  static constexpr double kNoLatency = -std::numeric_limits<double>::infinity();
  static constexpr int64_t kKinds = PipelineShape::kKinds;
  static constexpr int64_t kAtOnce = Tape::kAtOnce, kNever = Tape::kNever, kNobody = Tape::kNobody,
                           kConstants = Tape::kConstants;

  /// Actions of one kind on one virtual stage and route, which are alike but for their micro-batch. What they wait for
  /// and what they make are cells of rows, one for each micro-batch that is simulated.
  struct Work {
    int64_t in = 0, inMask = 0; ///< cell of what micro-batch 0 receives; mask 0: of what all do
    int64_t inShift = 0;        ///< micro-batches of the row's before its first cell, and those that were leapt over
    int64_t out = 0, outMask = 0, outShift = 0;
    double latency = 0;   ///< of what it receives; what a stage made itself is there when it goes on
    double receiving = 0; ///< seconds for which the transfer of that holds it
    double seconds = 0;
    double sending = 0;       ///< seconds for which what it hands on holds it, and
    double transfer = 0;      ///< its port
    double* booked = nullptr; ///< where those are booked
    int64_t* left = nullptr;  ///< passes of the virtual stage that complete its gradients
    uint32_t slot = 0;
    uint32_t inRow = 0, outRow = 0; ///< 0: none
    bool special = false;           ///< has anything but the above
    bool redirected = false;        ///< reads what was made before a leap that it did not take part in
    uint32_t leaps = 0;             ///< that it has behind it
    const PassCost* pass = nullptr;
  };

  /// Communication that runs on after passes.
  struct LeftBehind {
    double until = 0;
    double seconds = 0; ///< its own that it has not shared with a transfer, and
    double sends = 0;   ///< those by which transfers made it longer; nothing has waited for them
    /// Waits for what takes its port from `begin` for so many seconds. Returns those that it had not left.
    double pause(double begin, double takes) {
      const double paused = until > begin ? std::clamp(begin + takes - (until - seconds), 0.0, takes) : 0;
      until += paused;
      return paused;
    }
    /// Before it begins it shares the port with a transfer until the shorter of the two has ended. Returns for how
    /// long. `takes`: seconds of the transfer from then on, `beside`: those of all of it that hold no sender.
    double share(double takes, double beside) {
      const double both = std::min(seconds, takes);
      seconds -= both, until += both, sends += std::min(both, beside);
      return both;
    }
    /// The seconds of a wait for it that transfers added.
    double takeSends(double waits) {
      const double taken = std::min(waits, sends);
      sends -= taken;
      return taken;
    }
  };

  struct Stage {
    ir::OrderCursor at;
    size_t next = 0;    ///< number of the action
    size_t limit = 0;   ///< of that before which it stops
    double begin = 0;   ///< of its step
    double free = 0;    ///< the compute stream
    LeftBehind comm;    ///< the comm stream, after passes
    LeftBehind reduced; ///< the step's gradient reductions so far
    double port = 0;    ///< the port over which it sends, and
    double sending = 0; ///< seconds of transfers in a row on it that hold no sender
    size_t reductions = 0;
    PortsMeet meets;
    double gathered = 0;    ///< when the last of the step's new parameters is there
    double gatherSends = 0; ///< seconds by which transfers made that later; nothing has waited for them
    uint32_t tailSlot = 0;  ///< whose communication the comm stream is in, after passes
    Cause tailCause = Cause::ForwardTail;
  };

  /// Where communication runs that a pass leaves behind: from a moment on, and beside another pass of its pair.
  struct TailSpan {
    double from = 0;
    double begin = 0, end = 0;   ///< of the other pass
    double share = 0;            ///< of its seconds, for which it takes the port
    bool withReductions = false; ///< counted with the reductions that run in its own pass
    double until(double starts, double seconds) const {
      const double beside = std::max(starts, begin), rest = end - beside, left = seconds - (beside - starts);
      return starts + seconds + (left > 0 ? takenTurns(left, share * rest, rest, rest) : 0);
    }
  };

  /// The pair in which a result is made: its end, and for how much of its seconds it takes the port that it sends over.
  struct PairRest {
    double end = 0, share = 0;
  };

  struct Received {
    int64_t microBatch = 0;
    double at = 0;
  };

  /// A forward and a backward pass of two slots of a stage, together.
  struct Together {
    PairCost cost;
    int64_t forwardStage = 0, backwardStage = 0;
    bool met = false;
  };

  /// What a pass takes that receives, computes and sends; its communication may run on.
  struct alignas(32) Plain {
    double latency = 0, seconds = 0, sending = 0, tail = 0;
  };
  /// What a pass takes of the ports.
  struct OnPorts {
    double transfer = 0, onStep = 0, onGathers = 0, onSends = 0;
  };
  /// A stage that runs them.
  struct alignas(32) Lane {
    double free = 0, idle = 0, busy = 0;
  };
  static constexpr size_t kToTheEnd = SIZE_MAX; ///< for a mark

  // Replay.cpp: all actions in a turn that is known.
  bool isPlain() const;
  void bindPlain();
  void beginReplay();
  void replayOn();
  template <bool Watched, bool Ports> void replay(size_t from, size_t to);
  void leaveComm(const Tape::Step& step, const TailSpan& span);
  void replayEdge(const Tape::Edge& edge);
  void bookSent(const std::vector<uint32_t>& passes);
  void leaveTape();
  bool hasMark(int64_t later) const { return mark_ + static_cast<size_t>(later) <= shape_->tape().marks.size(); }
  void skipMarks(size_t marks);

  // Pipeline.cpp: actions.
  void bind();
  void begin(const std::vector<double>& begins);
  void beginActions();
  size_t rows() const { return 2 * slots_ + 1; } ///< the first one is none
  /// A row ends with a cell that is never filled, which who is ahead of it reads.
  int64_t rowAt(uint32_t row) const { return kConstants + (row - 1) * (width_ + 1); }
  size_t cells() const { return static_cast<size_t>(rowAt(static_cast<uint32_t>(rows()))); }
  void bindIn(Work& work) const;
  void widen();
  size_t slotOf(const Action& a, int64_t microBatch) const {
    return a.virtualStage * routes_ + (routes_ == 1 ? 0 : static_cast<size_t>(microBatch / perRoute_));
  }
  Work& workOf(const Action& a, int64_t microBatch) {
    return works_[slotOf(a, microBatch) * kKinds + static_cast<size_t>(a.kind)];
  }
  double& booked(size_t slot, Cause cause) { return sums_[bookedAt_ + slot * kCauses + static_cast<size_t>(cause)]; }
  double& idle(size_t stage) { return sums_[stage]; }
  double& busy(size_t stage) { return sums_[stages_.size() + stage]; }
  double& waitsForSends(size_t stage) { return sums_[2 * stages_.size() + stage]; }
  void settle();
  void advance(size_t s);
  double received(Work& work, int64_t microBatch);
  void perform(size_t s, Work& work, int64_t microBatch, double arrival);
  bool performPair(size_t s, const Action* pair, int64_t offset);
  Together& togetherOf(size_t s, const Work& f, const Work& b);
  void pairTogether(size_t s, Work& f, Work& b, const Received& inF, const Received& inB);
  void waitFor(size_t s, const Work& work);
  double afterComm(Stage& stage, double room, double start);
  double receive(size_t s, double arrival, double until);
  void bookReceived(const Work& work, double held);
  PassDelay finish(size_t s, Work& work, int64_t microBatch, double start, double end, double held, TailSpan span);
  void made(const Work& work, int64_t microBatch, double end);
  void book(size_t s, size_t of, bool forward, const PassDelay& delay);
  void bookTrailing(size_t s, double trailing);
  void spreadSends(size_t s);
  double bookSends(size_t s, LeftBehind& left, double waits);
  void leaveTail(Stage& stage, const TailSpan& span, double tail, uint32_t slot, Cause cause);
  PassDelay afterGathers(size_t slot, double start, double end, double held) const;
  PassDelay beginReductions(size_t s, size_t slot, ir::ActionKind kind, double start, double end, double held);
  /// The communication of a pass goes before reductions that were left on its port, and after transfers: what does not
  /// fit beside them within its seconds makes it longer. For how long.
  double takeTurns(size_t s, double onStep, double onSends, double start, double seconds) {
    Stage& stage = stages_[s];
    if (onStep > 0 && stage.reduced.until > start)
      stage.reduced.until += takenTurns(stage.reduced.until - start, onStep, seconds, seconds);
    const double pending = stage.port - start;
    if (!(onSends > 0 && pending > 0)) return 0;
    const double over = std::min(pending, seconds) + std::min(onSends, seconds) - seconds;
    if (!(over > kOneMoment * start)) return 0; // all of it fits, but for rounding
    if (pending > seconds) stage.port += over;
    waitsForSends(s) += over;
    return over;
  }
  /// Gathers of the step that are under way take turns with what a pass communicates over their port.
  void pauseGathers(size_t s, double onGathers, double start, double end) {
    Stage& stage = stages_[s];
    if (!(onGathers > 0 && stage.gathered > start)) return;
    const auto pause = [&](double& until) {
      if (until > start) until += takenTurns(until - start, onGathers, end - start, end - start);
    };
    for (const uint32_t slot : holds(s)) pause(gathered_[slot]);
    pause(stage.gathered);
  }
  double depart(size_t s, double& free, double transfer, double end, const PairRest& pair);
  std::vector<StageTimes> times();
  ir::ActionKind kindOf(const Work& work) const {
    return static_cast<ir::ActionKind>((&work - works_.data()) % kKinds);
  }
  bool isForward(const Work& work) const { return kindOf(work) == ir::ActionKind::Forward; }
  /// The reductions of the step run in it.
  bool reduces(const Work& work) const {
    return *work.left == 1 && lastOf(in_->virtualStages[work.slot / routes_], kindOf(work)).carried > 0;
  }
  bool isWeight(const Work& work) const { return kindOf(work) == ir::ActionKind::BackwardWeight; }
  bool alwaysSpecial(const Work& work) const {
    return work.receiving != 0 || std::isfinite(roomOf(work)) || tailOf(work) > 0 || onStep(work) > 0 ||
           onGathers(work) > 0 || onSends(work) > 0;
  }
  /// As of its pass; the half of a backward pass that makes the gradients of parameters has no communication.
  static double roomOf(ir::ActionKind kind, const PassCost& pass, double seconds) {
    if (kind == ir::ActionKind::BackwardWeight) return std::numeric_limits<double>::infinity();
    return std::max(0.0, pass.room - (pass.seconds - seconds));
  }
  double roomOf(const Work& work) const { return roomOf(kindOf(work), *work.pass, work.seconds); }
  static double tailOf(ir::ActionKind kind, const PassCost& pass) {
    if (kind == ir::ActionKind::BackwardWeight) return 0;
    return kind == ir::ActionKind::BackwardInput ? pass.inputTail : pass.tail;
  }
  double tailOf(const Work& work) const { return tailOf(kindOf(work), *work.pass); }
  /// For how much of its seconds it takes the port of what others leave span.
  double shareOf(const Work& work) const {
    return work.seconds > 0 ? std::max(0.0, 1 - roomOf(work) / work.seconds) : 0;
  }
  double onStep(const Work& work) const { return isWeight(work) ? 0 : work.pass->onStep; }
  double onGathers(const Work& work) const { return isWeight(work) ? 0 : work.pass->onGathers; }
  double onSends(const Work& work) const { return isWeight(work) ? 0 : work.pass->onSends; }
  static const LastPass& lastOf(const VirtualStageCost& cost, ir::ActionKind kind) {
    return kind == ir::ActionKind::BackwardWeight ? cost.lastWeights : cost.last;
  }
  void watch(const Work& work, double slack) {
    double& least = slack_[static_cast<size_t>(&work - works_.data())];
    least = std::min(least, slack);
  }
  std::span<const uint32_t> holds(size_t s) const { return shape_->holds(s); }

  // Strides.cpp: the steady state.
  class Strider;
  void stride();
  double lookBack(Work& work, int64_t microBatch);

  const PipelineInput* in_ = nullptr;
  const PipelineShape* shape_ = nullptr;
  bool plain_ = false; ///< there is a tape for all actions, but for those at the edges of the step
  size_t routes_ = 1;
  int64_t perRoute_ = 1;         ///< micro-batches
  size_t slots_ = 0;             ///< virtual stages on routes
  int64_t width_ = 0;            ///< cells of a row
  size_t bookedAt_ = 0;          ///< in the sums
  std::vector<Plain> plains_;    ///< by work
  std::vector<double> rooms_;    ///< by work: for communication that other passes leave behind
  std::vector<OnPorts> onPorts_; ///< by work
  bool ports_ = false;           ///< any pass leaves communication behind, or takes turns with what others do
  bool onTape_ = false;
  size_t played_ = 0, edge_ = 0, mark_ = 0; ///< of the tape, so far
  std::vector<uint32_t> sent_;              ///< passes whose transfers are booked, as on the tape
  std::vector<Lane> lanes_;                 ///< by stage
  Indexed<double> ends_;                    ///< three constants, then the rows: forward and backward of each slot
  std::vector<Work> works_;
  std::vector<Stage> stages_;
  std::vector<double> sums_;       ///< idle, busy and waits for what is sent by stage, booked by slot and cause, pairs
  std::vector<int64_t> left_;      ///< by slot: passes that complete its gradients; one more for all other passes
  std::vector<int32_t> waiters_;   ///< by row: the stage that waits for its next cell
  std::vector<double> gathered_;   ///< by slot: when its new parameters are there
  std::vector<double> gathering_;  ///< by slot: seconds of its gathers that nothing has waited for
  std::vector<uint32_t> reducing_; ///< by what stages hold: slots in the order in which their reductions began
  std::vector<char> byWeights_;    ///< by slot: the half that makes the gradients of parameters completed them
  std::vector<Together> together_; ///< by stage, slot of the forward and of the backward pass; empty without pairs
  std::vector<size_t> togetherFrom_; ///< by stage
  size_t sharesAt_ = 0;              ///< in the sums
  std::vector<size_t> ready_;        ///< stages that may go on

  /// Micro-batches of a row that a leap left without cells.
  struct Skip {
    int64_t at = 0;    ///< cell of the row before which it lies
    int64_t count = 0; ///< micro-batches that have no cell; 0: none of this row
    int64_t cycle = 0; ///< the cells before repeat, and
    double step = 0;   ///< so much later
  };
  std::vector<std::vector<Skip>> skips_; ///< by leap, by row
  std::vector<double> slack_; ///< by work, where it is watched: least time between what it receives and its start
  bool watched_ = false;
};

} // namespace planc::cost
