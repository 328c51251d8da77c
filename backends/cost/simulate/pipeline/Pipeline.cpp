// Event simulation of the pipeline (docs/cost-model.md, section 3).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/pipeline/ActionPrice.h"
#include "backends/cost/simulate/pipeline/KnownPipelines.h"
#include "backends/cost/simulate/pipeline/PipelineRun.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace planc::cost {
using ir::ActionKind;

namespace {

/// Cells that a row begins with, at most.
constexpr int64_t kCells = 256;
/// More passes than there are.
constexpr int64_t kMany = int64_t{1} << 60;

} // namespace

void PipelineRun::prepare(const PipelineInput& in, const PipelineShape& shape) {
  in_ = &in, shape_ = &shape;
  routes_ = shape.routes(), perRoute_ = shape.perRoute(), slots_ = shape.slots();
  const size_t stages = shape.stages();
  bookedAt_ = 3 * stages, sharesAt_ = bookedAt_ + slots_ * kCauses;
  stages_.resize(stages);
  gathered_.resize(slots_), gathering_.resize(slots_), reducing_.resize(slots_), byWeights_.assign(slots_, false);
  together_.clear(), togetherFrom_.clear();
  if (shape.pairs()) {
    togetherFrom_.push_back(0);
    for (size_t s = 0; s < stages; ++s)
      togetherFrom_.push_back(togetherFrom_.back() + holds(s).size() * holds(s).size());
    together_.resize(togetherFrom_.back());
  }
  sums_.resize(sharesAt_ + together_.size());
  plain_ = isPlain();
  if (plain_) bindPlain();
  if (plain_ && shape.steady().empty()) return;
  works_.resize(slots_ * kKinds);
  left_.resize(slots_ + 1), waiters_.resize(2 * slots_ + 1);
  watched_ = false;
}

/// What the actions of every kind take, from where, and to where.
void PipelineRun::bind() {
  const size_t stages = in_->virtualStages.size();
  for (size_t vs = 0; vs < stages; ++vs) {
    const VirtualStageCost& cost = in_->virtualStages[vs];
    for (size_t r = 0; r < routes_; ++r) {
      const size_t slot = vs * routes_ + r;
      const int64_t first = static_cast<int64_t>(r) * perRoute_;
      const auto row = [&](size_t ofStage, bool backward) {
        return static_cast<uint32_t>(1 + 2 * (ofStage * routes_ + r) + (backward ? 1 : 0));
      };
      const auto set = [&](ActionKind kind, double seconds, uint32_t from, double transfer, bool leaves, double sent,
                           double joined) {
        Work& w = works_[slot * kKinds + static_cast<size_t>(kind)];
        w = {};
        const bool forward = kind == ActionKind::Forward, weight = kind == ActionKind::BackwardWeight;
        w.slot = static_cast<uint32_t>(slot);
        w.pass = forward ? &cost.forward : &cost.backward;
        w.seconds = seconds;
        w.inRow = from, w.inShift = first, w.inMask = -1;
        bindIn(w);
        w.latency = weight ? kNoLatency : transfer, w.receiving = in_->inlineReceive * transfer;
        w.outRow = weight ? 0 : row(vs, !forward);
        w.outMask = weight ? 0 : -1, w.outShift = weight ? kMany : first;
        w.out = weight ? kNobody : rowAt(w.outRow);
        w.sending = leaves ? std::max(0., in_->inlineSend * sent) : 0;
        w.transfer = leaves ? sent - joined : 0;
        w.booked = &booked(slot, forward ? Cause::Send : Cause::SendBack);
        w.left = &left_[kind == ActionKind::Backward || weight ? slot : slots_];
        w.special = alwaysSpecial(w) || (forward && cost.gathers.total > 0);
      };
      const bool last = vs + 1 == stages;
      set(ActionKind::Forward, cost.forward.seconds, vs == 0 ? 0 : row(vs - 1, false),
          vs == 0 ? 0 : in_->virtualStages[vs - 1].send, !last, cost.send, cost.joined);
      for (const ActionKind kind : {ActionKind::Backward, ActionKind::BackwardInput})
        set(kind, kind == ActionKind::Backward ? cost.backward.seconds : cost.backward.input(),
            last ? row(vs, false) : row(vs + 1, true), last ? 0 : in_->virtualStages[vs + 1].sendBack, vs > 0,
            cost.sendBack, cost.joinedBack);
      set(ActionKind::BackwardWeight, cost.backward.weight, row(vs, true), 0, false, 0, 0);
    }
  }
}

void PipelineRun::bindIn(Work& work) const {
  if (work.inRow == 0) {
    work.in = kAtOnce, work.inMask = 0;
  } else if (work.redirected) {
    work.in = kNever, work.inMask = 0;
  } else {
    work.in = rowAt(work.inRow) - work.inShift, work.inMask = -1;
  }
}

void PipelineRun::begin(const std::vector<double>& begins) {
  std::fill(sums_.begin(), sums_.end(), 0.);
  for (Together& t : together_) t.met = false;
  // The new parameters of a stage arrive one virtual stage after the other from the beginning of its step, what is
  // inline first.
  std::vector<double> arrived = begins;
  for (size_t r = 0; r < routes_; ++r)
    for (size_t vs = 0; vs < in_->virtualStages.size(); ++vs) {
      const double inlined = in_->virtualStages[vs].gathers.inlined;
      arrived[static_cast<size_t>(in_->devices[vs][r])] += booked(vs * routes_ + r, Cause::Gathers) = inlined;
    }
  const std::vector<double> free = arrived;
  for (size_t r = 0; r < routes_; ++r)
    for (size_t vs = 0; vs < in_->virtualStages.size(); ++vs) {
      const size_t slot = vs * routes_ + r;
      gathering_[slot] = in_->virtualStages[vs].gathers.total;
      gathered_[slot] = arrived[static_cast<size_t>(in_->devices[vs][r])] += gathering_[slot];
    }
  for (size_t s = 0; s < stages_.size(); ++s) {
    stages_[s] = {};
    stages_[s].begin = begins[s], stages_[s].free = free[s];
  }
  for (size_t vs = 0; vs < in_->virtualStages.size(); ++vs)
    for (const int64_t s : in_->devices[vs]) stages_[static_cast<size_t>(s)].meets.add(in_->virtualStages[vs].meets);
  for (size_t s = 0; s < stages_.size(); ++s) stages_[s].gathered = arrived[s];
}

/// Nothing is made yet.
void PipelineRun::beginActions() {
  // Where something repeats micro-batches come in turn: few cells do, until there is need for more.
  width_ = plain_ || shape_->steady().empty() ? perRoute_ : std::min(perRoute_, kCells);
  ends_.assign(cells(), kNotYet);
  ends_[kAtOnce] = 0;
  skips_.clear();
  bind();
  std::fill(left_.begin(), left_.end(), perRoute_);
  left_.back() = kMany;
  for (size_t s = 0; s < stages_.size(); ++s) {
    const ir::Order order = in_->actions[s];
    stages_[s].at = order.begin();
    stages_[s].limit = order.size();
  }
}

/// Twice as many cells in every row.
void PipelineRun::widen() {
  const Indexed<double> before = std::exchange(ends_, {});
  const int64_t from = kConstants, each = width_ + 1;
  width_ *= 2;
  ends_.assign(cells(), kNotYet);
  std::copy_n(before.begin(), from, ends_.begin());
  for (uint32_t row = 1; row < rows(); ++row)
    std::copy_n(before.begin() + from + (row - 1) * each, each, ends_.begin() + rowAt(row));
  for (Work& w : works_) {
    bindIn(w);
    if (w.outRow) w.out = rowAt(w.outRow);
  }
}

std::vector<StageTimes> PipelineRun::run(const std::vector<double>& begins) {
  begin(begins);
  if (!plain_ || !shape_->steady().empty()) beginActions();
  onTape_ = plain_;
  if (onTape_) beginReplay();
  stride();
  for (size_t s = 0; s < stages_.size(); ++s) stages_[s].limit = in_->actions[s].size();
  mark_ = kToTheEnd;
  settle();
  return times();
}

/// Every stage as far as its limit and the others let it.
void PipelineRun::settle() {
  if (onTape_) return replayOn();
  std::fill(waiters_.begin(), waiters_.end(), -1);
  for (size_t s = stages_.size(); s-- > 0;) ready_.push_back(s);
  while (!ready_.empty()) {
    const size_t s = ready_.back();
    ready_.pop_back();
    advance(s);
  }
}

/// When what an action receives was sent; negative if it was not yet.
inline double PipelineRun::received(Work& work, int64_t microBatch) {
  const double sent = ends_[work.in + (microBatch & work.inMask)];
  return sent < 0 && work.redirected ? lookBack(work, microBatch) : sent;
}

/// The result of an action, for those who wait for it.
inline void PipelineRun::made(const Work& work, int64_t microBatch, double end) {
  const int64_t cell = microBatch - work.outShift;
  while (cell >= width_) [[unlikely]] widen();
  ends_[work.out + (cell & work.outMask)] = end;
  if (int32_t& waiter = waiters_[work.outRow]; waiter >= 0)
    ready_.push_back(static_cast<size_t>(std::exchange(waiter, -1)));
}

void PipelineRun::advance(size_t s) {
  Stage& stage = stages_[s];
  Work* const works = works_.data();
  double &idleSeconds = idle(s), &busySeconds = busy(s);
  const bool oneRoute = routes_ == 1, watched = watched_;
  while (stage.next < stage.limit) {
    const Action* a = stage.at.written();
    const int64_t offset = stage.at.offset(), microBatch = a->microBatch + offset;
    if (a->paired) {
      if (!performPair(s, a, offset)) return;
      ++stage.at, ++stage.at;
      stage.next += 2;
      continue;
    }
    const size_t slot = oneRoute ? a->virtualStage : slotOf(*a, microBatch);
    Work& work = works[slot * kKinds + static_cast<size_t>(a->kind)];
    double arrival = received(work, microBatch);
    if (arrival < 0) return waitFor(s, work);
    arrival += work.latency;
    if (work.special || watched || *work.left == 1) {
      perform(s, work, microBatch, arrival);
    } else {
      idleSeconds += std::max(0.0, arrival - stage.free);
      busySeconds += work.seconds;
      const double end = std::max(stage.free, arrival) + work.seconds;
      --*work.left;
      stage.free = end + work.sending;
      made(work, microBatch, depart(s, stage.free, work.transfer, end, {}));
      *work.booked += work.sending;
    }
    ++stage.at;
    ++stage.next;
  }
}

/// Whoever makes what it receives calls the stage.
void PipelineRun::waitFor(size_t s, const Work& work) {
  waiters_[work.inRow] = static_cast<int32_t>(s);
}

/// From when the stage is free to when it has what it runs next: it waits for what arrives later, and is held by the
/// transfers that it takes part in. Gives the seconds of the latter.
double PipelineRun::receive(size_t s, double arrival, double until) {
  const double free = stages_[s].free;
  idle(s) += std::max(0.0, arrival - free);
  return std::max(0.0, until - std::max(free, arrival));
}

void PipelineRun::bookReceived(const Work& work, double held) {
  if (held > 0) booked(work.slot, isForward(work) ? Cause::Receive : Cause::ReceiveBack) += held;
}

void PipelineRun::perform(size_t s, Work& work, int64_t microBatch, double arrival) {
  Stage& stage = stages_[s];
  if (watched_) watch(work, stage.free - arrival);
  double start = std::max(stage.free + work.receiving, arrival);
  bookReceived(work, receive(s, arrival, start));
  start = afterComm(stage, roomOf(work), start);
  busy(s) += work.seconds;
  const double over = takeTurns(s, reduces(work) ? 0 : onStep(work), onSends(work), start, work.seconds);
  const double done = start + work.seconds + over;
  const PassDelay delay = finish(s, work, microBatch, start, done, 0, {.from = done});
  book(s, work.slot, isForward(work), delay);
  const double end = done + delay.sum();
  pauseGathers(s, onGathers(work), start, end);
  stage.free = end + work.sending;
  made(work, microBatch, depart(s, stage.free, work.transfer, end, {}));
  *work.booked += work.sending;
}

/// Two passes at once, if both have what they receive.
bool PipelineRun::performPair(size_t s, const Action* pair, int64_t offset) {
  const int64_t batchF = pair[0].microBatch + offset, batchB = pair[1].microBatch + offset;
  Work &f = workOf(pair[0], batchF), &b = workOf(pair[1], batchB);
  const double sentF = received(f, batchF), sentB = sentF < 0 ? kNotYet : received(b, batchB);
  if (sentF < 0 || sentB < 0) {
    waitFor(s, sentF < 0 ? f : b);
    return false;
  }
  pairTogether(s, f, b, {batchF, sentF + f.latency}, {batchB, sentB + b.latency});
  return true;
}

/// What the two save where they run together.
PipelineRun::Together& PipelineRun::togetherOf(size_t s, const Work& f, const Work& b) {
  Together& t = together_[togetherFrom_[s] + shape_->holdOf(f.slot) * holds(s).size() + shape_->holdOf(b.slot)];
  if (t.met) return t;
  t.met = true;
  t.forwardStage = static_cast<int64_t>(f.slot / routes_), t.backwardStage = static_cast<int64_t>(b.slot / routes_);
  const double apart = f.seconds + b.seconds;
  const auto known = in_->pairs.find({t.forwardStage, t.backwardStage});
  t.cost = known == in_->pairs.end() ? PairCost{apart, apart, apart} : known->second;
  return t;
}

/// A pair begins with the one whose input is there first. While it runs alone it saves nothing: the saving shrinks to
/// none over its length. A result leaves when it is made, so its transfer may run beside the rest of the pair.
void PipelineRun::pairTogether(size_t s, Work& f, Work& b, const Received& inF, const Received& inB) {
  Stage& stage = stages_[s];
  const double holdF = f.receiving, holdB = b.receiving, free = stage.free + holdF + holdB;
  if (watched_) watch(f, stage.free - inF.at), watch(b, stage.free - inB.at);
  double arrivedF = std::max(free, inF.at), arrivedB = std::max(free, inB.at);
  const double first = std::min(arrivedF, arrivedB);
  const double taken = receive(s, std::min(inF.at, inB.at), first);
  if (holdF > 0) bookReceived(f, taken * holdF / (holdF + holdB));
  if (holdB > 0) bookReceived(b, taken * holdB / (holdF + holdB));
  const double begins = afterComm(stage, std::min(roomOf(f), roomOf(b)), first);
  arrivedF = std::max(arrivedF, begins), arrivedB = std::max(arrivedB, begins);
  const double apart = f.seconds + b.seconds;
  const Together& both = togetherOf(s, f, b);
  const double late = std::fabs(arrivedF - arrivedB), early = arrivedF < arrivedB ? f.seconds : b.seconds;
  const double together = late < early ? 1 - late / early : 0, saved = (apart - both.cost.seconds) * together;
  busy(s) += apart - saved;
  idle(s) += std::max(0.0, late - early);
  sums_[sharesAt_ + static_cast<size_t>(&both - together_.data())] += together;
  double done = begins + std::max(0.0, late - early) + apart - saved;
  const double pending = std::max(begins, stage.port), over = takeTurns(s, reduces(b) ? 0 : onStep(f) + onStep(b),
                                                                        onSends(f) + onSends(b), begins, done - begins);
  done += over;
  // Alone a pass has ended after its seconds; what it leaves behind then has the port, which otherwise is the pair's.
  const auto ends = [&](const Work& work, double arrived, double inPair) {
    return std::min(done, together * inPair + (1 - together) * (arrived + work.seconds));
  };
  const double madeF = ends(f, arrivedF, arrivedF + both.cost.forward),
               madeB = ends(b, arrivedB, arrivedB + both.cost.backward);
  const PassDelay delayF = finish(s, f, inF.microBatch, arrivedF, done, onStep(b),
                                  {ends(f, arrivedF, done), arrivedB, done, shareOf(b)}),
                  delayB = finish(s, b, inB.microBatch, arrivedB, done, onStep(f),
                                  {ends(b, arrivedB, done), arrivedF, done, shareOf(f)});
  const bool longer = delayF.sum() > delayB.sum(); // both at once: the longer one shows
  book(s, (longer ? f : b).slot, longer, longer ? delayF : delayB);
  const double end = stage.free = done + std::max(delayF.sum(), delayB.sum());
  pauseGathers(s, onGathers(f) + onGathers(b), begins, end);
  const double endF = madeF + end - done, endB = madeB + end - done;
  const bool backwardFirst = endB < endF * (1 - kOneMoment);
  const PairRest pair{end,
                      (onSends(f) + onSends(b)) / (end - pending)}; // of the port, when it has sent what was before
  const auto leave = [&](const Work& work, int64_t microBatch, double at) {
    made(work, microBatch, depart(s, stage.free, work.transfer, at, pair));
  };
  if (!backwardFirst) leave(f, inF.microBatch, endF);
  leave(b, inB.microBatch, endB);
  if (backwardFirst) leave(f, inF.microBatch, endF);
  for (const Work* work : {&f, &b}) {
    *work->booked += work->sending;
    stage.free += work->sending;
  }
}

std::vector<StageTimes> runPipeline(const PipelineInput& input, KnownPipelines* known) {
  PipelineRun alone;
  PipelineRun& pipeline = known ? known->run() : alone;
  const std::shared_ptr<const PipelineShape> shape =
      known ? known->shapeOf(input) : std::make_shared<const PipelineShape>(input);
  pipeline.prepare(input, *shape);
  return runSteps(input, [&](const std::vector<double>& begins) { return pipeline.run(begins); });
}

} // namespace planc::cost
