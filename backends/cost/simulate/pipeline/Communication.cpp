// Communication of states around the passes of a pipeline (docs/cost-model.md, section 3), in the fast engine.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/pipeline/StepState.h"

namespace planc::cost {

/// An action waits for what passes left behind, from `start` to `begin`.
double StepState::waitForTail(Stage& stage, double begin, double start) {
  booked(stage.tailSlot, stage.tailCause) += waitForSends(stage, stage.tail.sends, begin - start);
  return begin;
}

/// The communication of a pass goes before reductions that were left on its port, and after transfers: the seconds that
/// do not fit beside them make the pass longer. Returns those.
double StepState::sharePort(Stage& stage, double onStep, double onSends, double start, double seconds) {
  RunningOn& reduced = stage.reductions;
  if (onStep > 0 && reduced.until > start) reduced.until += takenTurns(reduced.until - start, onStep, seconds, seconds);
  const double pending = stage.port - start;
  if (!(onSends > 0 && pending > 0)) return 0;
  const double over = std::min(pending, seconds) + std::min(onSends, seconds) - seconds;
  if (!(over > kOneMoment * start)) return 0; // all of it fits, but for rounding
  if (pending > seconds) stage.port += over;
  stage.portWaits() += over;
  return over;
}

/// Gathers of the step that are under way take turns with what a pass communicates over their port.
void StepState::shareGathers(Stage& stage, double onGathers, double start, double end) {
  const auto pause = [&](double& until) {
    if (until > start) until += takenTurns(until - start, onGathers, end - start, end - start);
  };
  for (const uint32_t slot : holds(stage)) pause(gathered_[slot]);
  pause(stage.gathered);
}

PassDelay StepState::afterGathers(size_t slot, double start, double end, double held) const {
  return delayByGathers(*in_, in_->virtualStages[slot / routes_], gathered_[slot], start, end, held);
}

/// The pass that completes the gradients of a virtual stage reduces them. What lies on the port from before, and what
/// runs beside the pass (`held`), comes before the end of its reductions.
PassDelay StepState::beginReductions(Stage& stage, size_t slot, const LastPass& last, bool weights, double start,
                                     double end, double held) {
  RunningOn& reduced = stage.reductions;
  const double queued = std::max({start, reduced.until, stage.tail.until});
  if (!(reduced.until > start)) reduced = {};
  reduced.seconds += last.reducing;
  reduced.until = std::max(end + last.longer + last.tail, queued + last.carried + held);
  if (const double later = stage.port + last.onSends - reduced.until;
      stage.meets.reductions && last.onSends > 0 && later > 0)
    reduced.until += later, reduced.sends += std::min(later, stage.row);
  reducing_[shape_->heldFrom(stage.number) + stage.reducing++] = static_cast<uint32_t>(slot);
  byWeights_[slot] = weights;
  return {last.longer, 0};
}

/// The comm stream runs on behind a pass, and behind transfers that are under way on its port. It takes turns with the
/// other pass of a pair. Reductions of the step pause.
void StepState::leaveTail(Stage& stage, const TailPlace& place, double tail, uint32_t slot, Cause cause) {
  const double later = stage.meets.tails ? std::max(0.0, stage.port - place.from) : 0, begin = place.from + later;
  if (stage.meets.tailsAndReduced && !place.withReductions) stage.reductions.pause(begin, tail);
  const Beside& other = place.other;
  const double both = std::max(begin, other.begin), rest = other.end - both, left = tail - (both - begin);
  stage.tail = {begin + tail + (left > 0 ? takenTurns(left, other.share * rest, rest, rest) : 0), tail,
                std::min(later, stage.row)};
  stage.tailSlot = slot, stage.tailCause = cause;
}

/// A wait for gathers belongs to the virtual stage that waits, up to the seconds of its own gathers; beyond that to
/// those before it in the queue.
void StepState::bookDelay(Stage& stage, size_t slot, bool forward, const PassDelay& delay) {
  if (delay.slowed > 0) booked(slot, forward ? Cause::SlowedByGathers : Cause::InLastPass) += delay.slowed;
  double left = forward ? waitForSends(stage, stage.gatherSends, delay.exposed) : delay.exposed;
  for (size_t h = shape_->holdOf(slot) + 1; left > 0 && h-- > 0;) {
    const uint32_t of = holds(stage)[h];
    const double part = h == 0 ? left : std::min(left, gathering_[of]);
    gathering_[of] -= part, left -= part;
    booked(of, Cause::Gathers) += part;
  }
}

/// Returns when a result that is made at `end` has left. A port sends one message after the other, and communication
/// that passes left on it goes first; a held sender is held for as much longer. A result that is made before the end of
/// its pair takes the part of the port that the rest of the pair leaves, and then shares the port with communication
/// that the pair leaves behind. Reductions and gathers of the step pause.
double StepState::send(Stage& stage, double transfer, double end, const Beside& pair) {
  if (!(stage.port > end)) stage.row = 0;
  RunningOn& tail = stage.tail;
  const double held = in_->inlineSend, beside = transfer * (1 - held), free = std::max(stage.port, end);
  const double left = stage.meets.tails ? std::max(0.0, tail.until - free) : 0;
  const bool begun = left <= tail.seconds + kOneMoment * free; // what a pass left goes first
  double waits = begun ? left : 0;
  const double rest = std::max(0.0, pair.end - free - waits),
               later = takenTurns(transfer, pair.share * rest, rest, rest);
  if (!begun) { // both share the port until the shorter of them has ended
    waits = std::min(tail.seconds, std::clamp(transfer + later - rest, 0.0, transfer));
    tail.seconds -= waits, tail.until += waits, tail.sends += std::min(waits, beside);
  }
  const double begin = free + waits;
  if (held * waits > 0) stage.free += held * waits, booked(stage.tailSlot, stage.tailCause) += held * waits;
  if (stage.meets.reductions) stage.reductions.sends += std::min(stage.reductions.pause(begin, transfer), beside);
  if (stage.meets.gathers && stage.gathered > begin) {
    for (const uint32_t slot : holds(stage))
      if (gathered_[slot] > begin) gathered_[slot] += transfer;
    stage.gathered += transfer, stage.gatherSends += beside;
  }
  stage.port = begin + later + transfer, stage.row += beside;
  return begin + later;
}

/// Waits for communication that was left behind: the seconds that transfers added to it (`sends`) are waits for the
/// port. Returns the other seconds.
double StepState::waitForSends(Stage& stage, double& sends, double waits) {
  const double taken = std::min(waits, sends);
  sends -= taken, stage.portWaits() += taken;
  return waits - taken;
}

/// Communication that runs on after the last pass: the last reductions, as far as they reach back, and what a pass left
/// behind before or after them.
void StepState::bookTrailing(Stage& stage, double trailing) {
  double after = std::clamp(stage.tail.until - std::max(stage.free, stage.reductions.until), 0.0, trailing);
  double left = waitForSends(stage, stage.reductions.sends, trailing - after);
  after = waitForSends(stage, stage.tail.sends, after);
  for (size_t i = stage.reducing; left > 0 && i-- > 0;) {
    const uint32_t slot = reducing_[shape_->heldFrom(stage.number) + i];
    const VirtualStageCost& cost = in_->virtualStages[slot / routes_];
    const double own = (byWeights_[slot] ? cost.lastWeights : cost.last).reducing,
                 part = i == 0 && stage.tail.until <= 0 ? left : std::min(left, own);
    booked(slot, Cause::Reductions) += part;
    left -= part;
  }
  if (after + left > 0) booked(stage.tailSlot, stage.tailCause) += after + left;
}

} // namespace planc::cost
