// Communication of states around the passes of a pipeline (docs/cost-model.md, section 3).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/pipeline/PipelineRun.h"

#include <algorithm>

namespace planc::cost {
using ir::ActionKind;

/// When an action that could start does, if what passes left behind would outlast the room that it has for it.
double PipelineRun::afterComm(Stage& stage, double room, double start) {
  const double begin = stage.comm.until - room;
  if (!(begin > start)) return start;
  booked(stage.tailSlot, stage.tailCause) +=
      bookSends(static_cast<size_t>(&stage - stages_.data()), stage.comm, begin - start);
  return begin;
}

/// Communication of states around an action that would end at `end`: what it adds, and what it leaves span. `held`:
/// seconds in which an action beside it takes the ports.
PassDelay PipelineRun::finish(size_t s, Work& work, int64_t microBatch, double start, double end, double held,
                              TailSpan span) {
  Stage& stage = stages_[s];
  PassDelay delay;
  if (isForward(work) && microBatch % perRoute_ == 0) {
    delay = afterGathers(work.slot, start, end, held + work.pass->onGathers);
    work.special = alwaysSpecial(work);
  }
  span.withReductions = reduces(work);
  if (--*work.left == 0) delay = beginReductions(s, work.slot, kindOf(work), start, end, held);
  for (double* moment : {&span.from, &span.begin, &span.end}) *moment += delay.sum();
  if (const double tail = tailOf(work); tail > 0)
    leaveTail(stage, span, tail, work.slot, isForward(work) ? Cause::ForwardTail : Cause::BackwardTail);
  return delay;
}

/// The comm stream runs on behind a pass, and behind transfers that are under way on its port. Reductions of the step
/// pause.
void PipelineRun::leaveTail(Stage& stage, const TailSpan& span, double tail, uint32_t slot, Cause cause) {
  const double later = stage.meets.tails ? std::max(0.0, stage.port - span.from) : 0, begin = span.from + later;
  if (stage.meets.tailsAndReduced && !span.withReductions) stage.reduced.pause(begin, tail);
  stage.comm = {span.until(begin, tail), tail, std::min(later, stage.sending)};
  stage.tailSlot = slot, stage.tailCause = cause;
}

/// A wait for gathers is of the virtual stage that it is for, as long as its own take; of those before it in the
/// queue beyond that.
void PipelineRun::book(size_t s, size_t of, bool forward, const PassDelay& delay) {
  if (delay.slowed > 0) booked(of, forward ? Cause::SlowedByGathers : Cause::InLastPass) += delay.slowed;
  double left = delay.exposed;
  if (forward) {
    const double sends = std::min(left, stages_[s].gatherSends);
    stages_[s].gatherSends -= sends, waitsForSends(s) += sends, left -= sends;
  }
  for (size_t h = shape_->holdOf(of) + 1; left > 0 && h-- > 0;) {
    const uint32_t slot = holds(s)[h];
    const double part = h == 0 ? left : std::min(left, gathering_[slot]);
    gathering_[slot] -= part;
    booked(slot, Cause::Gathers) += part;
    left -= part;
  }
}

/// What runs on after the last pass: the last reductions, as far as they reach back, and what a pass left behind before
/// or after them.
void PipelineRun::bookTrailing(size_t s, double trailing) {
  Stage& stage = stages_[s];
  double after = std::clamp(stage.comm.until - std::max(stage.free, stage.reduced.until), 0.0, trailing);
  double left = bookSends(s, stage.reduced, trailing - after);
  after = bookSends(s, stage.comm, after);
  for (size_t i = stage.reductions; left > 0 && i-- > 0;) {
    const uint32_t slot = reducing_[shape_->heldFrom(s) + i];
    const VirtualStageCost& cost = in_->virtualStages[slot / routes_];
    const bool takesAll = i == 0 && stage.comm.until <= 0;
    const double part = takesAll ? left : std::min(left, (byWeights_[slot] ? cost.lastWeights : cost.last).reducing);
    booked(slot, Cause::Reductions) += part;
    left -= part;
  }
  if (after + left > 0) booked(stage.tailSlot, stage.tailCause) += after + left;
}

/// When what an action made leaves: a port sends one thing after the other, and what passes leave on it goes first; a
/// sender that is held is for as much longer. A result that a pair makes before its end takes what the rest of the pair
/// leaves of the port, and then shares it with what the pair leaves span. Reductions and gathers of the step pause.
double PipelineRun::depart(size_t s, double& free, double transfer, double end, const PairRest& pair) {
  if (!(transfer > 0)) return end;
  Stage& stage = stages_[s];
  if (!(stage.port > end)) stage.sending = 0;
  const double held = in_->inlineSend, beside = transfer * (1 - held), sent = std::max(stage.port, end);
  const double left = stage.meets.tails ? std::max(0.0, stage.comm.until - sent) : 0;
  const bool begun = left <= stage.comm.seconds + kOneMoment * sent; // of what a pass left: it goes first
  double waits = begun ? left : 0;
  const double rest = std::max(0.0, pair.end - sent - waits),
               later = takenTurns(transfer, pair.share * rest, rest, rest),
               after = std::clamp(transfer + later - rest, 0.0, transfer);
  if (!begun) waits += stage.comm.share(after, beside);
  const double begin = sent + waits;
  free += held * waits;
  if (held * waits > 0) booked(stage.tailSlot, stage.tailCause) += held * waits;
  if (stage.meets.reductions) stage.reduced.sends += std::min(stage.reduced.pause(begin, transfer), beside);
  if (stage.meets.gathers && stage.gathered > begin) {
    for (const uint32_t slot : holds(s))
      if (gathered_[slot] > begin) gathered_[slot] += transfer;
    stage.gathered += transfer, stage.gatherSends += beside;
  }
  stage.port = begin + later + transfer, stage.sending += beside;
  return begin + later;
}

/// Splits a wait for communication that passes left: the seconds that transfers added to it are booked on transfers.
/// Returns the rest.
double PipelineRun::bookSends(size_t s, LeftBehind& left, double waits) {
  const double sends = left.takeSends(waits);
  waitsForSends(s) += sends;
  return waits - sends;
}

/// Seconds of waiting while the port sends are of all transfers of a stage, by their length.
void PipelineRun::spreadSends(size_t s) {
  double seconds = waitsForSends(s);
  if (!(seconds > 0)) return;
  const auto sends = [&](uint32_t slot, bool back) {
    const size_t vs = slot / routes_;
    const VirtualStageCost& c = in_->virtualStages[vs];
    if (back) return vs > 0 ? c.sendBack - c.joinedBack : 0;
    return vs + 1 < in_->virtualStages.size() ? c.send - c.joined : 0;
  };
  double all = 0;
  for (const uint32_t slot : holds(s)) all += sends(slot, false) + sends(slot, true);
  // Such a wait also holds what the transfers themselves waited for: seconds beyond all transfers are of the tails.
  const double most = all * static_cast<double>(perRoute_) * (1 - in_->inlineSend);
  if (const double more = seconds - most; more > 0 && stages_[s].comm.until > 0)
    booked(stages_[s].tailSlot, stages_[s].tailCause) += more, seconds = most;
  for (const uint32_t slot : holds(s)) {
    booked(slot, Cause::Send) += seconds * sends(slot, false) / all;
    booked(slot, Cause::SendBack) += seconds * sends(slot, true) / all;
  }
}

/// The first forward of a virtual stage meets the new parameters: no layer begins before its own are there.
PassDelay PipelineRun::afterGathers(size_t slot, double start, double end, double held) const {
  const VirtualStageCost& cost = in_->virtualStages[slot / routes_];
  const StepGathers& comm = cost.gathers;
  if (comm.total <= 0) return {};
  const double all = gathered_[slot];
  const double slowed = in_->slowdown * comm.beside * std::clamp(all - start, 0.0, std::min(comm.total, end - start));
  // Until the last layer begins, those of the layers take turns with what is not there yet.
  const double pending = std::max(0.0, all - start),
               paused = takenTurns(pending, held, end - start, end - start - cost.forward.last);
  const double late = std::max(all + paused + cost.forward.last - end, all - comm.total + comm.wait - start);
  return {slowed, std::max(0.0, late - slowed)};
}

/// The pass that completes the gradients of a virtual stage reduces them. What lies on the port from before, and what
/// runs beside it (`held`), comes before the end of its reductions, which without either is that of the pass alone.
PassDelay PipelineRun::beginReductions(size_t s, size_t slot, ActionKind kind, double start, double end, double held) {
  const LastPass& last = lastOf(in_->virtualStages[slot / routes_], kind);
  if (last.carried <= 0) return {};
  Stage& stage = stages_[s];
  LeftBehind& reduced = stage.reduced;
  const double queued = std::max({start, reduced.until, stage.comm.until});
  if (!(reduced.until > start)) reduced = {};
  reduced.seconds += last.reducing;
  reduced.until = std::max(end + last.longer + last.tail, queued + last.carried + held);
  if (const double later = stage.port + last.onSends - reduced.until;
      stage.meets.reductions && last.onSends > 0 && later > 0)
    reduced.until += later, reduced.sends += std::min(later, stage.sending);
  reducing_[shape_->heldFrom(s) + stage.reductions++] = static_cast<uint32_t>(slot);
  byWeights_[slot] = kind == ActionKind::BackwardWeight;
  return {last.longer, 0};
}

} // namespace planc::cost
