// The fast engine of the pipeline simulation (docs/cost-model.md, section 3).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/pipeline/FastPipeline.h"

#include "backends/cost/simulate/pipeline/Strider.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace planc::cost {
using ir::Action;
using ir::ActionKind;

namespace {

/// Cells that a row of results begins with, at most.
constexpr int64_t kCells = 256;
/// More passes than there are.
constexpr int64_t kManyPasses = int64_t{1} << 60;

} // namespace

void FastPipeline::prepare(const PipelineInput& in, const PipelineShape& shape) {
  in_ = &in, shape_ = &shape;
  routes_ = shape.routes(), perRoute_ = shape.perRoute();
  step_.prepare(in, shape);
  progress_.resize(shape.stages());
  works_.resize(shape.slots() * PipelineShape::kKinds);
  left_.resize(shape.slots() + 1);
  waiters_.resize(2 * shape.slots() + 1);
}

/// The prices of all works, and where they find their inputs and leave their results.
void FastPipeline::bind() {
  const size_t last = in_->virtualStages.size() - 1;
  for (size_t vs = 0; vs <= last; ++vs)
    for (const ActionKind kind :
         {ActionKind::Forward, ActionKind::Backward, ActionKind::BackwardInput, ActionKind::BackwardWeight}) {
      const ActionPrice price = priceOf(*in_, static_cast<int64_t>(vs), kind);
      const bool forward = kind == ActionKind::Forward, weights = kind == ActionKind::BackwardWeight;
      for (size_t r = 0; r < routes_; ++r) {
        const size_t slot = vs * routes_ + r;
        const int64_t first = static_cast<int64_t>(r) * perRoute_;
        const uint32_t input = forward      ? vs == 0 ? 0 : Results::rowOf(slot - routes_, false)
                                    : weights ? Results::rowOf(slot, true)
                               : vs == last ? Results::rowOf(slot, false)
                                            : Results::rowOf(slot + routes_, true);
        Work& work = works_[slot * PipelineShape::kKinds + static_cast<size_t>(kind)];
        static_cast<ActionPrice&>(work) = price;
        work.in = {.row = input, .shift = first};
        work.out = {.row = weights ? 0 : Results::rowOf(slot, !forward), .shift = first};
        work.slot = static_cast<uint32_t>(slot), work.kind = kind;
        work.first = forward ? first : -1;
        work.left = &left_[work.completes ? slot : left_.size() - 1];
        work.booked = &step_.booked(slot, forward ? Cause::Send : Cause::SendBack);
      }
    }
}

/// The result of a pass leaves. The stage that waits for it may go on.
[[gnu::always_inline]] inline void FastPipeline::leave(Work& work, int64_t microBatch, double at) {
  if (work.out.row == 0) return;
  results_.write(work.out, microBatch, at);
  if (int32_t& waiter = waiters_[work.out.row]; waiter >= 0)
    ready_.push_back(static_cast<size_t>(std::exchange(waiter, -1)));
}

/// Communication of states around a pass that would end at `end`: what it adds, and what it leaves behind. `held`:
/// seconds for which the other pass of a pair takes the ports.
PassDelay FastPipeline::finish(StepState::Stage& stage, Work& work, int64_t microBatch, double start, double end,
                               double held, StepState::TailPlace tail) {
  PassDelay delay;
  if (microBatch == work.first) delay = step_.afterGathers(work.slot, start, end, held + work.onGathers);
  tail.withReductions = work.reducesNext();
  if (tail.withReductions)
    delay = step_.beginReductions(stage, work.slot, *work.reductions, !(work.kind == ActionKind::Backward), start, end,
                                  held);
  --*work.left;
  if (!(work.tail > 0)) return delay;
  const double later = delay.sum();
  tail.from += later, tail.other.begin += later, tail.other.end += later;
  step_.leaveTail(stage, tail, work.tail, work.slot, work.forward() ? Cause::ForwardTail : Cause::BackwardTail);
  return delay;
}

/// A pass starts when the stage is free and its input is there. The transfer of the input may hold the stage.
/// Inlined, as `leave` is, because the loop over all actions takes a tenth of a search.
[[gnu::always_inline]] inline void FastPipeline::perform(StepState::Stage& stage, Work& work, Arrival input) {
  watch(work, stage.free - input.at);
  const double ready = input.at > stage.free ? input.at : stage.free;
  double start = stage.free + work.receiving;
  if (input.at > start) start = input.at;
  if (input.at > stage.free) stage.idle() += input.at - stage.free;
  if (start > ready) step_.booked(work.slot, work.forward() ? Cause::Receive : Cause::ReceiveBack) += start - ready;
  start = step_.afterTail(stage, work.room, start);
  stage.busy() += work.seconds;
  const double over = step_.takeTurns(stage, work.reducesNext() ? 0 : work.onStep, work.onSends, start, work.seconds),
               done = start + work.seconds + over;
  double end = done;
  if (work.tail > 0 || *work.left == 1 || input.microBatch == work.first) {
    const PassDelay delay = finish(stage, work, input.microBatch, start, done, 0, {.from = done});
    step_.bookDelay(stage, work.slot, work.forward(), delay);
    end += delay.sum();
  } else {
    --*work.left;
  }
  step_.pauseGathers(stage, work.onGathers, start, end);
  stage.free = end + work.sending;
  leave(work, input.microBatch, step_.depart(stage, work.transfer, end, {}));
  *work.booked += work.sending;
}

/// A pair begins with the pass whose input is there first. While that runs alone it saves nothing: the saving shrinks
/// to none over its length. A result leaves when it is made, so its transfer may run beside the rest of the pair.
void FastPipeline::performPair(StepState::Stage& stage, Work& f, Work& b, const Arrival& inputF,
                               const Arrival& inputB) {
  watch(f, stage.free - inputF.at);
  watch(b, stage.free - inputB.at);
  const double receiving = f.receiving + b.receiving, input = std::min(inputF.at, inputB.at);
  double atF = std::max(stage.free + receiving, inputF.at), atB = std::max(stage.free + receiving, inputB.at);
  const double first = std::min(atF, atB), held = std::max(0.0, first - std::max(stage.free, input));
  stage.idle() += std::max(0.0, input - stage.free);
  if (f.receiving > 0) step_.booked(f.slot, Cause::Receive) += held * f.receiving / receiving;
  if (b.receiving > 0) step_.booked(b.slot, Cause::ReceiveBack) += held * b.receiving / receiving;
  const double begin = step_.afterTail(stage, std::min(f.room, b.room), first);
  atF = std::max(atF, begin), atB = std::max(atB, begin);

  const double apart = f.seconds + b.seconds;
  const StepState::Together& pair = step_.togetherOf(stage, f.slot, b.slot, apart);
  const double late = std::fabs(atF - atB), early = atF < atB ? f.seconds : b.seconds;
  const double together = late < early ? 1 - late / early : 0, saved = (apart - pair.cost.seconds) * together;
  stage.busy() += apart - saved;
  stage.idle() += std::max(0.0, late - early);
  step_.addTogether(pair, together);
  double done = begin + std::max(0.0, late - early) + apart - saved;
  const double sends = std::max(begin, stage.port), onSends = f.onSends + b.onSends;
  done += step_.takeTurns(stage, b.reducesNext() ? 0 : f.onStep + b.onStep, onSends, begin, done - begin);

  // A pass that runs alone has ended after its seconds, and what it leaves behind then has the port.
  const auto ends = [&](const Work& work, double at, double inPair) {
    return std::min(done, together * inPair + (1 - together) * (at + work.seconds));
  };
  const double madeF = ends(f, atF, atF + pair.cost.forward), madeB = ends(b, atB, atB + pair.cost.backward);
  const PassDelay delayF = finish(stage, f, inputF.microBatch, atF, done, b.onStep,
                                  {ends(f, atF, done), {atB, done, b.portShare()}}),
                  delayB = finish(stage, b, inputB.microBatch, atB, done, f.onStep,
                                  {ends(b, atB, done), {atF, done, f.portShare()}});
  const bool longerF = delayF.sum() > delayB.sum(); // both run at once: the longer delay shows
  const PassDelay& delay = longerF ? delayF : delayB;
  step_.bookDelay(stage, (longerF ? f : b).slot, longerF, delay);

  const double end = stage.free = done + delay.sum(), endF = madeF + end - done, endB = madeB + end - done;
  step_.pauseGathers(stage, f.onGathers + b.onGathers, begin, end);
  const Beside rest{begin, end, onSends / (end - sends)}; // of the port, after the transfers before
  const bool backwardFirst = endB < endF * (1 - kOneMoment);
  if (!backwardFirst) leave(f, inputF.microBatch, step_.depart(stage, f.transfer, endF, rest));
  leave(b, inputB.microBatch, step_.depart(stage, b.transfer, endB, rest));
  if (backwardFirst) leave(f, inputF.microBatch, step_.depart(stage, f.transfer, endF, rest));
  for (const Work* work : {&f, &b}) {
    *work->booked += work->sending;
    stage.free += work->sending;
  }
}

/// Every stage as far as its limit and the other stages let it.
void FastPipeline::settle() {
  std::fill(waiters_.begin(), waiters_.end(), -1);
  for (size_t s = progress_.size(); s-- > 0;) ready_.push_back(s);
  while (!ready_.empty()) {
    const size_t s = ready_.back();
    ready_.pop_back();
    advance(s);
  }
}

/// One stage, until an input is missing.
void FastPipeline::advance(size_t s) {
  Progress& progress = progress_[s];
  StepState::Stage& stage = step_.stages[s];
  const auto waitFor = [&](const Work& work) { waiters_[work.in.row] = static_cast<int32_t>(s); };
  while (progress.next < progress.limit) {
    const Action* const a = progress.at.written();
    const int64_t microBatch = a->microBatch + progress.at.offset();
    Work& work = workOf(*a, microBatch);
    const double sent = results_.read(work.in, microBatch);
    if (sent < 0) return waitFor(work);
    const Arrival input{microBatch, sent + work.latency};
    if (a->paired) {
      const int64_t other = a[1].microBatch + progress.at.offset();
      Work& second = workOf(a[1], other);
      const double otherSent = results_.read(second.in, other);
      if (otherSent < 0) return waitFor(second);
      performPair(stage, work, second, input, {other, otherSent + second.latency});
      ++progress.at, ++progress.next;
    } else {
      perform(stage, work, input);
    }
    ++progress.at, ++progress.next;
  }
}

std::vector<StageTimes> FastPipeline::run(const std::vector<double>& begins) {
  step_.begin(begins);
  // Micro-batches come in turn if something repeats: few cells are enough until more are needed.
  results_.begin(shape_->slots(), shape_->steady().empty() ? perRoute_ : std::min(perRoute_, kCells));
  std::fill(left_.begin(), left_.end(), perRoute_);
  left_.back() = kManyPasses;
  bind();
  for (size_t s = 0; s < progress_.size(); ++s) progress_[s] = {in_->actions[s].begin()};
  for (const SteadyOrders& steady : shape_->steady()) Strider(*this, steady).go();
  for (size_t s = 0; s < progress_.size(); ++s) progress_[s].limit = in_->actions[s].size();
  settle();
  for (const Progress& stage : progress_)
    if (stage.next != stage.limit) throw std::logic_error("cost: the stages of the schedule wait for each other");
  return step_.times();
}

/// Returns the shape of a pipeline. Keys tell most shapes apart; then the whole shape is compared.
std::shared_ptr<const PipelineShape> FastPipeline::shapeOf(const PipelineInput& in) {
  Reads reads;
  reads << in.actions.size() << in.devices.size() << in.devices.routes() << in.microBatches
        << in.actions.written().size();
  const auto* before = shapes_.find(reads);
  if (before && (*before)->fits(in)) return *before;
  auto shape = std::make_shared<const PipelineShape>(in);
  if (!before) shapes_.add(reads, shape);
  return shape;
}

std::vector<StageTimes> FastPipeline::simulate(const PipelineInput& input) {
  const std::shared_ptr<const PipelineShape> shape = shapeOf(input);
  prepare(input, *shape);
  return runSteps(input, [&](const std::vector<double>& begins) { return run(begins); });
}

std::vector<StageTimes> runPipeline(const PipelineInput& input) {
  return FastPipeline().simulate(input);
}

} // namespace planc::cost
