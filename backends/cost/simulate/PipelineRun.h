// One step of a pipeline, action by action: what its stages have done so far.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/simulate/Pipeline.h"
#include "backends/cost/simulate/SteadyState.h"
#include "support/Indexed.h"

#include <map>
#include <utility>
#include <vector>

namespace planc::cost {

/// What grows from action to action on one stage.
struct StageSums {
  double busy = 0, idle = 0;
  std::vector<Booked> holds;                              ///< by virtual stage and route that it holds
  std::map<std::pair<int64_t, int64_t>, double> together; ///< pairs, as in StageTimes

  void add(const StageSums& other, double times) {
    busy += times * other.busy;
    idle += times * other.idle;
    for (size_t h = 0; h < other.holds.size(); ++h)
      for (size_t c = 0; c < kCauses; ++c) holds[h][c] += times * other.holds[h][c];
    for (const auto& [pair, share] : other.together) together[pair] += times * share;
  }
};

/// What communication of the step adds to a pass that it runs beside.
struct PassDelay {
  double slowed = 0, exposed = 0;
  double sum() const { return slowed + exposed; }
};

/// An action starts at max(stage free, producer's end + transfer); the blocking share of a transfer holds its sender.
class PipelineRun {
public:
  /// `begins`: by stage, when it is free for the step.
  PipelineRun(const PipelineInput& in, const std::vector<double>& begins);
  std::vector<StageTimes> run(Strides strides);

private:
  using Action = ir::Action;
  static constexpr double kNotYet = -1;

  struct Stage {
    size_t next = 0;     ///< action
    size_t limit = 0;    ///< action before which it stops
    double begin = 0;    ///< of its step
    double free = 0;     ///< the compute stream
    double commFree = 0; ///< the comm stream, after passes
    double reduced = 0;  ///< the step's gradient reductions so far
    bool waiting = false;
    std::vector<int64_t> holds;    ///< virtual stages, in the order in which their new parameters arrive
    std::vector<double> gathering; ///< by hold: seconds of its gathers that nothing has waited for
    std::vector<size_t> reducing;  ///< holds, in the order in which their reductions began
    size_t tailHold = 0;           ///< whose communication the comm stream is in, after passes
    Cause tailCause = Cause::ForwardTail;
    StageSums sums;
    std::vector<double> ends; ///< of its actions, while a steady state is looked for
  };

  size_t cells() const { return in_.virtualStages.size() * static_cast<size_t>(in_.microBatches); }
  const VirtualStageCost& cost(const Action& a) const { return in_.virtualStages[a.virtualStage]; }
  size_t routeOf(const Action& a) const { return routes_ == 1 ? 0 : static_cast<size_t>(a.microBatch / perRoute_); }
  size_t slot(const Action& a) const { return a.virtualStage * routes_ + routeOf(a); }
  double& booked(Stage& stage, const Action& a, Cause cause) const { return stage.sums.holds[holdOf_[slot(a)]][cause]; }
  template <class T> T& at(Indexed<T>& table, int64_t vs, int64_t mb) const {
    return table[vs * in_.microBatches + mb];
  }

  // Pipeline.cpp: actions.
  double received(const Action& a);
  double receiving(const Action& a) const;
  void settle();
  void advance(int64_t s, std::vector<int64_t>& ready);
  void wake(const Action& a, std::vector<int64_t>& ready);
  double afterComm(Stage& stage, bool waits, double start);
  double receive(Stage& stage, double arrival, double until);
  void bookReceived(Stage& stage, const Action& a, double held);
  void send(Stage& stage, const Action& a);
  void perform(Stage& stage, const Action& a, double arrival);
  void performPair(Stage& stage, const Action& f, const Action& b);
  PassDelay finish(Stage& stage, const Action& a, double start, double end);
  void made(Stage& stage, const Action& a, double end);
  void book(Stage& stage, const Action& a, const PassDelay& delay);
  void bookTrailing(Stage& stage, double trailing);
  void record(Stage& stage, const Action& a, double end);
  double transfer(const Action& a) const;
  PassDelay afterGathers(const Action& a, double start, double end) const;
  PassDelay beginReductions(Stage& stage, const Action& a, double start, double end) const;

  // Strides.cpp: the steady state.
  using Cuts = std::vector<std::vector<size_t>>; ///< by round: where each stage stands after it
  void stride(const SteadyOrders& steady);
  void release();
  std::vector<StageSums> sums() const;
  int sentIn(const Action& a);
  size_t reach(const Cuts& cuts);
  double periodOver(const SteadyOrders& steady, const Cuts& cuts, size_t window) const;
  void leap(const SteadyOrders& steady, double period, const std::vector<StageSums>& before);

  const PipelineInput& in_;
  ir::ActionLists actions_;
  int64_t last_;
  Indexed<double> forward_, backward_; ///< ends, by virtual stage and micro-batch
  size_t routes_;
  int64_t perRoute_;               ///< micro-batches
  std::vector<int64_t> remaining_; ///< backward passes of a virtual stage on a route
  std::vector<double> gathered_;   ///< when the new parameters of a virtual stage are there, by route
  std::vector<size_t> holdOf_;     ///< where the device of a virtual stage books what is for it, by route
  Indexed<Stage> stages_;
  bool recording_ = false; ///< a steady state is looked for
  int round_ = 0;
  Indexed<uint16_t> forwardRound_, backwardRound_; ///< in which a cell was filled
};

} // namespace planc::cost
