// The chain of instances of a virtual stage (docs/cost-model.md, section 2.4).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/Passage.h"

#include <algorithm>
#include <cmath>

namespace planc::cost {

namespace {

/// Runs of equal instances up to this long are simulated one by one.
constexpr int64_t kExactInstances = 8;
/// Two instances keep the same rhythm if they differ by less than this share.
constexpr double kSameRhythm = 1e-9;

/// Reductions, and copies to the host, wait for their instance to end; what brings something comes before it.
bool after(const ir::StateCollective& state) {
  return state.collective == ir::CollectiveKind::HostCopy ? state.out : state.cls == ir::CollectiveClass::Gradient;
}

bool everyMicroBatch(const ir::StateCollective& state, bool backward) {
  return state.phase == (backward ? ir::Phase::Backward : ir::Phase::Forward);
}

/// Gathers of a state are issued `prefetch` instances ahead, reductions when their instance has ended; the inline share
/// of both occupies the compute stream.
class Chain {
public:
  Chain(const ir::Schedule& schedule, const std::vector<BodyCost>& costs,
        std::vector<std::pair<ir::BodyId, int64_t>> runs, bool backward)
      : schedule_(schedule), costs_(costs), runs_(std::move(runs)), backward_(backward), streams_(schedule.slowdown) {
    for (const auto& [id, count] : runs_) {
      tagBase_.push_back(tags_);
      tags_ += static_cast<int32_t>(body(id).states.size());
    }
    skipped_.assign(static_cast<size_t>(tags_), 0);
  }

  void simulate(Passage& out);

private:
  using TaskId = Streams::TaskId;
  struct Cursor {
    size_t run = 0;
    int64_t offset = 0;
  };
  const ir::Body& body(ir::BodyId id) const { return schedule_.program->bodies[id]; }
  const ir::Segment& segment(ir::BodyId id) const {
    return (backward_ ? schedule_.backward : schedule_.forward)[id.index];
  }
  const std::vector<ir::Node>& nodes(ir::BodyId id) const { return backward_ ? body(id).backward : body(id).forward; }
  double inlineShare(const ir::StateCollective& s) const { return schedule_.inlineShare[static_cast<size_t>(s.cls)]; }
  bool atEnd(const Cursor& c) const { return c.run == runs_.size(); }
  void step(Cursor& c) const {
    for (++c.offset; !atEnd(c) && c.offset >= runs_[c.run].second; ++c.run) c.offset = 0;
  }

  void waitFor(std::vector<TaskId> after);
  void begin();
  void gather(std::span<const TaskId> after);
  std::vector<TaskId> runInstance(ir::BodyId id, size_t run);
  void reduce(ir::BodyId id, size_t run, std::vector<TaskId>& last);
  void observe();
  std::vector<double> exposures() const;
  template <class F> void eachState(size_t run, bool reductions, F f) const {
    const auto& states = body(runs_[run].first).states;
    for (size_t s = 0; s < states.size(); ++s)
      if (everyMicroBatch(states[s], backward_) && after(states[s]) == reductions)
        f(states[s], costs_[runs_[run].first.index].states[s], tagBase_[run] + static_cast<int32_t>(s));
  }

  const ir::Schedule& schedule_;
  const std::vector<BodyCost>& costs_;
  std::vector<std::pair<ir::BodyId, int64_t>> runs_;
  bool backward_;
  Streams streams_;
  std::vector<int32_t> tagBase_;
  int32_t tags_ = 0;
  Cursor next_, ahead_;                       ///< the instance to begin, the one whose gathers are issued next
  std::vector<std::vector<TaskId>> gathered_; ///< comm parts of gathers of the instances that have not begun
  size_t gatheredHead_ = 0;
  double end_ = 0;
  // The rhythm of the current run.
  int64_t same_ = 0;
  double lastBegin_ = 0, lastPeriod_ = -1, lastBacklog_ = -1;
  std::vector<double> lastExposed_;
  double skippedTime_ = 0;
  std::vector<double> skipped_;
};

/// The marker at which the next instance begins: its gathers have arrived and everything before has ended.
void Chain::waitFor(std::vector<TaskId> after) {
  if (atEnd(next_)) {
    streams_.addMarker(after, 0, [this] { end_ = streams_.now(); });
    return;
  }
  if (gatheredHead_ == gathered_.size()) gather(after); // no prefetch: issued when it is needed
  const auto& arrived = gathered_[gatheredHead_++];
  after.insert(after.begin(), arrived.begin(), arrived.end());
  const SegmentCost& cost = costs_[runs_[next_.run].first.index].of(backward_);
  streams_.addMarker(after, schedule_.slowdown * cost.computing, [this] { begin(); });
}

/// Issues the gathers of the instance at `ahead_`.
void Chain::gather(std::span<const TaskId> after) {
  auto& arrived = gathered_.emplace_back();
  eachState(ahead_.run, false, [&](const ir::StateCollective& s, double seconds, int32_t tag) {
    const double rest = seconds * (1 - inlineShare(s));
    if (rest > 0) arrived.push_back(streams_.add(static_cast<ir::Stream>(s.level), rest, after, tag));
  });
  step(ahead_);
}

std::vector<Streams::TaskId> Chain::runInstance(ir::BodyId id, size_t run) {
  const SegmentCost& cost = costs_[id.index].of(backward_);
  std::vector<TaskId> last;
  eachState(run, false, [&](const ir::StateCollective& s, double seconds, int32_t tag) {
    if (inlineShare(s) > 0)
      last = {streams_.add(ir::kComputeStream, seconds * inlineShare(s), {}, tag, Occupies::Holding)};
  });
  double holding = cost.padding;
  if (cost.overlaps) {
    const TaskId start = streams_.addMarker({}, schedule_.slowdown * cost.computing);
    last = addInstance(streams_, nodes(id), segment(id), cost, start, /*tagged=*/false);
  } else {
    last = {streams_.add(ir::kComputeStream, cost.computing, {})};
    holding = cost.seconds - cost.computing;
  }
  if (holding > 0) last.push_back(streams_.add(ir::kComputeStream, holding, last, Streams::kNoTag, Occupies::Holding));
  return last;
}

void Chain::reduce(ir::BodyId, size_t run, std::vector<TaskId>& last) {
  std::vector<TaskId> complete = last;
  eachState(run, true, [&](const ir::StateCollective& s, double seconds, int32_t tag) {
    const double share = inlineShare(s);
    if (share > 0) last.push_back(streams_.add(ir::kComputeStream, seconds * share, complete, tag, Occupies::Holding));
    if (share < 1) streams_.add(static_cast<ir::Stream>(s.level), seconds * (1 - share), complete, tag);
  });
}

void Chain::begin() {
  const size_t run = next_.run;
  const ir::BodyId id = runs_[run].first;
  observe();
  if (schedule_.prefetch > 0 && !atEnd(ahead_)) gather({});
  std::vector<TaskId> last = runInstance(id, run);
  reduce(id, run, last);
  step(next_);
  waitFor(std::move(last));
}

std::vector<double> Chain::exposures() const {
  std::vector<double> all = streams_.occupied();
  all.resize(static_cast<size_t>(tags_));
  return all;
}

/// Skips the rest of a run once its instances begin in a steady rhythm: same period, same work queued on the comm
/// streams.
void Chain::observe() {
  const double period = streams_.now() - lastBegin_, backlog = streams_.backlog();
  const bool inside = next_.offset > 0 && ahead_.run == next_.run;
  const bool steady = inside && std::fabs(period - lastPeriod_) <= kSameRhythm * period &&
                      std::fabs(backlog - lastBacklog_) <= kSameRhythm * period;
  same_ = steady ? same_ + 1 : 0;
  const std::vector<double> exposed = exposures();
  int64_t& count = runs_[next_.run].second;
  const int64_t keep = schedule_.prefetch + 2, left = count - ahead_.offset - keep;
  if (same_ > schedule_.prefetch + 2 && count > kExactInstances && left > 0) {
    count -= left;
    skippedTime_ += period * static_cast<double>(left);
    for (size_t t = 0; t < skipped_.size(); ++t)
      skipped_[t] += (exposed[t] - lastExposed_[t]) * static_cast<double>(left);
  }
  lastBegin_ = streams_.now();
  lastPeriod_ = period;
  lastBacklog_ = backlog;
  lastExposed_ = exposed;
}

void Chain::simulate(Passage& out) {
  lastExposed_.assign(static_cast<size_t>(tags_), 0);
  for (int64_t i = 0; i < schedule_.prefetch && !atEnd(ahead_); ++i) gather({});
  waitFor({});
  streams_.run();
  out.seconds = end_ + skippedTime_;
  out.tail = std::max(0.0, streams_.now() - end_);
  const std::vector<double> exposed = exposures();
  for (size_t r = 0; r < runs_.size(); ++r)
    for (size_t s = 0; s < body(runs_[r].first).states.size(); ++s) {
      const size_t tag = static_cast<size_t>(tagBase_[r]) + s;
      if (const double seconds = exposed[tag] + skipped_[tag]; seconds > 0)
        out.exposed.push_back({runs_[r].first, s, seconds});
    }
}

} // namespace

Passage runPassage(const ir::Schedule& schedule, const std::vector<BodyCost>& costs, const ir::VirtualStage& stage,
                   bool backward) {
  std::vector<std::pair<ir::BodyId, int64_t>> runs;
  for (const auto& run : stage.bodies)
    if (run.second > 0) runs.push_back(run);
  if (backward) std::reverse(runs.begin(), runs.end());
  Passage out;
  for (const auto& [id, count] : runs) {
    const SegmentCost& cost = costs[id.index].of(backward);
    out.alone += cost.seconds * static_cast<double>(count);
    out.weight += cost.weight * static_cast<double>(count);
    for (const ir::StateCollective& state : schedule.program->bodies[id].states)
      out.communicates |= everyMicroBatch(state, backward);
  }
  if (!runs.empty()) {
    out.first = costs[runs.front().first.index].of(backward).seconds;
    out.last = costs[runs.back().first.index].of(backward).seconds;
  }
  out.seconds = out.alone;
  if (out.communicates) Chain(schedule, costs, std::move(runs), backward).simulate(out);
  return out;
}

} // namespace planc::cost
