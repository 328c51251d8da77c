// How a step begins, and the times of the stages when it has ended.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/pipeline/StepState.h"

#include <numeric>

namespace planc::cost {

void StepState::prepare(const PipelineInput& in, const PipelineShape& shape) {
  in_ = &in, shape_ = &shape, routes_ = shape.routes();
  const size_t slots = shape.slots();
  stages.resize(shape.stages());
  bookedAt_ = 3 * stages.size(), sharesAt_ = bookedAt_ + slots * kCauses;
  gathered_.resize(slots), gathering_.resize(slots), reducing_.resize(slots), byWeights_.assign(slots, false);
  together_.clear(), togetherFrom_.clear();
  if (shape.pairs()) {
    togetherFrom_.push_back(0);
    for (size_t s = 0; s < stages.size(); ++s)
      togetherFrom_.push_back(togetherFrom_.back() + shape.holds(s).size() * shape.holds(s).size());
    together_.resize(togetherFrom_.back());
  }
  sums.resize(sharesAt_ + together_.size());
}

/// The new parameters of a stage arrive one virtual stage after the other. Gathers that are inline come first.
void StepState::begin(const std::vector<double>& begins) {
  std::fill(sums.begin(), sums.end(), 0.);
  for (Together& pair : together_) pair.met = false;
  for (size_t s = 0; s < stages.size(); ++s) {
    stages[s] = {};
    stages[s].number = s, stages[s].spent = &sums[3 * s];
    stages[s].begin = stages[s].free = begins[s];
  }
  const auto eachSlot = [&](auto visit) {
    for (size_t r = 0; r < routes_; ++r)
      for (size_t vs = 0; vs < in_->virtualStages.size(); ++vs)
        visit(stages[static_cast<size_t>(in_->devices[vs][r])], vs * routes_ + r, in_->virtualStages[vs]);
  };
  eachSlot([&](Stage& stage, size_t slot, const VirtualStageCost& cost) {
    stage.meets.add(cost.meets);
    stage.free += booked(slot, Cause::Gathers) = cost.gathers.inlined;
  });
  for (Stage& stage : stages) stage.gathered = stage.free;
  eachSlot([&](Stage& stage, size_t slot, const VirtualStageCost& cost) {
    gathering_[slot] = cost.gathers.total;
    gathered_[slot] = stage.gathered += gathering_[slot];
  });
}

const StepState::Together& StepState::togetherOf(const Stage& stage, size_t forwardSlot, size_t backwardSlot,
                                                 double apart) {
  Together& pair = together_[togetherFrom_[stage.number] + shape_->holdOf(forwardSlot) * holds(stage).size() +
                             shape_->holdOf(backwardSlot)];
  if (pair.met) return pair;
  pair.met = true;
  pair.forwardStage = static_cast<int64_t>(forwardSlot / routes_);
  pair.backwardStage = static_cast<int64_t>(backwardSlot / routes_);
  const auto priced = in_->pairs.find({pair.forwardStage, pair.backwardStage});
  pair.cost = priced == in_->pairs.end() ? PairCost{apart, apart, apart} : priced->second;
  return pair;
}

std::vector<StageTimes> StepState::times() {
  std::vector<StageTimes> times(stages.size());
  for (Stage& stage : stages) {
    StageTimes& t = times[stage.number];
    t.begin = stage.begin;
    t.end = stage.free;
    t.trailing = std::max(0.0, std::max(stage.tail.until, stage.reductions.until) - stage.free);
    bookTrailing(stage, t.trailing);
    const double sent = stage.meets.inlined ? std::max(0.0, stage.port - stage.free - t.trailing) : 0;
    t.trailing += sent, stage.portWaits() += sent;
    t.busy = stage.busy();
    t.idle = stage.idle();
    if (!together_.empty())
      for (size_t i = togetherFrom_[stage.number]; i < togetherFrom_[stage.number + 1]; ++i)
        if (together_[i].met)
          t.together[{together_[i].forwardStage, together_[i].backwardStage}] += sums[sharesAt_ + i];
    t.holds.reserve(holds(stage).size());
    for (const uint32_t slot : holds(stage)) {
      HeldStage& held = t.holds.emplace_back();
      held.virtualStage = static_cast<int64_t>(slot / routes_);
      held.lastWeights = byWeights_[slot];
      std::copy_n(&booked(slot, Cause{}), kCauses, held.booked.begin());
    }
    const double more = bookPortWaits(*in_, stage.portWaits(), stage.tail.until > 0, t.holds);
    if (more > 0) t.holds[shape_->holdOf(stage.tailSlot)].booked[stage.tailCause] += more;
  }
  return times;
}

double StageTimes::booked(Cause cause) const {
  double sum = 0;
  for (const HeldStage& h : holds) sum += h.booked[cause];
  return sum;
}

double StageTimes::booked() const {
  double sum = 0;
  for (const HeldStage& h : holds) sum += std::accumulate(h.booked.begin(), h.booked.end(), 0.0);
  return sum;
}

} // namespace planc::cost
