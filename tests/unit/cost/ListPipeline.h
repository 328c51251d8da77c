// The pipeline simulated action by action, every end in a table: what the leaps of the compiler are held to.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/simulate/pipeline/Pipeline.h"
#include "support/Indexed.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

namespace planc::cost::listed {
using ir::ActionKind;

/// What grows from action to action on one stage.
struct StageSums {
  double busy = 0, idle = 0;
  std::vector<Booked> holds;                              ///< by virtual stage and route that it holds
  std::map<std::pair<int64_t, int64_t>, double> together; ///< pairs, as in StageTimes
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
  std::vector<StageTimes> run();

private:
  using Action = ir::Action;
  static constexpr double kNotYet = -1;

  struct Stage {
    size_t next = 0;                          ///< action
    size_t limit = 0;                         ///< action before which it stops
    double tail = 0, reductions = 0;          ///< seconds of what `commFree` and `reduced` end
    double tailSends = 0, reductionSends = 0; ///< by which transfers made them longer; nothing has waited for them
    double sending = 0;                       ///< waits for what passes left while the port sends
    PortsMeet meets;
    double gatherSends = 0; ///< by which transfers made gathers later
    double begin = 0;       ///< of its step
    double free = 0;        ///< the compute stream
    double commFree = 0;    ///< the comm stream, after passes
    double reduced = 0;     ///< the step's gradient reductions so far
    double port = 0;        ///< the port over which it sends, and
    double onPort = 0;      ///< seconds of transfers in a row on it that hold no sender
    bool waiting = false;
    std::vector<int64_t> holds;    ///< virtual stages, in the order in which their new parameters arrive
    std::vector<double> gathering; ///< by hold: seconds of its gathers that nothing has waited for
    /// Holds, in the order in which their reductions began, and whether the half that makes the gradients of parameters
    /// completed them.
    std::vector<std::pair<size_t, bool>> reducing;
    size_t tailHold = 0; ///< whose communication the comm stream is in, after passes
    Cause tailCause = Cause::ForwardTail;
    StageSums sums;
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
  double afterComm(Stage& stage, double room, double start);
  double receive(Stage& stage, double arrival, double until);
  void bookReceived(Stage& stage, const Action& a, double held);
  void send(Stage& stage, const Action& a);
  double depart(Stage& stage, const Action& a, double end, double pairEnds = 0, double share = 0);
  static double bookSends(Stage& stage, double& sends, double waits);
  double onStep(const Action& a) const;
  double onGathers(const Action& a) const;
  double onSends(const Action& a) const;
  const LastPass& lastOf(const Action& a) const;
  bool reduces(const Action& a) const;
  static double takeTurns(Stage& stage, double onStep, double onSends, double start, double seconds);
  void pauseGathers(const Stage& stage, double onGathers, double start, double end);
  void perform(Stage& stage, const Action& a, double arrival);
  void performPair(Stage& stage, const Action& f, const Action& b);
  /// Another pass of its pair, which takes the port of what is left for a share of its seconds.
  struct Other {
    double begin = 0, end = 0, share = 0;
  };
  Other other(const Action& a, double begin, double end) const;
  PassDelay finish(Stage& stage, const Action& a, double start, double end, double leaves, double held,
                   const Other& beside);
  void made(Stage& stage, const Action& a, double end);
  void book(Stage& stage, const Action& a, const PassDelay& delay);
  void bookTrailing(Stage& stage, double trailing);
  double transfer(const Action& a) const;
  PassDelay afterGathers(const Action& a, double start, double end, double held) const;
  PassDelay beginReductions(Stage& stage, const Action& a, double start, double end, double held) const;

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
};

inline PipelineRun::PipelineRun(const PipelineInput& in, const std::vector<double>& begins)
    : in_(in), actions_(in.actions.lists()), last_(static_cast<int64_t>(in.virtualStages.size()) - 1),
      forward_(cells(), kNotYet), backward_(cells(), kNotYet), routes_(in.devices.routes()),
      perRoute_(std::max<int64_t>(1, in.microBatches / static_cast<int64_t>(routes_))),
      remaining_(in.virtualStages.size() * routes_, perRoute_), gathered_(in.virtualStages.size() * routes_),
      holdOf_(in.virtualStages.size() * routes_), stages_(in.stages) {
  // The new parameters of a stage arrive one virtual stage after the other from the beginning of its step.
  std::vector<double> arrived = begins;
  for (size_t r = 0; r < routes_; ++r)
    for (size_t vs = 0; vs < in_.virtualStages.size(); ++vs)
      arrived[static_cast<size_t>(in_.devices[vs][r])] += in_.virtualStages[vs].gathers.inlined;
  const std::vector<double> free = arrived;
  for (size_t r = 0; r < routes_; ++r)
    for (size_t vs = 0; vs < in_.virtualStages.size(); ++vs) {
      const auto device = static_cast<size_t>(in_.devices[vs][r]);
      Stage& stage = stages_[device];
      gathered_[vs * routes_ + r] = arrived[device] += in_.virtualStages[vs].gathers.total;
      holdOf_[vs * routes_ + r] = stage.holds.size();
      stage.holds.push_back(static_cast<int64_t>(vs));
      stage.meets.add(in_.virtualStages[vs].meets);
      stage.gathering.push_back(in_.virtualStages[vs].gathers.total);
      stage.sums.holds.emplace_back()[Cause::Gathers] = in_.virtualStages[vs].gathers.inlined;
    }
  for (size_t s = 0; s < stages_.size(); ++s) {
    stages_[s].limit = actions_[s].size();
    stages_[s].begin = begins[s], stages_[s].free = free[s];
  }
}

inline std::vector<StageTimes> PipelineRun::run() {
  settle();
  std::vector<StageTimes> times;
  for (Stage& stage : stages_) {
    if (stage.next != stage.limit) throw std::logic_error("cost: the stages of the schedule wait for each other");
    StageTimes t;
    t.begin = stage.begin;
    t.end = stage.free;
    t.trailing = std::max(0.0, std::max(stage.commFree, stage.reduced) - stage.free);
    bookTrailing(stage, t.trailing);
    const double sent = stage.meets.inlined ? std::max(0.0, stage.port - stage.free - t.trailing) : 0;
    t.trailing += sent, stage.sending += sent;
    double all = 0;
    const auto sends = [&](size_t h, bool back) {
      const VirtualStageCost& c = in_.virtualStages[stage.holds[h]];
      return back ? (stage.holds[h] > 0 ? c.sendBack - c.joinedBack : 0)
                  : (stage.holds[h] < last_ ? c.send - c.joined : 0);
    };
    for (size_t h = 0; h < stage.holds.size(); ++h) all += sends(h, false) + sends(h, true);
    const double most = all * static_cast<double>(perRoute_) * (1 - in_.inlineSend);
    if (const double more = stage.sending - most; more > 0 && stage.commFree > 0)
      stage.sums.holds[stage.tailHold][stage.tailCause] += more, stage.sending = most;
    for (size_t h = 0; h < stage.holds.size() && stage.sending > 0; ++h) {
      stage.sums.holds[h][Cause::Send] += stage.sending * sends(h, false) / all;
      stage.sums.holds[h][Cause::SendBack] += stage.sending * sends(h, true) / all;
    }
    t.busy = stage.sums.busy;
    t.idle = stage.sums.idle;
    t.together = std::move(stage.sums.together);
    for (size_t h = 0; h < stage.holds.size(); ++h) t.holds.push_back({stage.holds[h], stage.sums.holds[h], false});
    times.push_back(std::move(t));
  }
  return times;
}

/// When what an action receives is there; negative if it was not sent yet.
inline double PipelineRun::received(const Action& a) {
  const int64_t mb = a.microBatch, vs = a.virtualStage;
  switch (a.kind) {
  case ActionKind::Forward: {
    if (vs == 0) return 0;
    const double sent = at(forward_, vs - 1, mb);
    return sent < 0 ? sent : sent + in_.virtualStages[vs - 1].send;
  }
  case ActionKind::Backward:
  case ActionKind::BackwardInput: {
    if (vs == last_) return at(forward_, vs, mb);
    const double sent = at(backward_, vs + 1, mb);
    return sent < 0 ? sent : sent + in_.virtualStages[vs + 1].sendBack;
  }
  case ActionKind::BackwardWeight: // the stage made that itself, whenever it leaves for others
    return at(backward_, vs, mb) < 0 ? kNotYet : 0;
  }
  return kNotYet;
}

/// Seconds for which the transfer of what an action receives holds it.
inline double PipelineRun::receiving(const Action& a) const {
  if (a.kind == ActionKind::BackwardWeight || in_.inlineReceive == 0) return 0;
  if (a.kind == ActionKind::Forward)
    return a.virtualStage == 0 ? 0 : in_.inlineReceive * in_.virtualStages[a.virtualStage - 1].send;
  return a.virtualStage == last_ ? 0 : in_.inlineReceive * in_.virtualStages[a.virtualStage + 1].sendBack;
}

/// Every stage as far as its limit and the others let it.
inline void PipelineRun::settle() {
  std::vector<int64_t> ready;
  for (int64_t s = in_.stages; s-- > 0;) ready.push_back(s);
  while (!ready.empty()) {
    const int64_t s = ready.back();
    ready.pop_back();
    advance(s, ready);
  }
}

inline void PipelineRun::advance(int64_t s, std::vector<int64_t>& ready) {
  Stage& stage = stages_[s];
  const auto& actions = actions_[s];
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
inline void PipelineRun::wake(const Action& a, std::vector<int64_t>& ready) {
  if (a.kind == ActionKind::BackwardWeight) return;
  const int64_t to = a.virtualStage + (a.kind == ActionKind::Forward ? 1 : -1);
  if (to < 0 || to > last_) return;
  const int64_t device = in_.devices[to][routeOf(a)];
  Stage& other = stages_[device];
  if (!other.waiting) return;
  other.waiting = false;
  ready.push_back(device);
}

/// When an action that could start does, if what passes left behind would outlast the room that it has for it.
inline double PipelineRun::afterComm(Stage& stage, double room, double start) {
  const double begin = stage.commFree - room;
  if (!(begin > start)) return start;
  stage.sums.holds[stage.tailHold][stage.tailCause] += bookSends(stage, stage.tailSends, begin - start);
  return begin;
}

/// From when the stage is free to when it has what it runs next: it waits for what arrives later, and is held by the
/// transfers that it takes part in. Gives the seconds of the latter.
inline double PipelineRun::receive(Stage& stage, double arrival, double until) {
  stage.sums.idle += std::max(0.0, arrival - stage.free);
  return std::max(0.0, until - std::max(stage.free, arrival));
}

inline void PipelineRun::bookReceived(Stage& stage, const Action& a, double held) {
  if (held > 0) booked(stage, a, a.kind == ActionKind::Forward ? Cause::Receive : Cause::ReceiveBack) += held;
}

inline void PipelineRun::send(Stage& stage, const Action& a) {
  const double held = in_.inlineSend * transfer(a);
  if (held <= 0) return;
  booked(stage, a, a.kind == ActionKind::Forward ? Cause::Send : Cause::SendBack) += held;
  stage.free += held;
}

/// Of so many seconds of waiting for what passes left, those that are not of transfers.
inline double PipelineRun::bookSends(Stage& stage, double& sends, double waits) {
  const double taken = std::min(waits, sends);
  sends -= taken, stage.sending += taken;
  return waits - taken;
}

/// When what an action made leaves: a port sends one thing after the other; what passes left goes first, and what the
/// rest of a pair takes of the port.
inline double PipelineRun::depart(Stage& stage, const Action& a, double end, double pairEnds, double share) {
  const double joined = a.kind == ActionKind::Forward ? cost(a).joined : cost(a).joinedBack,
               moves = transfer(a) - joined;
  if (!(moves > 0)) return end;
  if (!(stage.port > end)) stage.onPort = 0;
  double begin = std::max(stage.port, end), waits = 0;
  const double beside = moves * (1 - in_.inlineSend);
  const double left = stage.meets.tails ? std::max(0.0, stage.commFree - begin) : 0;
  const bool begun = left <= stage.tail + 1e-12 * begin;
  if (begun) waits = left;
  const double rest = std::max(0.0, pairEnds - begin - waits), later = takenTurns(moves, share * rest, rest, rest);
  if (!begun) {
    waits = std::min(stage.tail, std::clamp(moves + later - rest, 0.0, moves));
    stage.tail -= waits, stage.commFree += waits, stage.tailSends += std::min(waits, beside);
  }
  begin += waits;
  stage.free += in_.inlineSend * waits; // the sender is held for as much longer
  if (in_.inlineSend * waits > 0) stage.sums.holds[stage.tailHold][stage.tailCause] += in_.inlineSend * waits;
  if (stage.meets.reductions && stage.reduced > begin) {
    const double paused = std::clamp(begin + moves - std::max(begin, stage.reduced - stage.reductions), 0.0, moves);
    stage.reduced += paused, stage.reductionSends += std::min(paused, beside);
  }
  bool gathers = false;
  for (size_t vs = 0; vs < in_.virtualStages.size() && stage.meets.gathers; ++vs)
    for (size_t r = 0; r < routes_; ++r)
      if (&stages_[in_.devices[vs][r]] == &stage && gathered_[vs * routes_ + r] > begin)
        gathered_[vs * routes_ + r] += moves, gathers = true;
  if (gathers) stage.gatherSends += beside;
  stage.port = begin + later + moves, stage.onPort += beside;
  return begin + later;
}

inline double PipelineRun::onStep(const Action& a) const {
  return a.kind == ActionKind::BackwardWeight ? 0
         : a.kind == ActionKind::Forward      ? cost(a).forward.onStep
                                              : cost(a).backward.onStep;
}

inline double PipelineRun::onGathers(const Action& a) const {
  return a.kind == ActionKind::BackwardWeight ? 0
         : a.kind == ActionKind::Forward      ? cost(a).forward.onGathers
                                              : cost(a).backward.onGathers;
}

/// Gathers that are under way take turns with the communication of a pass.
inline void PipelineRun::pauseGathers(const Stage& stage, double onGathers, double start, double end) {
  for (size_t i = 0; i < gathered_.size(); ++i)
    if (&stages_[in_.devices[i / routes_][i % routes_]] == &stage && gathered_[i] > start)
      gathered_[i] += takenTurns(gathered_[i] - start, onGathers, end - start, end - start);
}

inline double PipelineRun::onSends(const Action& a) const {
  return a.kind == ActionKind::BackwardWeight ? 0
         : a.kind == ActionKind::Forward      ? cost(a).forward.onSends
                                              : cost(a).backward.onSends;
}

inline const LastPass& PipelineRun::lastOf(const Action& a) const {
  return a.kind == ActionKind::BackwardWeight ? cost(a).lastWeights : cost(a).last;
}

/// Whether the reductions of the step run in it.
inline bool PipelineRun::reduces(const Action& a) const {
  return (a.kind == ActionKind::Backward || a.kind == ActionKind::BackwardWeight) && remaining_[slot(a)] == 1 &&
         lastOf(a).carried > 0;
}

/// The communication of a pass goes first on ports where others have left some.
inline double PipelineRun::takeTurns(Stage& stage, double onStep, double onSends, double start, double seconds) {
  if (stage.reduced > start) stage.reduced += takenTurns(stage.reduced - start, onStep, seconds, seconds);
  const double pending = stage.port - start;
  if (!(onSends > 0 && pending > 0)) return 0;
  const double over = std::max(0.0, std::min(pending, seconds) + std::min(onSends, seconds) - seconds);
  if (pending > seconds) stage.port += over;
  stage.sending += over;
  return over;
}

inline void PipelineRun::perform(Stage& stage, const Action& a, double arrival) {
  const PassCost& pass = a.kind == ActionKind::Forward ? cost(a).forward : cost(a).backward;
  double seconds = pass.seconds;
  if (a.kind == ActionKind::BackwardInput) seconds = pass.input();
  if (a.kind == ActionKind::BackwardWeight) seconds = pass.weight;
  double start = std::max(stage.free + receiving(a), arrival);
  bookReceived(stage, a, receive(stage, arrival, start));
  start = afterComm(stage,
                    a.kind == ActionKind::BackwardWeight ? std::numeric_limits<double>::infinity()
                                                         : std::max(0.0, pass.room - (pass.seconds - seconds)),
                    start);
  stage.sums.busy += seconds;
  seconds += takeTurns(stage, reduces(a) ? 0 : onStep(a), onSends(a), start, seconds);
  const PassDelay delay = finish(stage, a, start, start + seconds, start + seconds, 0, {});
  book(stage, a, delay);
  stage.free = start + seconds + delay.sum();
  pauseGathers(stage, onGathers(a), start, stage.free);
  made(stage, a, depart(stage, a, stage.free));
  send(stage, a);
}

/// A pair begins with the one whose input is there first. While it runs alone it saves nothing: the saving shrinks to
/// none over its length. A result leaves when it is made, so its transfer may run beside the rest of the pair.
inline void PipelineRun::performPair(Stage& stage, const Action& f, const Action& b) {
  const PassCost &forward = cost(f).forward, &backward = cost(b).backward;
  const double holdF = receiving(f), holdB = receiving(b), free = stage.free + holdF + holdB;
  double arrivedF = std::max(free, received(f)), arrivedB = std::max(free, received(b));
  const double first = std::min(arrivedF, arrivedB);
  const double taken = receive(stage, std::min(received(f), received(b)), first);
  if (holdF > 0) bookReceived(stage, f, taken * holdF / (holdF + holdB));
  if (holdB > 0) bookReceived(stage, b, taken * holdB / (holdF + holdB));
  const double begins = afterComm(stage, std::max(0.0, std::min(forward.room, backward.room)), first);
  arrivedF = std::max(arrivedF, begins), arrivedB = std::max(arrivedB, begins);
  const double apart = forward.seconds + backward.seconds;
  const auto known = in_.pairs.find({f.virtualStage, b.virtualStage});
  const PairCost pair = known == in_.pairs.end() ? PairCost{apart, apart, apart} : known->second;
  const double late = std::fabs(arrivedF - arrivedB), early = (arrivedF < arrivedB ? forward : backward).seconds;
  const double together = late < early ? 1 - late / early : 0, saved = (apart - pair.seconds) * together;
  stage.sums.busy += apart - saved;
  stage.sums.idle += std::max(0.0, late - early);
  stage.sums.together[{f.virtualStage, b.virtualStage}] += together;
  const double pending = std::max(begins, stage.port);
  double done = begins + std::max(0.0, late - early) + apart - saved;
  done += takeTurns(stage, reduces(b) ? 0 : onStep(f) + onStep(b), onSends(f) + onSends(b), begins, done - begins);
  const auto ends = [&](const PassCost& pass, double arrived, double inPair) {
    return std::min(done, together * inPair + (1 - together) * (arrived + pass.seconds));
  };
  const double madeF = ends(forward, arrivedF, arrivedF + pair.forward),
               madeB = ends(backward, arrivedB, arrivedB + pair.backward);
  const PassDelay delayF = finish(stage, f, arrivedF, done, ends(forward, arrivedF, done), onStep(b),
                                  other(b, arrivedB, done)),
                  delayB = finish(stage, b, arrivedB, done, ends(backward, arrivedB, done), onStep(f),
                                  other(f, arrivedF, done));
  const bool longer = delayF.sum() > delayB.sum(); // both at once: the longer one shows
  book(stage, longer ? f : b, longer ? delayF : delayB);
  const double end = stage.free = done + std::max(delayF.sum(), delayB.sum());
  pauseGathers(stage, onGathers(f) + onGathers(b), begins, end);
  const double endF = madeF + end - done, endB = madeB + end - done;
  const bool backwardFirst = endB < endF * (1 - 1e-12); // what is made first leaves first
  for (const bool back : {backwardFirst, !backwardFirst}) {
    const Action& a = back ? b : f;
    const double share = (onSends(f) + onSends(b)) / (end - pending);
    made(stage, a, depart(stage, a, back ? endB : endF, end, share));
  }
  send(stage, f);
  send(stage, b);
}

inline PipelineRun::Other PipelineRun::other(const Action& a, double begin, double end) const {
  const PassCost& pass = a.kind == ActionKind::Forward ? cost(a).forward : cost(a).backward;
  return {begin, end, pass.seconds > 0 ? std::max(0.0, 1 - std::max(0.0, pass.room) / pass.seconds) : 0};
}

/// Communication of states around an action that would end at `end`: what it adds, and what it leaves behind.
inline PassDelay PipelineRun::finish(Stage& stage, const Action& a, double start, double end, double leaves,
                                     double held, const Other& beside) {
  const bool isForward = a.kind == ActionKind::Forward, withReductions = reduces(a);
  PassDelay delay;
  if (isForward && a.microBatch % perRoute_ == 0) delay = afterGathers(a, start, end, held);
  if ((a.kind == ActionKind::Backward || a.kind == ActionKind::BackwardWeight) && --remaining_[slot(a)] == 0)
    delay = beginReductions(stage, a, start, end, held);
  const PassCost& pass = isForward ? cost(a).forward : cost(a).backward;
  const double tail = a.kind == ActionKind::BackwardInput    ? pass.inputTail
                      : a.kind == ActionKind::BackwardWeight ? 0
                                                             : pass.tail;
  if (tail > 0) {
    leaves += delay.sum();
    const double later = stage.meets.tails ? std::max(0.0, stage.port - leaves) : 0;
    leaves += later; // behind transfers that are under way
    if (stage.meets.tailsAndReduced && !withReductions && stage.reduced > leaves)
      stage.reduced += std::clamp(leaves + tail - (stage.reduced - stage.reductions), 0.0, tail);
    const double begins = std::max(leaves, beside.begin + delay.sum()), both = beside.end + delay.sum() - begins,
                 left = tail - (begins - leaves); // of it when the other begins
    stage.commFree = leaves + tail + (left > 0 ? takenTurns(left, beside.share * both, both, both) : 0);
    stage.tail = tail, stage.tailSends = std::min(later, stage.onPort);
    stage.tailHold = holdOf_[slot(a)];
    stage.tailCause = isForward ? Cause::ForwardTail : Cause::BackwardTail;
  }
  return delay;
}

/// The result of an action, for those who wait for it.
inline void PipelineRun::made(Stage&, const Action& a, double end) {
  if (a.kind == ActionKind::Forward)
    at(forward_, a.virtualStage, a.microBatch) = end;
  else if (a.kind != ActionKind::BackwardWeight)
    at(backward_, a.virtualStage, a.microBatch) = end;
}

/// A wait for gathers is of the virtual stage that it is for, as long as its own take; of those before it in the
/// queue beyond that.
inline void PipelineRun::book(Stage& stage, const Action& a, const PassDelay& delay) {
  if (delay.slowed > 0)
    booked(stage, a, a.kind == ActionKind::Forward ? Cause::SlowedByGathers : Cause::InLastPass) += delay.slowed;
  double left = delay.exposed;
  if (a.kind == ActionKind::Forward) left = bookSends(stage, stage.gatherSends, left);
  for (size_t h = holdOf_[slot(a)] + 1; left > 0 && h-- > 0;) {
    const double part = h == 0 ? left : std::min(left, stage.gathering[h]);
    stage.gathering[h] -= part;
    stage.sums.holds[h][Cause::Gathers] += part;
    left -= part;
  }
}

/// What runs on after the last pass: the last reductions, as far as they reach back, and what a pass left behind.
inline void PipelineRun::bookTrailing(Stage& stage, double trailing) {
  double after = std::clamp(stage.commFree - std::max(stage.free, stage.reduced), 0.0, trailing);
  double left = bookSends(stage, stage.reductionSends, trailing - after);
  after = bookSends(stage, stage.tailSends, after);
  for (size_t i = stage.reducing.size(); left > 0 && i-- > 0;) {
    const auto [h, weights] = stage.reducing[i];
    const VirtualStageCost& of = in_.virtualStages[stage.holds[h]];
    const bool takesAll = i == 0 && stage.commFree <= 0;
    const double part = takesAll ? left : std::min(left, (weights ? of.lastWeights : of.last).reducing);
    stage.sums.holds[h][Cause::Reductions] += part;
    left -= part;
  }
  if (after + left > 0) stage.sums.holds[stage.tailHold][stage.tailCause] += after + left;
}

inline double PipelineRun::transfer(const Action& a) const {
  if (a.kind == ActionKind::Forward) return a.virtualStage < last_ ? cost(a).send : 0;
  return a.kind == ActionKind::BackwardWeight || a.virtualStage == 0 ? 0 : cost(a).sendBack;
}

/// The first forward of a virtual stage meets the new parameters: no layer begins before its own are there.
inline PassDelay PipelineRun::afterGathers(const Action& a, double start, double end, double held) const {
  const StepGathers& comm = cost(a).gathers;
  if (comm.total <= 0) return {};
  const double all = gathered_[slot(a)];
  const double slowed = in_.slowdown * comm.beside * std::clamp(all - start, 0.0, std::min(comm.total, end - start));
  // Until the last layer begins, those of the layers take turns with what is not there yet.
  const double pending = std::max(0.0, all - start),
               paused = takenTurns(pending, cost(a).forward.onGathers + held, end - start,
                                   end - start - cost(a).forward.last);
  const double late = std::max(all + paused + cost(a).forward.last - end, all - comm.total + comm.wait - start);
  return {slowed, std::max(0.0, late - slowed)};
}

/// What lies on the port from before, and what runs beside the pass, comes before the end of its reductions.
inline PassDelay PipelineRun::beginReductions(Stage& stage, const Action& a, double start, double end,
                                              double held) const {
  const LastPass& last = lastOf(a);
  if (last.carried <= 0) return {};
  const double queued = std::max({start, stage.reduced, stage.commFree});
  if (!(stage.reduced > start)) stage.reductions = stage.reductionSends = 0;
  stage.reductions += last.reducing;
  stage.reduced = std::max(end + last.longer + last.tail, queued + last.carried + held);
  if (const double later = stage.port + last.onSends - stage.reduced;
      stage.meets.reductions && last.onSends > 0 && later > 0)
    stage.reduced += later, stage.reductionSends += std::min(later, stage.onPort);
  stage.reducing.emplace_back(holdOf_[slot(a)], a.kind == ActionKind::BackwardWeight);
  return {last.longer, 0};
}

/// As `cost::runPipeline`.
inline std::vector<StageTimes> runPipeline(const PipelineInput& input) {
  Indexed<double> begins(input.stages);
  std::vector<StageTimes> times;
  for (int step = 0; step < 16; ++step) {
    times = PipelineRun(input, begins).run();
    if (input.waitsForAll) break;
    double shortest = std::numeric_limits<double>::infinity(), longest = 0, first = shortest;
    for (size_t s = 0; s < times.size(); ++s) {
      const double between = input.between.empty() ? 0 : input.between[s];
      const double end = times[s].end + times[s].trailing + between;
      shortest = std::min(shortest, end - begins[s]), longest = std::max(longest, end - begins[s]);
      first = std::min(first, begins[s] = end);
    }
    if (longest - shortest <= 1e-10 * longest) break;
    for (double& begin : begins) begin -= first;
  }
  return times;
}

} // namespace planc::cost::listed
