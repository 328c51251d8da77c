// The reference of the pipeline simulation (docs/cost-model.md, section 3).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/pipeline/Timeline.h"

#include "backends/cost/simulate/pipeline/ActionPrice.h"
#include "backends/cost/simulate/pipeline/DrawnStage.h"
#include "support/Indexed.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace planc::cost {

namespace {

using ir::Action;
using ir::ActionKind;

constexpr double kNotYet = -1;

/// An action that can run.
struct Pass : ActionPrice {
  Action action;
  size_t slot = 0, hold = 0; ///< its virtual stage on its route, and the place of that on its stage
  double arrival = kNotYet;  ///< of its input; `kNotYet` before it was sent
  bool reduces = false;      ///< the reductions of the step run in it
  bool forward() const { return action.kind == ActionKind::Forward; }
  bool weights() const { return action.kind == ActionKind::BackwardWeight; }
  Slice slice(SliceKind kind, Cause cause = {}) const {
    return {kind, action.kind, cause, 0, 0, action.virtualStage, action.microBatch};
  }
};

struct Stage : DrawnStage {
  using DrawnStage::DrawnStage;
  size_t next = 0;        ///< action
  double free = 0;        ///< when its last action has ended
  RunningOn tail;         ///< what the last pass with a tail left behind,
  size_t tailHold = 0;    ///< the virtual stage of that pass,
  Cause tailCause{};      ///< and its direction
  RunningOn reductions;   ///< those of the step so far
  double port = 0;        ///< when its port has sent all transfers so far
  double row = 0;         ///< seconds of transfers in a row on the port that hold no sender
  double gatherSends = 0; ///< seconds by which transfers delayed gathers, and that nothing has waited for
  PortsMeet meets;
  std::vector<size_t> slots;     ///< by hold
  std::vector<double> gathering; ///< by hold: seconds of its gathers that nothing has waited for
  std::vector<size_t> reducing;  ///< holds, in the order in which their reductions began
};

/// One step.
class Timeline {
public:
  /// `begins`: by stage, when it is free for the step. The new parameters of a stage arrive from then on, one virtual
  /// stage after the other. Gathers that are inline come first and hold the stage.
  Timeline(const PipelineInput& in, const std::vector<double>& begins, SliceObserver* observer)
      : in_(in), last_(static_cast<int64_t>(in.virtualStages.size()) - 1), routes_(in.devices.routes()),
        perRoute_(std::max<int64_t>(1, in.microBatches / static_cast<int64_t>(routes_))), actions_(in.actions.lists()),
        forward_((last_ + 1) * in.microBatches, kNotYet), backward_(forward_),
        left_(in.virtualStages.size() * routes_, perRoute_), gathered_(left_.size()), holdOf_(left_.size()) {
    for (int64_t s = 0; s < in.stages; ++s) stages_.emplace_back(s, begins[static_cast<size_t>(s)], observer);
    for (size_t r = 0; r < routes_; ++r)
      for (size_t vs = 0; vs < in.virtualStages.size(); ++vs) {
        const VirtualStageCost& cost = in.virtualStages[vs];
        Stage& stage = stages_[in.devices[vs][r]];
        holdOf_[vs * routes_ + r] = stage.slots.size();
        stage.slots.push_back(vs * routes_ + r);
        stage.times.holds.push_back({.virtualStage = static_cast<int64_t>(vs)});
        stage.gathering.push_back(cost.gathers.total);
        stage.meets.add(cost.meets);
        stage.held(stage.slots.size() - 1, Cause::Gathers, cost.gathers.inlined);
      }
    for (Stage& stage : stages_) {
      double arrived = stage.free = stage.drawn();
      for (size_t h = 0; h < stage.slots.size(); ++h) gathered_[stage.slots[h]] = arrived += stage.gathering[h];
    }
  }

  std::vector<StageTimes> run() {
    for (bool any = true; any;) {
      any = false;
      for (Stage& stage : stages_)
        while (runNext(stage)) any = true;
    }
    std::vector<StageTimes> times;
    for (Stage& stage : stages_) times.push_back(end(stage));
    return times;
  }

private:
  double& sent(bool forward, int64_t virtualStage, int64_t microBatch) {
    return (forward ? forward_ : backward_)[virtualStage * in_.microBatches + microBatch];
  }

  Pass passOf(const Action& a) {
    const int64_t vs = a.virtualStage, mb = a.microBatch;
    Pass p{priceOf(in_, vs, a.kind), a};
    p.slot = static_cast<size_t>(vs) * routes_ + (routes_ == 1 ? 0 : static_cast<size_t>(mb / perRoute_));
    p.hold = holdOf_[p.slot];
    p.reduces = p.reductions && left_[p.slot] == 1;
    const double at = p.forward()   ? vs == 0 ? 0 : sent(true, vs - 1, mb)
                        : p.weights() ? sent(false, vs, mb)
                      : vs == last_ ? sent(true, vs, mb)
                                    : sent(false, vs + 1, mb);
    if (at >= 0) p.arrival = std::max(0.0, at + p.latency);
    return p;
  }

  /// Runs the next action or pair if it has its input.
  bool runNext(Stage& stage) {
    const std::vector<Action>& actions = actions_[&stage - stages_.data()];
    if (stage.next == actions.size()) return false;
    const Pass pass = passOf(actions[stage.next]);
    const Pass second = pass.action.paired ? passOf(actions[stage.next + 1]) : pass;
    if (pass.arrival < 0 || second.arrival < 0) return false;
    pass.action.paired ? performPair(stage, pass, second) : perform(stage, pass);
    stage.next += pass.action.paired ? 2 : 1;
    stage.endAction(stage.free);
    return true;
  }

  /// A pass starts when the stage is free and its input is there. The transfer of the input may hold the stage.
  void perform(Stage& stage, const Pass& p) {
    const double received = std::max(stage.free + p.receiving, p.arrival), ready = std::max(stage.free, p.arrival);
    stage.idle(p.arrival - stage.free);
    stage.held(p.hold, p.forward() ? Cause::Receive : Cause::ReceiveBack, received - ready);
    const double start = afterTail(stage, p.room, received),
                 over = takeTurns(stage, p.reduces ? 0 : p.onStep, p.onSends, start, p.seconds),
                 done = start + p.seconds + over;
    const PassDelay delay = finish(stage, p, start, done, 0, done, {});
    waitForGathers(stage, p, delay.exposed);
    stage.busy(p.slice(SliceKind::Pass), p.seconds);
    slow(stage, p, over, delay.slowed);
    stage.free = done + delay.sum();
    pauseGathers(stage, p.onGathers, start, stage.free);
    leave(stage, p, stage.free, {});
    keepSender(stage, p);
  }

  /// A pair begins with the pass whose input is there first. While that runs alone it saves nothing: the saving shrinks
  /// to none over its length. A result leaves when it is made, so its transfer may run beside the rest of the pair.
  void performPair(Stage& stage, const Pass& f, const Pass& b) {
    const double receiving = f.receiving + b.receiving, input = std::min(f.arrival, b.arrival);
    double atF = std::max(stage.free + receiving, f.arrival), atB = std::max(stage.free + receiving, b.arrival);
    const double first = std::min(atF, atB), held = std::max(0.0, first - std::max(stage.free, input));
    stage.idle(input - stage.free);
    if (f.receiving > 0) stage.held(f.hold, Cause::Receive, held * f.receiving / receiving);
    if (b.receiving > 0) stage.held(b.hold, Cause::ReceiveBack, held * b.receiving / receiving);
    const double begin = afterTail(stage, std::min(f.room, b.room), first);
    atF = std::max(atF, begin), atB = std::max(atB, begin);

    const std::pair<int64_t, int64_t> stages{f.action.virtualStage, b.action.virtualStage};
    const double apart = f.seconds + b.seconds;
    const auto priced = in_.pairs.find(stages);
    const PairCost cost = priced == in_.pairs.end() ? PairCost{apart, apart, apart} : priced->second;
    const Pass &early = atF < atB ? f : b, &later = atF < atB ? b : f;
    const double late = std::fabs(atF - atB), waits = std::max(0.0, late - early.seconds),
                 together = late < early.seconds ? 1 - late / early.seconds : 0,
                 seconds = apart - (apart - cost.seconds) * together;
    stage.times.together[stages] += together;
    double done = begin + waits + seconds;
    const double sends = std::max(begin, stage.port), onSends = f.onSends + b.onSends,
                 over = takeTurns(stage, b.reduces ? 0 : f.onStep + b.onStep, onSends, begin, done - begin);
    done += over;

    // A pass that runs alone has ended after its seconds, and what it leaves behind then has the port.
    const auto ends = [&](const Pass& p, double at, double inPair) {
      return std::min(done, together * inPair + (1 - together) * (at + p.seconds));
    };
    const double madeF = ends(f, atF, atF + cost.forward), madeB = ends(b, atB, atB + cost.backward);
    const PassDelay delayF = finish(stage, f, atF, done, b.onStep, ends(f, atF, done), {atB, done, b.portShare()}),
                    delayB = finish(stage, b, atB, done, f.onStep, ends(b, atB, done), {atF, done, f.portShare()});
    const bool longerF = delayF.sum() > delayB.sum(); // both run at once: the longer delay shows
    const PassDelay& delay = longerF ? delayF : delayB;

    waitForGathers(stage, longerF ? f : b, delay.exposed);
    if (late < early.seconds) {
      Slice pair = f.slice(SliceKind::Pair);
      pair.pairedVirtualStage = b.action.virtualStage, pair.pairedMicroBatch = b.action.microBatch;
      pair.together = together, pair.backwardFirst = atB <= atF;
      stage.busy(pair, seconds);
    } else {
      stage.busy(early.slice(SliceKind::Pass), early.seconds);
      stage.idle(waits);
      stage.busy(later.slice(SliceKind::Pass), seconds - early.seconds);
    }
    slow(stage, longerF ? f : b, over, delay.slowed);

    const double end = stage.free = done + delay.sum(), endF = madeF + end - done, endB = madeB + end - done;
    pauseGathers(stage, f.onGathers + b.onGathers, begin, end);
    const Beside rest{begin, end, onSends / (end - sends)}; // of the port, after the transfers before
    const bool backwardFirst = endB < endF * (1 - kOneMoment);
    if (!backwardFirst) leave(stage, f, endF, rest);
    leave(stage, b, endB, rest);
    if (backwardFirst) leave(stage, f, endF, rest);
    keepSender(stage, f);
    keepSender(stage, b);
  }

  void slow(Stage& stage, const Pass& p, double over, double slowed) {
    stage.waitForPort(over);
    stage.held(p.hold, p.forward() ? Cause::SlowedByGathers : Cause::InLastPass, slowed);
  }

  /// The share of a transfer that holds its sender.
  void keepSender(Stage& stage, const Pass& p) {
    stage.held(p.hold, p.forward() ? Cause::Send : Cause::SendBack, p.sending);
    stage.free += p.sending;
  }

  /// When an action that could start does, if what passes left behind would outlast the room that it has for that.
  double afterTail(Stage& stage, double room, double start) {
    const double begin = stage.tail.until - room;
    if (!(begin > start)) return start;
    stage.held(stage.tailHold, stage.tailCause, stage.waitForSends(stage.tail.sends, begin - start));
    return begin;
  }

  /// The communication of a pass goes before reductions that were left on its port, and after transfers: the seconds
  /// that do not fit beside them make the pass longer. Returns those.
  double takeTurns(Stage& stage, double onStep, double onSends, double start, double seconds) {
    RunningOn& reduced = stage.reductions;
    if (reduced.until > start) reduced.until += takenTurns(reduced.until - start, onStep, seconds, seconds);
    const double pending = stage.port - start, over = std::min(pending, seconds) + std::min(onSends, seconds) - seconds;
    if (!(onSends > 0 && pending > 0) || !(over > kOneMoment * start)) return 0;
    if (pending > seconds) stage.port += over;
    return over;
  }

  /// Gathers of the step that are under way take turns with what a pass communicates over their port.
  void pauseGathers(const Stage& stage, double onGathers, double start, double end) {
    for (const size_t slot : stage.slots)
      if (double& at = gathered_[slot]; at > start) at += takenTurns(at - start, onGathers, end - start, end - start);
  }

  /// Communication of states around a pass that would end at `end`: what it adds, and what it leaves behind from
  /// `leaves` on. `held`: seconds for which the other pass of a pair takes the ports.
  PassDelay finish(Stage& stage, const Pass& p, double start, double end, double held, double leaves, Beside other) {
    PassDelay delay;
    if (p.forward() && p.action.microBatch % perRoute_ == 0)
      delay = delayByGathers(in_, in_.virtualStages[p.action.virtualStage], gathered_[p.slot], start, end,
                             p.onGathers + held);
    if (p.completes) --left_[p.slot];
    if (p.reduces) delay = beginReductions(stage, p, start, end, held);
    if (!(p.tail > 0)) return delay;
    // The comm stream runs on behind transfers that are under way on its port, and takes turns with the other pass.
    const double from = leaves + delay.sum(), later = stage.meets.tails ? std::max(0.0, stage.port - from) : 0,
                 begin = from + later, both = std::max(begin, other.begin + delay.sum()),
                 rest = other.end + delay.sum() - both, left = p.tail - (both - begin);
    if (stage.meets.tailsAndReduced && !p.reduces) stage.reductions.pause(begin, p.tail);
    stage.tailHold = p.hold, stage.tailCause = p.forward() ? Cause::ForwardTail : Cause::BackwardTail;
    stage.communicate(StageStream::Tails, stage.tail.until, p.slice({}, stage.tailCause), begin);
    stage.tail = {begin + p.tail + (left > 0 ? takenTurns(left, other.share * rest, rest, rest) : 0), p.tail,
                  std::min(later, stage.row)};
    return delay;
  }

  /// A wait for gathers belongs to the virtual stage that waits, up to the seconds of its own gathers; beyond that to
  /// those before it in the queue.
  void waitForGathers(Stage& stage, const Pass& p, double seconds) {
    double left = p.forward() ? stage.waitForSends(stage.gatherSends, seconds) : seconds;
    for (size_t h = p.hold + 1; left > 0 && h-- > 0;) {
      const double part = h == 0 ? left : std::min(left, stage.gathering[h]);
      stage.gathering[h] -= part, left -= part;
      stage.held(h, Cause::Gathers, part);
    }
  }

  /// The pass that completes the gradients of a virtual stage reduces them. What lies on the port from before, and what
  /// runs beside the pass (`held`), comes before the end of its reductions.
  PassDelay beginReductions(Stage& stage, const Pass& p, double start, double end, double held) {
    const LastPass& last = *p.reductions;
    RunningOn& all = stage.reductions;
    const double queued = std::max({start, all.until, stage.tail.until});
    stage.communicate(StageStream::Reductions, all.until, p.slice({}, Cause::Reductions), queued);
    if (!(all.until > start)) all = {};
    all.seconds += last.reducing;
    all.until = std::max(end + last.longer + last.tail, queued + last.carried + held);
    const double later = std::max(0.0, stage.port + last.onSends - all.until);
    if (stage.meets.reductions && last.onSends > 0) all.until += later, all.sends += std::min(later, stage.row);
    stage.reducing.push_back(p.hold);
    stage.times.holds[p.hold].lastWeights = p.weights();
    return {last.longer, 0};
  }

  /// The result of a pass leaves, for the stage that waits for it.
  void leave(Stage& stage, const Pass& p, double end, Beside pair) {
    if (!p.weights()) sent(p.forward(), p.action.virtualStage, p.action.microBatch) = depart(stage, p, end, pair);
  }

  /// When a result that is made at `end` leaves. A port sends one thing after the other, and what passes left on it
  /// goes first; a sender that is held is held for as much longer. A result that is made before the end of its pair
  /// takes what the rest of the pair leaves of the port, and then shares it with what the pair leaves behind.
  /// Reductions and gathers of the step pause.
  double depart(Stage& stage, const Pass& p, double end, Beside pair) {
    const double transfer = p.transfer, beside = transfer * (1 - in_.inlineSend);
    if (!(transfer > 0)) return end;
    if (!(stage.port > end)) stage.row = 0;
    RunningOn& tail = stage.tail;
    const double free = std::max(stage.port, end), left = stage.meets.tails ? std::max(0.0, tail.until - free) : 0;
    const bool begun = left <= tail.seconds + kOneMoment * free; // what a pass left goes first
    double waits = begun ? left : 0;
    const double rest = std::max(0.0, pair.end - free - waits),
                 later = takenTurns(transfer, pair.share * rest, rest, rest);
    if (!begun) { // both share the port until the shorter of them has ended
      waits = std::min(tail.seconds, std::clamp(transfer + later - rest, 0.0, transfer));
      tail.seconds -= waits, tail.until += waits, tail.sends += std::min(waits, beside);
    }
    stage.held(stage.tailHold, stage.tailCause, in_.inlineSend * waits);
    stage.free += in_.inlineSend * waits;
    const double begin = free + waits;
    if (stage.meets.reductions) stage.reductions.sends += std::min(stage.reductions.pause(begin, transfer), beside);
    if (stage.meets.gathers && gathered_[stage.slots.back()] > begin) {
      for (const size_t slot : stage.slots)
        if (gathered_[slot] > begin) gathered_[slot] += transfer;
      stage.gatherSends += beside;
    }
    stage.communicate(StageStream::Sends, stage.port, p.slice({}, p.forward() ? Cause::Send : Cause::SendBack), begin);
    stage.port = begin + later + transfer, stage.row += beside;
    return begin + later;
  }

  StageTimes end(Stage& stage) {
    if (stage.next != actions_[&stage - stages_.data()].size())
      throw std::logic_error("cost: the stages of the schedule wait for each other");
    StageTimes& t = stage.times;
    t.end = stage.free;
    t.trailing = std::max(0.0, std::max(stage.tail.until, stage.reductions.until) - t.end);
    waitForTheRest(stage);
    const double sends = stage.meets.inlined ? std::max(0.0, stage.port - t.end - t.trailing) : 0;
    t.trailing += sends;
    stage.waitForPort(sends);
    if (const double more = bookPortWaits(in_, stage.portWaits, stage.tail.until > 0, t.holds); more > 0)
      t.holds[stage.tailHold].booked[stage.tailCause] += more;
    closeStreams(stage);
    return std::move(t);
  }

  /// Communication that runs on after the last pass: the last reductions, as far as they reach back, and what a pass
  /// left behind before or after them.
  void waitForTheRest(Stage& stage) {
    const double trailing = stage.times.trailing;
    double after = std::clamp(stage.tail.until - std::max(stage.free, stage.reductions.until), 0.0, trailing);
    double left = stage.waitForSends(stage.reductions.sends, trailing - after);
    after = stage.waitForSends(stage.tail.sends, after);
    for (size_t i = stage.reducing.size(); left > 0 && i-- > 0;) {
      const HeldStage& held = stage.times.holds[stage.reducing[i]];
      const VirtualStageCost& cost = in_.virtualStages[held.virtualStage];
      const double own = (held.lastWeights ? cost.lastWeights : cost.last).reducing,
                   part = i == 0 && stage.tail.until <= 0 ? left : std::min(left, own);
      stage.held(stage.reducing[i], Cause::Reductions, part);
      left -= part;
    }
    stage.held(stage.tailHold, stage.tailCause, after + left);
  }

  void closeStreams(Stage& stage) {
    double from = stage.times.begin;
    for (const HeldStage& held : stage.times.holds) from += in_.virtualStages[held.virtualStage].gathers.inlined;
    for (const size_t slot : stage.slots) {
      const Slice slice{.cause = Cause::Gathers, .virtualStage = static_cast<int64_t>(slot / routes_)};
      stage.communicate(StageStream::Gathers, from, slice, from);
      from = gathered_[slot];
    }
    stage.communicate(StageStream::Gathers, from, {}, from);
    stage.communicate(StageStream::Sends, stage.port, {}, stage.port);
    stage.communicate(StageStream::Tails, stage.tail.until, {}, stage.tail.until);
    stage.communicate(StageStream::Reductions, stage.reductions.until, {}, stage.reductions.until);
  }

  const PipelineInput& in_;
  int64_t last_; ///< virtual stage
  size_t routes_;
  int64_t perRoute_; ///< micro-batches
  ir::ActionLists actions_;
  Indexed<double> forward_, backward_; ///< by virtual stage and micro-batch: when a result leaves
  std::vector<int64_t> left_;          ///< by slot: passes that complete its gradients
  std::vector<double> gathered_;       ///< by slot: when its new parameters are there
  std::vector<size_t> holdOf_;         ///< by slot: its place on its stage
  Indexed<Stage> stages_;
};

} // namespace

std::vector<StageTimes> runTimeline(const PipelineInput& input, SliceObserver* observer) {
  std::vector<double> last;
  const auto step = [&](const std::vector<double>& begins) { return Timeline(input, last = begins, nullptr).run(); };
  std::vector<StageTimes> times = runSteps(input, step);
  if (observer) Timeline(input, last, observer).run();
  return times;
}

} // namespace planc::cost
