// The times of each stage after a step: its end, its waits and what they are booked on.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/pipeline/PipelineRun.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace planc::cost {

std::vector<StageTimes> PipelineRun::times() {
  std::vector<StageTimes> times(stages_.size());
  for (size_t s = 0; s < stages_.size(); ++s) {
    const Stage& stage = stages_[s];
    if (stage.next != stage.limit) throw std::logic_error("cost: the stages of the schedule wait for each other");
    StageTimes& t = times[s];
    t.begin = stage.begin;
    t.end = stage.free;
    t.trailing = std::max(0.0, std::max(stage.comm.until, stage.reduced.until) - stage.free);
    bookTrailing(s, t.trailing);
    const double sent = stage.meets.inlined ? std::max(0.0, stage.port - stage.free - t.trailing) : 0;
    t.trailing += sent;
    waitsForSends(s) += sent;
    spreadSends(s);
    t.busy = busy(s);
    t.idle = idle(s);
    if (!together_.empty())
      for (size_t i = togetherFrom_[s]; i < togetherFrom_[s + 1]; ++i)
        if (together_[i].met)
          t.together[{together_[i].forwardStage, together_[i].backwardStage}] += sums_[sharesAt_ + i];
    t.holds.reserve(holds(s).size());
    for (const uint32_t slot : holds(s)) {
      HeldStage& held = t.holds.emplace_back();
      held.virtualStage = static_cast<int64_t>(slot / routes_);
      held.lastWeights = byWeights_[slot];
      std::copy_n(sums_.begin() + static_cast<ptrdiff_t>(bookedAt_ + slot * kCauses), kCauses, held.booked.begin());
    }
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
