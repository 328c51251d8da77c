// A step whose passes receive, compute and send, in a turn that is known: nothing waits to be looked at.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/PipelineRun.h"

#include <algorithm>

namespace planc::cost {
using ir::ActionKind;

/// No transfer holds its receiver, no pass leaves communication behind.
bool PipelineRun::isPlain() const {
  if (shape_->tape().steps.empty()) return false;
  return std::ranges::all_of(in_->virtualStages, [&](const VirtualStageCost& c) {
    const bool holds = in_->inlineReceive * c.send != 0 || in_->inlineReceive * c.sendBack != 0;
    return !holds && !c.forward.waitsForComm && !c.backward.waitsForComm && c.forward.tail <= 0 && c.backward.tail <= 0;
  });
}

void PipelineRun::bindPlain() {
  plains_.resize(slots_ * kKinds);
  made_.resize(std::max(made_.size(), shape_->tape().cells));
  made_[Tape::kAtOnce] = 0;
  const auto& costs = in_->virtualStages;
  for (size_t vs = 0; vs < costs.size(); ++vs) {
    const VirtualStageCost& c = costs[vs];
    const bool last = vs + 1 == costs.size();
    const double sent = last ? 0 : std::max(0., in_->inlineSend * c.send),
                 sentBack = vs == 0 ? 0 : std::max(0., in_->inlineSend * c.sendBack);
    const double arriving = vs == 0 ? 0 : costs[vs - 1].send, arrivingBack = last ? 0 : costs[vs + 1].sendBack;
    for (size_t r = 0; r < routes_; ++r) {
      Plain* const of = &plains_[(vs * routes_ + r) * kKinds];
      of[static_cast<size_t>(ActionKind::Forward)] = {arriving, c.forward.seconds, sent};
      of[static_cast<size_t>(ActionKind::Backward)] = {arrivingBack, c.backward.seconds, sentBack};
      of[static_cast<size_t>(ActionKind::BackwardInput)] = {arrivingBack, c.backward.seconds - c.backward.weight,
                                                            sentBack};
      of[static_cast<size_t>(ActionKind::BackwardWeight)] = {0, c.backward.weight, 0};
    }
  }
}

void PipelineRun::replay() {
  const Tape& tape = shape_->tape();
  lanes_.assign(stages_.size(), {});
  for (size_t s = 0; s < stages_.size(); ++s) lanes_[s].free = stages_[s].free;
  size_t from = 0;
  for (const Tape::Edge& edge : tape.edges) {
    const VirtualStageCost& cost = in_->virtualStages[edge.slot / routes_];
    if ((edge.forward ? cost.gathers : cost.reductions).total <= 0) continue;
    replay(from, edge.step);
    replayEdge(edge);
    from = edge.step + size_t{1};
  }
  replay(from, tape.steps.size());
  for (size_t s = 0; s < stages_.size(); ++s)
    stages_[s].free = lanes_[s].free, idle(s) = lanes_[s].idle, busy(s) = lanes_[s].busy;
  bookSent();
}

void PipelineRun::replay(size_t from, size_t to) {
  const Tape::Step* const steps = shape_->tape().steps.data();
  double* const made = made_.data();
  const Plain* const plains = plains_.data();
  Lane* const lanes = lanes_.data();
  for (size_t i = from; i < to; ++i) {
    const Tape::Step& step = steps[i];
    const Plain& work = plains[step.work];
    Lane& stage = lanes[step.stage];
    const double arrival = made[step.in] + work.latency;
    stage.idle += std::max(0.0, arrival - stage.free);
    stage.busy += work.seconds;
    const double end = std::max(stage.free, arrival) + work.seconds;
    made[step.out] = end;
    stage.free = end + work.sending;
  }
}

/// Communication of the step around a pass.
void PipelineRun::replayEdge(const Tape::Edge& edge) {
  const Tape::Step& step = shape_->tape().steps[edge.step];
  const Plain& work = plains_[step.work];
  Lane& stage = lanes_[step.stage];
  const double arrival = made_[step.in] + work.latency, start = std::max(stage.free, arrival);
  stage.idle += std::max(0.0, arrival - stage.free);
  stage.busy += work.seconds;
  const double end = start + work.seconds;
  const PassDelay delay =
      edge.forward ? afterGathers(edge.slot, start, end) : beginReductions(step.stage, edge.slot, start, end);
  book(step.stage, edge.slot, edge.forward, delay);
  const double made = end + delay.sum();
  made_[step.out] = made;
  stage.free = made + work.sending;
}

/// What senders are held by, one transfer after the other.
void PipelineRun::bookSent() {
  double each = 0, sum = 0;
  uint32_t of = 0; // as many transfers of `each` make `sum`
  const auto sumOf = [&](double seconds, uint32_t transfers) {
    if (seconds != each || transfers != of) {
      each = seconds, of = transfers, sum = 0;
      for (uint32_t i = 0; i < transfers; ++i) sum += seconds;
    }
    return sum;
  };
  const std::vector<uint32_t>& passes = shape_->tape().passes;
  for (const bool backward : {false, true})
    for (size_t slot = 0; slot < slots_; ++slot) {
      const double sending =
          plains_[slot * kKinds + static_cast<size_t>(backward ? ActionKind::Backward : ActionKind::Forward)].sending;
      booked(slot, backward ? Cause::SendBack : Cause::Send) = sumOf(sending, passes[2 * slot + (backward ? 1 : 0)]);
    }
}

} // namespace planc::cost
