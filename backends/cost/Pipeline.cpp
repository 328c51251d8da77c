// Event simulation of the pipeline (docs/cost-model.md, section 3).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/Pipeline.h"

#include "backends/cost/SteadyState.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace planc::cost {

namespace {

using ir::Action;
using ir::ActionKind;

constexpr double kNotYet = -1;
/// Periods of a steady state are equal if they differ by less than this share of the time so far: rounding.
constexpr double kSamePeriod = 1e-12;
/// Rounds after which a steady state that has not come is not waited for.
constexpr int kRounds = 256;

/// What grows from action to action on one stage.
struct Sums {
  double busy = 0, exposed = 0, paired = 0;
};

/// An action starts at max(stage free, producer's end + transfer); the inline share of a transfer holds its sender.
class Simulation {
public:
  explicit Simulation(const PipelineInput& in)
      : in_(in), last_(static_cast<int64_t>(in.virtualStages.size()) - 1), forward_(cells(), kNotYet),
        backward_(cells(), kNotYet), routes_(in.devices.front().size()),
        perRoute_(std::max<int64_t>(1, in.microBatches / static_cast<int64_t>(routes_))),
        remaining_(in.virtualStages.size() * routes_, perRoute_), gathered_(in.virtualStages.size() * routes_),
        stages_(static_cast<size_t>(in.stages)) {
    // The new parameters of a stage arrive one virtual stage after the other from the beginning of the step.
    std::vector<double> arrived(stages_.size());
    for (size_t r = 0; r < routes_; ++r)
      for (size_t vs = 0; vs < in_.virtualStages.size(); ++vs)
        gathered_[vs * routes_ + r] = arrived[static_cast<size_t>(in_.devices[vs][r])] +=
            in_.virtualStages[vs].gathers.total;
    for (size_t s = 0; s < stages_.size(); ++s) stages_[s].limit = in_.actions[s].size();
  }

  std::vector<StageTimes> run(Strides strides) {
    if (strides == Strides::Taken)
      if (const auto steady = findSteadyOrders(in_.actions)) stride(*steady);
    settle();
    std::vector<StageTimes> times;
    for (Stage& stage : stages_) {
      if (stage.next != stage.limit) throw std::logic_error("cost: the stages of the schedule wait for each other");
      StageTimes t;
      t.begin = in_.waitsForAll ? 0 : std::max(0.0, stage.begin);
      t.end = stage.free;
      t.busy = stage.sums.busy, t.exposed = stage.sums.exposed, t.paired = stage.sums.paired;
      t.trailing = std::max(0.0, std::max(stage.commFree, stage.reduced) - stage.free);
      times.push_back(t);
    }
    return times;
  }

private:
  struct Stage {
    size_t next = 0;        ///< action
    size_t limit = 0;       ///< action before which it stops
    double begin = kNotYet; ///< of its first action
    double free = 0;        ///< the compute stream
    double commFree = 0;    ///< the comm stream, after passes
    double reduced = 0;     ///< the step's gradient reductions so far
    bool waiting = false;
    Sums sums;
    std::vector<double> ends; ///< of its actions, while a steady state is looked for
  };

  size_t cells() const { return in_.virtualStages.size() * static_cast<size_t>(in_.microBatches); }
  const VirtualStageCost& cost(const Action& a) const { return in_.virtualStages[a.virtualStage]; }
  size_t routeOf(const Action& a) const { return routes_ == 1 ? 0 : static_cast<size_t>(a.microBatch / perRoute_); }
  size_t slot(const Action& a) const { return a.virtualStage * routes_ + routeOf(a); }
  template <class T> T& at(std::vector<T>& table, int64_t vs, int64_t mb) const {
    return table[static_cast<size_t>(vs * in_.microBatches + mb)];
  }

  /// When what an action receives is there; negative if it was not sent yet.
  double received(const Action& a) {
    const int64_t mb = a.microBatch, vs = a.virtualStage;
    switch (a.kind) {
    case ActionKind::Forward: {
      if (vs == 0) return 0;
      const double sent = at(forward_, vs - 1, mb);
      return sent < 0 ? sent : sent + in_.virtualStages[static_cast<size_t>(vs - 1)].send;
    }
    case ActionKind::Backward:
    case ActionKind::BackwardInput: {
      if (vs == last_) return at(forward_, vs, mb);
      const double sent = at(backward_, vs + 1, mb);
      return sent < 0 ? sent : sent + in_.virtualStages[static_cast<size_t>(vs + 1)].sendBack;
    }
    case ActionKind::BackwardWeight:
      return at(backward_, vs, mb);
    }
    return kNotYet;
  }

  /// Seconds for which the transfer of what an action receives holds it.
  double receiving(const Action& a) const {
    if (a.kind == ActionKind::BackwardWeight || in_.inlineReceive == 0) return 0;
    if (a.kind == ActionKind::Forward)
      return a.virtualStage == 0 ? 0
                                 : in_.inlineReceive * in_.virtualStages[static_cast<size_t>(a.virtualStage - 1)].send;
    return a.virtualStage == last_
               ? 0
               : in_.inlineReceive * in_.virtualStages[static_cast<size_t>(a.virtualStage + 1)].sendBack;
  }

  /// Every stage as far as its limit and the others let it.
  void settle() {
    std::vector<int64_t> ready;
    for (int64_t s = in_.stages; s-- > 0;) ready.push_back(s);
    while (!ready.empty()) {
      const int64_t s = ready.back();
      ready.pop_back();
      advance(s, ready);
    }
  }

  void advance(int64_t s, std::vector<int64_t>& ready) {
    Stage& stage = stages_[static_cast<size_t>(s)];
    const auto& actions = in_.actions[static_cast<size_t>(s)];
    stage.waiting = false;
    while (stage.next < stage.limit) {
      const Action& a = actions[stage.next];
      double arrival = received(a);
      if (a.paired && arrival >= 0) arrival = std::min(arrival, received(actions[stage.next + 1]));
      if (arrival < 0) {
        stage.waiting = true;
        return;
      }
      if (stage.begin < 0) stage.begin = std::max(stage.free, arrival);
      if (a.paired)
        performPair(stage, a, actions[stage.next + 1]);
      else
        perform(stage, a, arrival);
      wake(a, ready);
      if (a.paired) wake(actions[stage.next + 1], ready);
      stage.next += a.paired ? 2 : 1;
    }
  }

  /// Who receives from this action looks again.
  void wake(const Action& a, std::vector<int64_t>& ready) {
    if (a.kind == ActionKind::BackwardWeight) return;
    const int64_t to = a.virtualStage + (a.kind == ActionKind::Forward ? 1 : -1);
    if (to < 0 || to > last_) return;
    const int64_t device = in_.devices[static_cast<size_t>(to)][routeOf(a)];
    Stage& other = stages_[static_cast<size_t>(device)];
    if (!other.waiting) return;
    other.waiting = false;
    ready.push_back(device);
  }

  /// When an action that could start does, if its pass begins with communication.
  double afterComm(Stage& stage, const PassCost& pass, double start) {
    if (!pass.waitsForComm || stage.commFree <= start) return start;
    stage.sums.exposed += stage.commFree - start;
    return stage.commFree;
  }

  void perform(Stage& stage, const Action& a, double arrival) {
    const PassCost& pass = a.kind == ActionKind::Forward ? cost(a).forward : cost(a).backward;
    double seconds = pass.seconds;
    if (a.kind == ActionKind::BackwardInput) seconds -= pass.weight;
    if (a.kind == ActionKind::BackwardWeight) seconds = pass.weight;
    double start = std::max(stage.free + receiving(a), arrival);
    if (a.kind != ActionKind::BackwardWeight) start = afterComm(stage, pass, start);
    stage.sums.busy += seconds;
    stage.free = start + seconds;
    stage.free = finish(stage, a, start, stage.free);
    stage.free += in_.inlineSend * transfer(a);
  }

  /// A pair begins with the one whose input is there first. While it runs alone it saves nothing: the saving shrinks to
  /// none over its length. A result leaves when it is made, so its transfer may run beside the rest of the pair.
  void performPair(Stage& stage, const Action& f, const Action& b) {
    const PassCost &forward = cost(f).forward, &backward = cost(b).backward;
    const double free = stage.free + receiving(f) + receiving(b);
    double arrivedF = std::max(free, received(f)), arrivedB = std::max(free, received(b));
    const double first = std::min(arrivedF, arrivedB);
    const double held = std::max(afterComm(stage, forward, first), afterComm(stage, backward, first)) - first;
    arrivedF += held, arrivedB += held;
    const double apart = forward.seconds + backward.seconds;
    const auto known = in_.pairs.find({f.virtualStage, b.virtualStage});
    const PairCost pair = known == in_.pairs.end() ? PairCost{apart, apart, apart} : known->second;
    const double late = std::fabs(arrivedF - arrivedB), early = (arrivedF < arrivedB ? forward : backward).seconds;
    const double together = late < early ? 1 - late / early : 0, saved = (apart - pair.seconds) * together;
    stage.sums.busy += apart - saved;
    stage.sums.paired += saved;
    const double done = first + held + std::max(0.0, late - early) + apart - saved;
    const double end = std::max(finish(stage, f, arrivedF, done), finish(stage, b, arrivedB, done));
    const double madeF = std::min(end, arrivedF + pair.forward + end - done);
    const double madeB = std::min(end, arrivedB + pair.backward + end - done);
    at(forward_, f.virtualStage, f.microBatch) = madeF, at(backward_, b.virtualStage, b.microBatch) = madeB;
    if (recording_) *(stage.ends.end() - 2) = madeF, stage.ends.back() = madeB;
    stage.free = end + in_.inlineSend * (transfer(f) + transfer(b));
  }

  /// Communication of the step around an action, and its result; gives its end.
  double finish(Stage& stage, const Action& a, double start, double end) {
    const bool isForward = a.kind == ActionKind::Forward;
    if (isForward && a.microBatch % perRoute_ == 0) end = afterGathers(stage, a, start, end);
    if (const double tail = (isForward ? cost(a).forward : cost(a).backward).tail; tail > 0)
      stage.commFree = end + tail;
    if ((a.kind == ActionKind::Backward || a.kind == ActionKind::BackwardWeight) && --remaining_[slot(a)] == 0)
      end = beginReductions(stage, a, start, end);
    if (isForward)
      at(forward_, a.virtualStage, a.microBatch) = end;
    else if (a.kind != ActionKind::BackwardWeight)
      at(backward_, a.virtualStage, a.microBatch) = end;
    if (recording_) record(stage, a, end);
    return end;
  }

  void record(Stage& stage, const Action& a, double end) {
    stage.ends.push_back(end);
    if (a.kind != ActionKind::BackwardWeight)
      at(a.kind == ActionKind::Forward ? forwardRound_ : backwardRound_, a.virtualStage, a.microBatch) =
          static_cast<uint16_t>(round_);
  }

  double transfer(const Action& a) const {
    if (a.kind == ActionKind::Forward) return a.virtualStage < last_ ? cost(a).send : 0;
    return a.kind == ActionKind::BackwardWeight || a.virtualStage == 0 ? 0 : cost(a).sendBack;
  }

  /// The first forward of a virtual stage meets the new parameters: its last instance cannot begin before their last
  /// bucket.
  double afterGathers(Stage& stage, const Action& a, double start, double end) {
    const StepComm& comm = cost(a).gathers;
    if (comm.total <= 0) return end;
    const double all = gathered_[slot(a)], firstBucket = all - comm.total + comm.edge;
    const double beside = std::clamp(all - start, 0.0, std::min(comm.total, end - start));
    const double late =
        std::max({end + in_.slowdown * beside, all + cost(a).forward.last, firstBucket + (end - start)});
    stage.sums.exposed += late - end;
    return late;
  }

  /// The last backward of a virtual stage completes its gradient buckets one by one; they are reduced in that order.
  double beginReductions(Stage& stage, const Action& a, double start, double end) {
    const StepComm& comm = cost(a).reductions;
    if (comm.total <= 0) return end;
    const double slowed = in_.slowdown * std::min(comm.total - comm.edge, end - start);
    stage.sums.exposed += slowed;
    end += slowed;
    const double begin = std::max(stage.reduced, start + cost(a).backward.first);
    stage.reduced = std::max(begin + comm.total, end + comm.edge);
    return end;
  }

  // ---- steady state ----------------------------------------------------------

  using Cuts = std::vector<std::vector<size_t>>; ///< by round: where each stage stands after it

  /// Rounds of one period on every stage, until all actions of the last rounds end one and the same time after those of
  /// the round before. What an action waits for lies within these rounds, so all rounds that follow are as far apart,
  /// to the end of the stretch: they need no simulation.
  void stride(const SteadyOrders& steady) {
    recording_ = true;
    forwardRound_.assign(cells(), 0);
    backwardRound_.assign(cells(), 0);
    Cuts cuts;
    for (round_ = 0; round_ < kRounds; ++round_) {
      for (size_t s = 0; s < stages_.size(); ++s) {
        const Stretch& stretch = steady.stages[s];
        stages_[s].limit = stretch.begin + static_cast<size_t>(round_ + 1) * stretch.length;
        if (stages_[s].limit + 2 * stretch.length > stretch.end) return release();
      }
      const std::vector<Sums> before = sums();
      settle();
      auto& cut = cuts.emplace_back();
      for (const Stage& stage : stages_) cut.push_back(stage.next);
      if (round_ == 0) continue;
      const size_t window = reach(cuts);
      if (window >= cuts.size()) continue;
      if (const double period = periodOver(steady, cuts, window); period >= 0) {
        leap(steady, period, before);
        return release();
      }
    }
    release();
  }

  void release() {
    recording_ = false;
    for (size_t s = 0; s < stages_.size(); ++s) {
      stages_[s].limit = in_.actions[s].size();
      stages_[s].ends = {};
    }
  }

  std::vector<Sums> sums() const {
    std::vector<Sums> all;
    for (const Stage& stage : stages_) all.push_back(stage.sums);
    return all;
  }

  /// The round in which what an action receives was made.
  int sentIn(const Action& a) {
    const int64_t vs = a.virtualStage, mb = a.microBatch;
    if (a.kind == ActionKind::Forward) return vs == 0 ? round_ : at(forwardRound_, vs - 1, mb);
    if (a.kind == ActionKind::BackwardWeight) return at(backwardRound_, vs, mb);
    return vs == last_ ? at(forwardRound_, vs, mb) : at(backwardRound_, vs + 1, mb);
  }

  /// How many rounds the actions of the last one reach back, and one more.
  size_t reach(const Cuts& cuts) {
    int oldest = round_;
    for (size_t s = 0; s < stages_.size(); ++s)
      for (size_t i = cuts[cuts.size() - 2][s]; i < cuts.back()[s]; ++i)
        oldest = std::min(oldest, sentIn(in_.actions[s][i]));
    return static_cast<size_t>(round_ - oldest) + 1;
  }

  /// The time between the last rounds, if it is one; else negative.
  double periodOver(const SteadyOrders& steady, const Cuts& cuts, size_t window) const {
    double period = kNotYet;
    for (size_t s = 0; s < stages_.size(); ++s) {
      const size_t length = steady.stages[s].length, first = cuts[cuts.size() - 1 - window][s];
      if (first < steady.stages[s].begin + length) return kNotYet;
      for (size_t c = cuts.size() - window; c < cuts.size(); ++c)
        if (cuts[c][s] - cuts[c - 1][s] != length) return kNotYet;
      const std::vector<double>& ends = stages_[s].ends;
      if (period < 0) period = ends.back() - ends[ends.size() - 1 - length];
      for (size_t i = first; i < cuts.back()[s]; ++i)
        if (std::fabs(ends[i] - ends[i - length] - period) > kSamePeriod * ends[i]) return kNotYet;
    }
    return period;
  }

  /// All periods but the last, in which the step's reductions begin.
  void leap(const SteadyOrders& steady, double period, const std::vector<Sums>& before) {
    size_t periods = SIZE_MAX;
    for (size_t s = 0; s < stages_.size(); ++s)
      periods = std::min(periods, (steady.stages[s].end - stages_[s].next) / steady.stages[s].length);
    if (periods < 2) return;
    --periods;
    const double n = static_cast<double>(periods);
    for (size_t s = 0; s < stages_.size(); ++s) {
      Stage& stage = stages_[s];
      const size_t length = steady.stages[s].length;
      for (const size_t to = stage.next + periods * length; stage.next < to; ++stage.next) {
        const Action& a = in_.actions[s][stage.next];
        stage.ends.push_back(stage.ends[stage.next - length] + period);
        if (a.kind == ActionKind::Forward)
          at(forward_, a.virtualStage, a.microBatch) = stage.ends.back();
        else if (a.kind != ActionKind::BackwardWeight)
          at(backward_, a.virtualStage, a.microBatch) = stage.ends.back();
        if (a.kind == ActionKind::Backward || a.kind == ActionKind::BackwardWeight) --remaining_[slot(a)];
      }
      stage.free += n * period;
      if (stage.commFree > 0) stage.commFree += n * period;
      stage.sums.busy += n * (stage.sums.busy - before[s].busy);
      stage.sums.exposed += n * (stage.sums.exposed - before[s].exposed);
      stage.sums.paired += n * (stage.sums.paired - before[s].paired);
    }
  }

  const PipelineInput& in_;
  int64_t last_;
  std::vector<double> forward_, backward_; ///< ends, by virtual stage and micro-batch
  size_t routes_;
  int64_t perRoute_;               ///< micro-batches
  std::vector<int64_t> remaining_; ///< backward passes of a virtual stage on a route
  std::vector<double> gathered_;   ///< when the new parameters of a virtual stage are there, by route
  std::vector<Stage> stages_;
  bool recording_ = false; ///< a steady state is looked for
  int round_ = 0;
  std::vector<uint16_t> forwardRound_, backwardRound_; ///< in which a cell was filled
};

} // namespace

std::vector<StageTimes> runPipeline(const PipelineInput& input, Strides strides) {
  return Simulation(input).run(strides);
}

} // namespace planc::cost
