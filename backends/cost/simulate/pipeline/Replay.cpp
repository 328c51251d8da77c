// A step in a turn that is known: nothing waits to be looked at.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/pipeline/PipelineRun.h"

#include <algorithm>
#include <utility>

namespace planc::cost {
using ir::ActionKind;

static_assert(static_cast<size_t>(ActionKind::Forward) == 0 && static_cast<size_t>(ActionKind::Backward) == 1);

namespace {

bool isForwardStep(const Tape::Step& step) {
  return step.work % PipelineShape::kKinds == static_cast<size_t>(ActionKind::Forward);
}

} // namespace

/// There is a tape, and no transfer holds its receiver.
bool PipelineRun::isPlain() const {
  if (shape_->tape().steps.empty()) return false;
  return std::ranges::all_of(in_->virtualStages, [&](const VirtualStageCost& c) {
    return in_->inlineReceive * c.send == 0 && in_->inlineReceive * c.sendBack == 0;
  });
}

void PipelineRun::bindPlain() {
  plains_.resize(slots_ * kKinds);
  rooms_.resize(slots_ * kKinds);
  onPorts_.assign(slots_ * kKinds, {});
  ports_ = false;
  const auto& costs = in_->virtualStages;
  for (size_t vs = 0; vs < costs.size(); ++vs) {
    const VirtualStageCost& c = costs[vs];
    const bool last = vs + 1 == costs.size();
    ports_ |= c.meets.inlined || (c.meets.gathers && c.gathers.total > 0) ||
              (c.meets.reductions && c.last.carried + c.lastWeights.carried > 0);
    const double sent = last ? 0 : std::max(0., in_->inlineSend * c.send),
                 sentBack = vs == 0 ? 0 : std::max(0., in_->inlineSend * c.sendBack);
    const double arriving = vs == 0 ? 0 : costs[vs - 1].send, arrivingBack = last ? 0 : costs[vs + 1].sendBack;
    for (size_t r = 0; r < routes_; ++r) {
      const size_t at = (vs * routes_ + r) * kKinds;
      const auto set = [&](ActionKind kind, const PassCost& pass, const Plain& plain, double transfer) {
        const size_t work = at + static_cast<size_t>(kind);
        plains_[work] = plain;
        plains_[work].tail = tailOf(kind, pass);
        rooms_[work] = roomOf(kind, pass, plain.seconds);
        if (kind != ActionKind::BackwardWeight) onPorts_[work] = {transfer, pass.onStep, pass.onGathers, pass.onSends};
        ports_ |= plains_[work].tail > 0 || onPorts_[work].onStep > 0 || onPorts_[work].onGathers > 0 ||
                  (transfer > 0 && in_->inlineSend < 1);
      };
      const double on = last ? 0 : c.send - c.joined, back = vs == 0 ? 0 : c.sendBack - c.joinedBack,
                   input = c.backward.input();
      set(ActionKind::Forward, c.forward, {arriving, c.forward.seconds, sent}, on);
      set(ActionKind::Backward, c.backward, {arrivingBack, c.backward.seconds, sentBack}, back);
      set(ActionKind::BackwardInput, c.backward, {arrivingBack, input, sentBack}, back);
      set(ActionKind::BackwardWeight, c.backward, {kNoLatency, c.backward.weight, 0}, 0);
    }
  }
}

void PipelineRun::beginReplay() {
  played_ = edge_ = mark_ = 0;
  sent_.assign(2 * slots_, 0);
  lanes_.assign(stages_.size(), {});
  for (size_t s = 0; s < stages_.size(); ++s) lanes_[s].free = stages_[s].free;
  if (!shape_->steady().empty()) return;
  width_ = perRoute_; // every cell is filled before it is read
  if (ends_.size() < cells()) ends_.resize(cells());
  ends_[kAtOnce] = 0;
}

/// To the next mark, or to the end.
void PipelineRun::replayOn() {
  const Tape& tape = shape_->tape();
  const Tape::Mark* const mark = mark_ < tape.marks.size() ? &tape.marks[mark_++] : nullptr;
  const size_t to = mark ? mark->step : tape.steps.size();
  const auto on = [&](size_t until) {
    if (watched_)
      ports_ ? replay<true, true>(played_, until) : replay<true, false>(played_, until);
    else
      ports_ ? replay<false, true>(played_, until) : replay<false, false>(played_, until);
    played_ = until;
  };
  for (; edge_ < tape.edges.size() && tape.edges[edge_].step < to; ++edge_) {
    const Tape::Edge& edge = tape.edges[edge_];
    const VirtualStageCost& cost = in_->virtualStages[edge.slot / routes_];
    const auto kind = static_cast<ActionKind>(tape.steps[edge.step].work % kKinds);
    if ((edge.forward ? cost.gathers.total : lastOf(cost, kind).carried) <= 0) continue;
    on(edge.step);
    replayEdge(edge);
    ++played_;
  }
  on(to);
  for (size_t s = 0; s < stages_.size(); ++s) {
    stages_[s].free = lanes_[s].free, idle(s) = lanes_[s].idle, busy(s) = lanes_[s].busy;
    stages_[s].next = mark ? mark->next[s] : stages_[s].limit;
  }
  bookSent(mark ? mark->passes : tape.passes);
  if (mark) std::copy(mark->left.begin(), mark->left.end(), left_.begin());
}

/// Goes on as many marks later: what lies between has been leapt over.
void PipelineRun::skipMarks(size_t marks) {
  mark_ += marks;
  const Tape& tape = shape_->tape();
  const Tape::Mark& mark = tape.marks[mark_ - 1];
  played_ = mark.step;
  while (edge_ < tape.edges.size() && tape.edges[edge_].step < played_) ++edge_;
  sent_ = mark.passes;
  for (size_t s = 0; s < stages_.size(); ++s) lanes_[s] = {stages_[s].free, idle(s), busy(s)};
}

/// Goes on action by action from the last mark.
void PipelineRun::leaveTape() {
  if (!onTape_) return;
  onTape_ = false;
  const Tape::Mark& mark = shape_->tape().marks[mark_ - 1];
  for (size_t s = 0; s < stages_.size(); ++s) stages_[s].at = mark.at[s];
  for (const Tape::Edge& edge : shape_->tape().edges) {
    Work& work = works_[edge.slot * kKinds];
    if (edge.forward && edge.step < mark.step) work.special = alwaysSpecial(work);
  }
}

/// `Ports`: passes leave communication behind, which others may wait for, or take turns with it.
template <bool Watched, bool Ports> void PipelineRun::replay(size_t from, size_t to) {
  const Tape::Step* const steps = shape_->tape().steps.data();
  double* const made = ends_.data();
  const Plain* const plains = plains_.data();
  Lane* const lanes = lanes_.data();
  for (size_t i = from; i < to; ++i) {
    const Tape::Step& step = steps[i];
    const Plain& work = plains[step.work];
    Lane& stage = lanes[step.stage];
    const double arrival = made[step.in] + work.latency;
    if (Watched) slack_[step.work] = std::min(slack_[step.work], stage.free - arrival);
    stage.idle += std::max(0.0, arrival - stage.free);
    stage.busy += work.seconds;
    double start = std::max(stage.free, arrival);
    if (Ports) start = afterComm(stages_[step.stage], rooms_[step.work], start);
    double end = start + work.seconds;
    if (!Ports) {
      stage.free = end + work.sending;
      made[step.out] = end;
      continue;
    }
    const OnPorts& on = onPorts_[step.work];
    end += takeTurns(step.stage, on.onStep, on.onSends, start, work.seconds);
    pauseGathers(step.stage, on.onGathers, start, end);
    stage.free = end + work.sending;
    if (work.tail > 0) leaveComm(step, {.from = end});
    made[step.out] = depart(step.stage, stage.free, on.transfer, end, {});
  }
}

void PipelineRun::leaveComm(const Tape::Step& step, const TailSpan& span) {
  leaveTail(stages_[step.stage], span, plains_[step.work].tail, step.work / kKinds,
            isForwardStep(step) ? Cause::ForwardTail : Cause::BackwardTail);
}

/// Communication of the step around a pass.
void PipelineRun::replayEdge(const Tape::Edge& edge) {
  const Tape::Step& step = shape_->tape().steps[edge.step];
  const Plain& work = plains_[step.work];
  Lane& stage = lanes_[step.stage];
  const double arrival = ends_[step.in] + work.latency;
  const double start = afterComm(stages_[step.stage], rooms_[step.work], std::max(stage.free, arrival));
  if (watched_) slack_[step.work] = std::min(slack_[step.work], stage.free - arrival);
  stage.idle += std::max(0.0, arrival - stage.free);
  stage.busy += work.seconds;
  const OnPorts& on = onPorts_[step.work];
  const auto kind = static_cast<ActionKind>(step.work % kKinds);
  const LastPass& of = lastOf(in_->virtualStages[edge.slot / routes_], kind);
  const double over = takeTurns(step.stage, edge.forward ? on.onStep : 0, on.onSends, start, work.seconds),
               end = start + work.seconds + over;
  const PassDelay delay =
      edge.forward ? afterGathers(edge.slot, start, end, in_->virtualStages[edge.slot / routes_].forward.onGathers)
                   : beginReductions(step.stage, edge.slot, kind, start, end, 0);
  if (work.tail > 0) leaveComm(step, {.from = end + delay.sum(), .withReductions = !edge.forward && of.carried > 0});
  book(step.stage, edge.slot, edge.forward, delay);
  const double made = end + delay.sum();
  pauseGathers(step.stage, on.onGathers, start, made);
  stage.free = made + work.sending;
  ends_[step.out] = depart(step.stage, stage.free, on.transfer, made, {});
}

/// What senders are held by, one transfer after the other.
void PipelineRun::bookSent(const std::vector<uint32_t>& passes) {
  double each = 0, before = 0, sum = 0;
  uint32_t of = 0; // as many transfers of `each` bring `before` to `sum`
  for (const size_t backward : {0, 1})
    for (size_t slot = 0; slot < slots_; ++slot) {
      const double sending = plains_[slot * kKinds + backward].sending;
      double& held = booked(slot, backward ? Cause::SendBack : Cause::Send);
      const size_t i = 2 * slot + backward;
      const uint32_t transfers = passes[i] - std::exchange(sent_[i], passes[i]);
      if (sending != each || transfers != of || held != before) {
        each = sending, of = transfers, before = sum = held;
        for (uint32_t n = 0; n < transfers; ++n) sum += sending;
      }
      held = sum;
    }
}

} // namespace planc::cost
