// The steady state of a pipeline: periods that repeat are counted, not simulated.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/PipelineRun.h"

#include <algorithm>
#include <cmath>

namespace planc::cost {
using ir::ActionKind;

namespace {

/// Periods of a steady state are equal if they differ by less than this share of the time so far: rounding.
constexpr double kSamePeriod = 1e-12;
/// Rounds after which a steady state that has not come is not waited for.
constexpr int kRounds = 256;

} // namespace

/// Rounds of one period on every stage, until all actions of the last rounds end one and the same time after those of
/// the round before. What an action waits for lies within these rounds, so all rounds that follow are as far apart,
/// to the end of the stretch: they need no simulation.
void PipelineRun::stride(const SteadyOrders& steady) {
  recording_ = true;
  forwardRound_.assign(cells(), 0);
  backwardRound_.assign(cells(), 0);
  Cuts cuts;
  for (round_ = 0; round_ < kRounds; ++round_) {
    for (size_t s = 0; s < stages_.size(); ++s) {
      const Stretch& stretch = steady.stages[s];
      stages_[s].limit = stretch.begin + static_cast<size_t>(round_ + 1) * stretch.length;
      if (stages_[s].limit + 2 * stretch.length > stretch.end) return release();
    }
    const std::vector<StageSums> before = sums();
    settle();
    auto& cut = cuts.emplace_back();
    for (const Stage& stage : stages_) cut.push_back(stage.next);
    if (round_ == 0) continue;
    const size_t window = reach(cuts);
    if (window >= cuts.size()) continue;
    if (const double period = periodOver(steady, cuts, window); period >= 0) {
      leap(steady, period, before);
      return release();
    }
  }
  release();
}

void PipelineRun::release() {
  recording_ = false;
  for (size_t s = 0; s < stages_.size(); ++s) {
    stages_[s].limit = actions_[s].size();
    stages_[s].ends = {};
  }
}

std::vector<StageSums> PipelineRun::sums() const {
  std::vector<StageSums> all;
  for (const Stage& stage : stages_) all.push_back(stage.sums);
  return all;
}

/// The round in which what an action receives was made.
int PipelineRun::sentIn(const Action& a) {
  const int64_t vs = a.virtualStage, mb = a.microBatch;
  if (a.kind == ActionKind::Forward) return vs == 0 ? round_ : at(forwardRound_, vs - 1, mb);
  if (a.kind == ActionKind::BackwardWeight) return at(backwardRound_, vs, mb);
  return vs == last_ ? at(forwardRound_, vs, mb) : at(backwardRound_, vs + 1, mb);
}

/// How many rounds the actions of the last one reach back, and one more.
size_t PipelineRun::reach(const Cuts& cuts) {
  int oldest = round_;
  for (size_t s = 0; s < stages_.size(); ++s)
    for (size_t i = cuts[cuts.size() - 2][s]; i < cuts.back()[s]; ++i)
      oldest = std::min(oldest, sentIn(actions_[s][i]));
  return static_cast<size_t>(round_ - oldest) + 1;
}

/// The time between the last rounds, if it is one; else negative.
double PipelineRun::periodOver(const SteadyOrders& steady, const Cuts& cuts, size_t window) const {
  double period = kNotYet;
  for (size_t s = 0; s < stages_.size(); ++s) {
    const size_t length = steady.stages[s].length, first = cuts[cuts.size() - 1 - window][s];
    if (first < steady.stages[s].begin + length) return kNotYet;
    for (size_t c = cuts.size() - window; c < cuts.size(); ++c)
      if (cuts[c][s] - cuts[c - 1][s] != length) return kNotYet;
    const std::vector<double>& ends = stages_[s].ends;
    if (period < 0) period = ends.back() - ends[ends.size() - 1 - length];
    for (size_t i = first; i < cuts.back()[s]; ++i)
      if (std::fabs(ends[i] - ends[i - length] - period) > kSamePeriod * ends[i]) return kNotYet;
  }
  return period;
}

/// All periods but the last, in which the step's reductions begin.
void PipelineRun::leap(const SteadyOrders& steady, double period, const std::vector<StageSums>& before) {
  size_t periods = SIZE_MAX;
  for (size_t s = 0; s < stages_.size(); ++s)
    periods = std::min(periods, (steady.stages[s].end - stages_[s].next) / steady.stages[s].length);
  if (periods < 2) return;
  --periods;
  const double n = static_cast<double>(periods);
  for (size_t s = 0; s < stages_.size(); ++s) {
    Stage& stage = stages_[s];
    const size_t length = steady.stages[s].length;
    for (const size_t to = stage.next + periods * length; stage.next < to; ++stage.next) {
      const Action& a = actions_[s][stage.next];
      stage.ends.push_back(stage.ends[stage.next - length] + period);
      if (a.kind == ActionKind::Forward)
        at(forward_, a.virtualStage, a.microBatch) = stage.ends.back();
      else if (a.kind != ActionKind::BackwardWeight)
        at(backward_, a.virtualStage, a.microBatch) = stage.ends.back();
      if (a.kind == ActionKind::Backward || a.kind == ActionKind::BackwardWeight) --remaining_[slot(a)];
    }
    stage.free += n * period;
    if (stage.commFree > 0) stage.commFree += n * period;
    StageSums round = stage.sums;
    round.add(before[s], -1);
    stage.sums.add(round, n);
  }
}

} // namespace planc::cost
