// The chain of instances of a virtual stage, with state collectives issued ahead (docs/cost-model.md, section 2.4).
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/price/Buckets.h"
#include "backends/cost/simulate/StagePass.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace planc::cost {

/// The passes that a chain can run.
enum class ChainPart : uint8_t {
  Pass,       ///< an ordinary pass
  InputHalf,  ///< the half of a backward pass that makes gradients of inputs
  Last,       ///< the pass that completes the gradients of the step
  LastWeights ///< the half of the last pass that makes the gradients of parameters
};

/// Simulates the instances of a virtual stage one after the other. Gathers of a state are issued `prefetch` layers
/// ahead. Reductions are issued when their layer has ended. The blocking shares of both occupy the compute stream. An
/// instance with several layers runs as one equal share per layer.
class Chain {
public:
  Chain(const ir::Schedule& schedule, const std::vector<ClassCost>& costs,
        std::vector<std::pair<ir::LayerClassId, int64_t>> runs, bool backward, ChainPart part);

  /// Runs the chain and writes the result to `out`. `observer` receives the layers, the seconds of the compute stream
  /// and the tasks of the comm streams, without skipping any layer; null: no observer.
  void simulate(StagePass& out, SliceObserver* observer = nullptr);

private:
  using TaskId = Streams::TaskId;
  struct Cursor {
    size_t run = 0;
    int64_t offset = 0;
  };
  /// The share of one layer in a message.
  struct MessagePart {
    int32_t tag = 0;
    double seconds = 0;
    const ir::StateCollective* state = nullptr;
  };
  /// Reductions of one kind, and their message, which layers fill one after the other.
  struct Reduction {
    const ir::StateCollective* like = nullptr;
    double full = 0; ///< filled share of the message
    std::vector<MessagePart> parts;
    std::optional<TaskId> sent; ///< the last message that was sent
  };
  static constexpr size_t kUnmet = SIZE_MAX;
  /// A state of a run that is reduced, or copied to the host.
  struct Reduced {
    size_t kind = kUnmet;
    std::vector<size_t> after; ///< kinds of reductions of the same gradients that run first
    double late = 0;           ///< share that runs after the pass: inline, or waiting for an earlier reduction
  };
  /// The part of a message that is sent when the pass has ended.
  struct Late {
    int32_t tag = 0;
    ir::Stream port = 0;
    double inlined = 0, beside = 0; ///< seconds on the compute stream, seconds on the port
  };
  /// The first tags of a run: of its state collectives, of its nodes if the nodes are placed on the streams
  /// (`inPlace_`), and the tag of the rest of its instances.
  struct Tags {
    size_t states = 0, nodes = 0, rest = 0;
    int64_t count = 0; ///< number of instances, including skipped instances
  };
  const ir::LayerClass& body(ir::LayerClassId id) const { return schedule_.program->classes[id]; }
  const ir::Segment& segment(ir::LayerClassId id) const {
    return (backward_ ? schedule_.backward : schedule_.forward)[id.index];
  }
  const std::vector<ir::Node>& nodes(ir::LayerClassId id) const {
    return backward_ ? body(id).backward : body(id).forward;
  }
  const SegmentCost& costOf(ir::LayerClassId id) const {
    const ClassCost& cost = costs_[id.index];
    if (part_ == ChainPart::InputHalf) return cost.halves->first;
    return part_ == ChainPart::LastWeights ? cost.halves->second : cost.of(backward_);
  }
  /// Seconds of an instance that communication can slow.
  double computing(const SegmentCost& cost) const {
    return part_ == ChainPart::LastWeights ? cost.seconds : cost.computing;
  }
  bool lastOne() const { return part_ == ChainPart::Last || part_ == ChainPart::LastWeights; }
  bool moves(const ir::StateCollective& s) const {
    return (part_ != ChainPart::LastWeights && everyMicroBatch(s, backward_)) || (lastOne() && reducesOnce(s));
  }
  double blockingShare(const ir::StateCollective& s) const { return schedule_.blockingShare[s.cls]; }
  ir::Stream portOf(const ir::StateCollective& s) const { return ir::streamOf(*schedule_.program, s.level); }
  bool atEnd(const Cursor& c) const { return c.run == runs_.size(); }
  void step(Cursor& c) const {
    for (++c.offset; !atEnd(c) && c.offset >= runs_[c.run].second; ++c.run) c.offset = 0;
  }

  class TaskNames;
  std::unique_ptr<SliceObserver> namesFor(SliceObserver& to) const;
  void waitFor(std::vector<TaskId> after);
  void begin();
  void gather(std::span<const TaskId> after);
  std::vector<TaskId> runInstance(ir::LayerClassId id, size_t run);
  void reduce(ir::LayerClassId id, size_t run, std::vector<TaskId>& last);
  Reduction& reductionOf(size_t run, const ir::StateCollective& s, int32_t tag);
  void send(Reduction& reduction, std::span<const MessagePart> parts, const std::vector<TaskId>& complete,
            std::vector<TaskId>& last);
  void sendMessage(Reduction& reduction, const std::vector<TaskId>& complete, std::vector<TaskId>& last);
  void addLate(double& tail, std::vector<Spent>& running) const;
  void repeatLate(int64_t instances);
  void observe();
  void catchUp(double instances);
  std::vector<Spent> spentOn(size_t firstTag, size_t lastTag) const;
  void book(Account& account, size_t run, const std::vector<Spent>& spent) const;
  /// Returns whether a collective runs after its instance: true for reductions and copies to the host, false for
  /// gathers and copies from the host.
  static bool after(const ir::StateCollective& state) {
    return state.collective == ir::CollectiveKind::HostCopy ? state.out : state.cls == ir::CollectiveClass::Gradient;
  }
  template <class F> void eachState(size_t run, bool reductions, F f) const {
    const auto& states = body(runs_[run].first).states;
    for (size_t s = 0; s < states.size(); ++s)
      if (moves(states[s]) && after(states[s]) == reductions)
        f(states[s], share_[run] * costs_[runs_[run].first.index].states[s],
          static_cast<int32_t>(tags_[run].states + s));
  }

  const ir::Schedule& schedule_;
  const std::vector<ClassCost>& costs_;
  std::vector<std::pair<ir::LayerClassId, int64_t>> runs_; ///< layers of each class
  std::vector<double> share_;                              ///< by run: share of one layer in its instance
  /// By run: true if the nodes are placed on the streams, because some run concurrently or share a port with states;
  /// false if an instance is one task.
  std::vector<bool> inPlace_;
  bool backward_;
  ChainPart part_;
  Streams streams_;
  std::vector<std::optional<Streams::Batch>>
      shares_;                                ///< by run: tasks of a layer, unless `SegmentCost::instance` has them
  std::vector<Tags> tags_;                    ///< by run
  Cursor next_, ahead_;                       ///< next instance to begin, next instance whose gathers are issued
  std::vector<std::vector<TaskId>> gathered_; ///< by instance: the comm tasks of its gathers
  size_t gatheredHead_ = 0;
  std::vector<Reduction> reductions_; ///< by kind
  std::vector<Reduced> reduced_;      ///< by tag
  std::vector<Late> late_;
  double end_ = 0;
  std::vector<Spent> ended_; ///< by tag: seconds spent until `end_`
  // The rhythm of the current run.
  int64_t same_ = 0;
  double lastBegin_ = 0, lastPeriod_ = -1, lastBacklog_ = -1, lastGrowth_ = 0, lastFull_ = 0;
  std::map<ir::Stream, double> lastAhead_; ///< by port: seconds of communication that was issued ahead and has not run
  std::vector<Spent> lastSpent_;           ///< by tag of the run
  size_t lastLate_ = 0; ///< index of the first transfer that this instance deferred until after the pass
  SliceObserver* observer_ = nullptr;
  double skippedTime_ = 0;
  std::vector<Spent> skipped_; ///< by tag
};

} // namespace planc::cost
