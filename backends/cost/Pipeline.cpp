// Event simulation of the pipeline (docs/cost-model.md, section 3).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/Pipeline.h"

#include "backends/cost/SteadyState.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
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
/// Steps after which those that follow are taken to be no shorter.
constexpr int kSteps = 16;
/// Steps are equal if their lengths on the stages differ by less than this share.
constexpr double kSameStep = 1e-10;

using Pairs = std::map<std::pair<int64_t, int64_t>, double>;

/// What grows from action to action on one stage.
struct Sums {
  double busy = 0, idle = 0;
  std::vector<Booked> holds; ///< by virtual stage and route that it holds
  Pairs together;

  void add(const Sums& other, double times) {
    busy += times * other.busy;
    idle += times * other.idle;
    for (size_t h = 0; h < other.holds.size(); ++h)
      for (size_t c = 0; c < kCauses; ++c) holds[h][c] += times * other.holds[h][c];
    for (const auto& [pair, share] : other.together) together[pair] += times * share;
  }
};

/// What communication of the step adds to a pass that it runs beside.
struct Delay {
  double slowed = 0, exposed = 0;
  double sum() const { return slowed + exposed; }
};

/// An action starts at max(stage free, producer's end + transfer); the inline share of a transfer holds its sender.
class Simulation {
public:
  /// `begins`: by stage, when it is free for the step.
  Simulation(const PipelineInput& in, const std::vector<double>& begins)
      : in_(in), last_(static_cast<int64_t>(in.virtualStages.size()) - 1), forward_(cells(), kNotYet),
        backward_(cells(), kNotYet), routes_(in.devices.front().size()),
        perRoute_(std::max<int64_t>(1, in.microBatches / static_cast<int64_t>(routes_))),
        remaining_(in.virtualStages.size() * routes_, perRoute_), gathered_(in.virtualStages.size() * routes_),
        holdOf_(in.virtualStages.size() * routes_), stages_(static_cast<size_t>(in.stages)) {
    // The new parameters of a stage arrive one virtual stage after the other from the beginning of its step.
    std::vector<double> arrived = begins;
    for (size_t r = 0; r < routes_; ++r)
      for (size_t vs = 0; vs < in_.virtualStages.size(); ++vs) {
        const auto device = static_cast<size_t>(in_.devices[vs][r]);
        Stage& stage = stages_[device];
        gathered_[vs * routes_ + r] = arrived[device] += in_.virtualStages[vs].gathers.total;
        holdOf_[vs * routes_ + r] = stage.holds.size();
        stage.holds.push_back(static_cast<int64_t>(vs));
        stage.gathering.push_back(in_.virtualStages[vs].gathers.total);
        stage.sums.holds.emplace_back();
      }
    for (size_t s = 0; s < stages_.size(); ++s) {
      stages_[s].limit = in_.actions[s].size();
      stages_[s].begin = stages_[s].free = begins[s];
    }
  }

  std::vector<StageTimes> run(Strides strides) {
    if (strides == Strides::Taken)
      if (const auto steady = findSteadyOrders(in_.actions)) stride(*steady);
    settle();
    std::vector<StageTimes> times;
    for (Stage& stage : stages_) {
      if (stage.next != stage.limit) throw std::logic_error("cost: the stages of the schedule wait for each other");
      StageTimes t;
      t.begin = stage.begin;
      t.end = stage.free;
      t.trailing = std::max(0.0, std::max(stage.commFree, stage.reduced) - stage.free);
      bookTrailing(stage, t.trailing);
      t.busy = stage.sums.busy;
      t.idle = stage.sums.idle;
      t.together = std::move(stage.sums.together);
      for (size_t h = 0; h < stage.holds.size(); ++h) t.holds.push_back({stage.holds[h], stage.sums.holds[h]});
      times.push_back(std::move(t));
    }
    return times;
  }

private:
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
    Sums sums;
    std::vector<double> ends; ///< of its actions, while a steady state is looked for
  };

  size_t cells() const { return in_.virtualStages.size() * static_cast<size_t>(in_.microBatches); }
  const VirtualStageCost& cost(const Action& a) const { return in_.virtualStages[a.virtualStage]; }
  size_t routeOf(const Action& a) const { return routes_ == 1 ? 0 : static_cast<size_t>(a.microBatch / perRoute_); }
  size_t slot(const Action& a) const { return a.virtualStage * routes_ + routeOf(a); }
  double& booked(Stage& stage, const Action& a, Cause cause) const {
    return stage.sums.holds[holdOf_[slot(a)]][static_cast<size_t>(cause)];
  }
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
  double afterComm(Stage& stage, bool waits, double start) {
    if (!waits || stage.commFree <= start) return start;
    stage.sums.holds[stage.tailHold][static_cast<size_t>(stage.tailCause)] += stage.commFree - start;
    return stage.commFree;
  }

  /// From when the stage is free to when it has what it runs next: it waits for what arrives later, and is held by the
  /// transfers that it takes part in. Gives the seconds of the latter.
  double receive(Stage& stage, double arrival, double until) {
    stage.sums.idle += std::max(0.0, arrival - stage.free);
    return std::max(0.0, until - std::max(stage.free, arrival));
  }

  void bookReceived(Stage& stage, const Action& a, double held) {
    if (held > 0) booked(stage, a, a.kind == ActionKind::Forward ? Cause::Receive : Cause::ReceiveBack) += held;
  }

  void send(Stage& stage, const Action& a) {
    const double held = in_.inlineSend * transfer(a);
    if (held <= 0) return;
    booked(stage, a, a.kind == ActionKind::Forward ? Cause::Send : Cause::SendBack) += held;
    stage.free += held;
  }

  void perform(Stage& stage, const Action& a, double arrival) {
    const PassCost& pass = a.kind == ActionKind::Forward ? cost(a).forward : cost(a).backward;
    double seconds = pass.seconds;
    if (a.kind == ActionKind::BackwardInput) seconds -= pass.weight;
    if (a.kind == ActionKind::BackwardWeight) seconds = pass.weight;
    double start = std::max(stage.free + receiving(a), arrival);
    bookReceived(stage, a, receive(stage, arrival, start));
    start = afterComm(stage, a.kind != ActionKind::BackwardWeight && pass.waitsForComm, start);
    stage.sums.busy += seconds;
    const Delay delay = finish(stage, a, start, start + seconds);
    book(stage, a, delay);
    stage.free = start + seconds + delay.sum();
    made(stage, a, stage.free);
    send(stage, a);
  }

  /// A pair begins with the one whose input is there first. While it runs alone it saves nothing: the saving shrinks to
  /// none over its length. A result leaves when it is made, so its transfer may run beside the rest of the pair.
  void performPair(Stage& stage, const Action& f, const Action& b) {
    const PassCost &forward = cost(f).forward, &backward = cost(b).backward;
    const double holdF = receiving(f), holdB = receiving(b), free = stage.free + holdF + holdB;
    double arrivedF = std::max(free, received(f)), arrivedB = std::max(free, received(b));
    const double first = std::min(arrivedF, arrivedB);
    const double taken = receive(stage, std::min(received(f), received(b)), first);
    if (holdF > 0) bookReceived(stage, f, taken * holdF / (holdF + holdB));
    if (holdB > 0) bookReceived(stage, b, taken * holdB / (holdF + holdB));
    const double held = afterComm(stage, forward.waitsForComm || backward.waitsForComm, first) - first;
    arrivedF += held, arrivedB += held;
    const double apart = forward.seconds + backward.seconds;
    const auto known = in_.pairs.find({f.virtualStage, b.virtualStage});
    const PairCost pair = known == in_.pairs.end() ? PairCost{apart, apart, apart} : known->second;
    const double late = std::fabs(arrivedF - arrivedB), early = (arrivedF < arrivedB ? forward : backward).seconds;
    const double together = late < early ? 1 - late / early : 0, saved = (apart - pair.seconds) * together;
    stage.sums.busy += apart - saved;
    stage.sums.idle += std::max(0.0, late - early);
    stage.sums.together[{f.virtualStage, b.virtualStage}] += together;
    const double done = first + held + std::max(0.0, late - early) + apart - saved;
    const Delay delayF = finish(stage, f, arrivedF, done), delayB = finish(stage, b, arrivedB, done);
    const bool longer = delayF.sum() > delayB.sum(); // both at once: the longer one shows
    book(stage, longer ? f : b, longer ? delayF : delayB);
    const double end = stage.free = done + std::max(delayF.sum(), delayB.sum());
    made(stage, f, std::min(end, arrivedF + pair.forward + end - done));
    made(stage, b, std::min(end, arrivedB + pair.backward + end - done));
    send(stage, f);
    send(stage, b);
  }

  /// Communication of states around an action that would end at `end`: what it adds, and what it leaves behind.
  Delay finish(Stage& stage, const Action& a, double start, double end) {
    const bool isForward = a.kind == ActionKind::Forward;
    Delay delay;
    if (isForward && a.microBatch % perRoute_ == 0) delay = afterGathers(a, start, end);
    if (const double tail = (isForward ? cost(a).forward : cost(a).backward).tail; tail > 0) {
      stage.commFree = end + delay.sum() + tail;
      stage.tailHold = holdOf_[slot(a)];
      stage.tailCause = isForward ? Cause::ForwardTail : Cause::BackwardTail;
    }
    if ((a.kind == ActionKind::Backward || a.kind == ActionKind::BackwardWeight) && --remaining_[slot(a)] == 0)
      delay = beginReductions(stage, a, start, end);
    return delay;
  }

  /// The result of an action, for those who wait for it.
  void made(Stage& stage, const Action& a, double end) {
    if (a.kind == ActionKind::Forward)
      at(forward_, a.virtualStage, a.microBatch) = end;
    else if (a.kind != ActionKind::BackwardWeight)
      at(backward_, a.virtualStage, a.microBatch) = end;
    if (recording_) record(stage, a, end);
  }

  /// A wait for gathers is of the virtual stage that it is for, as long as its own take; of those before it in the
  /// queue beyond that.
  void book(Stage& stage, const Action& a, const Delay& delay) {
    if (delay.slowed > 0)
      booked(stage, a, a.kind == ActionKind::Forward ? Cause::SlowedByGathers : Cause::SlowedByReductions) +=
          delay.slowed;
    double left = delay.exposed;
    for (size_t h = holdOf_[slot(a)] + 1; left > 0 && h-- > 0;) {
      const double part = h == 0 ? left : std::min(left, stage.gathering[h]);
      stage.gathering[h] -= part;
      stage.sums.holds[h][static_cast<size_t>(Cause::Gathers)] += part;
      left -= part;
    }
  }

  /// What runs on after the last pass: the last reductions, as far as they reach back, or what a pass left behind.
  void bookTrailing(Stage& stage, double trailing) {
    double left = trailing;
    if (const double tail = std::min(left, stage.commFree - std::max(stage.free, stage.reduced)); tail > 0) {
      stage.sums.holds[stage.tailHold][static_cast<size_t>(stage.tailCause)] += tail;
      left -= tail;
    }
    for (size_t i = stage.reducing.size(); left > 0 && i-- > 0;) {
      const size_t h = stage.reducing[i];
      const double total = in_.virtualStages[static_cast<size_t>(stage.holds[h])].reductions.total;
      const double part = i == 0 ? left : std::min(left, total);
      stage.sums.holds[h][static_cast<size_t>(Cause::Reductions)] += part;
      left -= part;
    }
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
  Delay afterGathers(const Action& a, double start, double end) const {
    const StepComm& comm = cost(a).gathers;
    if (comm.total <= 0) return {};
    const double all = gathered_[slot(a)], firstBucket = all - comm.total + comm.edge;
    const double slowed = in_.slowdown * std::clamp(all - start, 0.0, std::min(comm.total, end - start));
    const double late = std::max(all + cost(a).forward.last - end, firstBucket - start);
    return {slowed, std::max(0.0, late - slowed)};
  }

  /// The last backward of a virtual stage completes its gradient buckets one by one; they are reduced in that order.
  Delay beginReductions(Stage& stage, const Action& a, double start, double end) const {
    const StepComm& comm = cost(a).reductions;
    if (comm.total <= 0) return {};
    const double slowed = in_.slowdown * std::min(comm.total - comm.edge, end - start);
    // The first instance is through before the pass ends: one that makes weights alone may be shorter than it.
    const double begin = std::max(stage.reduced, std::min(end, start + cost(a).backward.first));
    stage.reduced = std::max(begin + comm.total, end + slowed + comm.edge);
    stage.reducing.push_back(holdOf_[slot(a)]);
    return {slowed, 0};
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
      Sums round = stage.sums;
      round.add(before[s], -1);
      stage.sums.add(round, n);
    }
  }

  const PipelineInput& in_;
  int64_t last_;
  std::vector<double> forward_, backward_; ///< ends, by virtual stage and micro-batch
  size_t routes_;
  int64_t perRoute_;               ///< micro-batches
  std::vector<int64_t> remaining_; ///< backward passes of a virtual stage on a route
  std::vector<double> gathered_;   ///< when the new parameters of a virtual stage are there, by route
  std::vector<size_t> holdOf_;     ///< where the device of a virtual stage books what is for it, by route
  std::vector<Stage> stages_;
  bool recording_ = false; ///< a steady state is looked for
  int round_ = 0;
  std::vector<uint16_t> forwardRound_, backwardRound_; ///< in which a cell was filled
};

} // namespace

double StageTimes::booked(Cause cause) const {
  double sum = 0;
  for (const HeldStage& h : holds) sum += h.booked[static_cast<size_t>(cause)];
  return sum;
}

double StageTimes::booked() const {
  double sum = 0;
  for (const HeldStage& h : holds) sum += std::accumulate(h.booked.begin(), h.booked.end(), 0.0);
  return sum;
}

/// The steps of stages that do not wait for all are a max-plus linear system: what its vector of ends grows by on any
/// stage bounds the period from above, and comes down to it (Baccelli, Cohen, Olsder, Quadrat, *Synchronization and
/// Linearity*, 1992, chapter 3).
std::vector<StageTimes> runPipeline(const PipelineInput& input, Strides strides) {
  std::vector<double> begins(static_cast<size_t>(input.stages));
  std::vector<StageTimes> times;
  for (int step = 0; step < kSteps; ++step) {
    times = Simulation(input, begins).run(strides);
    if (input.waitsForAll) break;
    double shortest = std::numeric_limits<double>::infinity(), longest = 0, first = shortest;
    for (size_t s = 0; s < times.size(); ++s) {
      const double between = input.between.empty() ? 0 : input.between[s];
      const double end = times[s].end + times[s].trailing + between;
      shortest = std::min(shortest, end - begins[s]), longest = std::max(longest, end - begins[s]);
      first = std::min(first, begins[s] = end);
    }
    if (longest - shortest <= kSameStep * longest) break;
    for (double& begin : begins) begin -= first;
  }
  return times;
}

} // namespace planc::cost
