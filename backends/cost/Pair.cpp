// List scheduling of two passes on one compute stream and the comm streams (docs/cost-model.md, section 3.2).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/Pair.h"

#include <algorithm>
#include <limits>

namespace planc::cost {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// One of the two passes: its instances one after the other, the tasks of each stream in their order.
class Lane {
public:
  Lane(const ir::Schedule& schedule, const std::vector<BodyCost>& costs, const ir::VirtualStage& stage, bool backward)
      : schedule_(schedule), costs_(costs), backward_(backward), runs_(stage.bodies) {
    if (backward) std::reverse(runs_.begin(), runs_.end());
    begin();
  }

  size_t streams() const { return heads_.size(); }
  bool done() const { return run_ == runs_.size(); }

  /// When the next task of a stream can start, as far as it is known.
  double ready(size_t stream) const {
    if (done() || stream >= heads_.size() || heads_[stream] == queues_[stream].size()) return kNever;
    double at = instanceBegin_;
    for (uint32_t d : segment().tasks[queues_[stream][heads_[stream]]].deps) {
      if (ends_[d] < 0) return kNever;
      at = std::max(at, ends_[d]);
    }
    return at;
  }

  /// Runs the next task of a stream; gives its end.
  double perform(size_t stream, double start) {
    const uint32_t t = queues_[stream][heads_[stream]++];
    const ir::Task& task = segment().tasks[t];
    const double end = ends_[t] = start + cost().nodes[task.node].seconds * task.fraction;
    last_ = std::max(last_, end);
    if (--left_ == 0) step();
    return end;
  }

  double last() const { return last_; }

private:
  const ir::Segment& segment() const {
    return (backward_ ? schedule_.backward : schedule_.forward)[runs_[run_].first.index];
  }
  const SegmentCost& cost() const { return costs_[runs_[run_].first.index].of(backward_); }

  void step() {
    ++instance_;
    begin();
  }

  /// The next instance that has tasks.
  void begin() {
    instanceBegin_ = last_;
    for (; !done(); ++run_, instance_ = 0)
      if (instance_ < runs_[run_].second && !segment().tasks.empty()) return queue();
  }

  void queue() {
    const auto& tasks = segment().tasks;
    const ir::Body& body = schedule_.program->bodies[segment().body];
    const auto& nodes = backward_ ? body.backward : body.forward;
    for (auto& q : queues_) q.clear();
    for (uint32_t t = 0; t < tasks.size(); ++t) {
      const ir::Node& node = nodes[tasks[t].node];
      const bool communicates = node.kind == ir::NodeKind::Collective && node.cls != ir::CollectiveClass::Statistic;
      const size_t stream = communicates ? node.level + 1 : 0;
      if (stream >= queues_.size()) queues_.resize(stream + 1);
      queues_[stream].push_back(t);
    }
    heads_.assign(queues_.size(), 0);
    ends_.assign(tasks.size(), -1);
    left_ = tasks.size();
  }

  const ir::Schedule& schedule_;
  const std::vector<BodyCost>& costs_;
  bool backward_;
  std::vector<std::pair<ir::BodyId, int64_t>> runs_;
  size_t run_ = 0;
  int64_t instance_ = 0;
  double instanceBegin_ = 0, last_ = 0;
  std::vector<std::vector<uint32_t>> queues_; ///< tasks of the instance by stream; the first computes
  std::vector<size_t> heads_;
  std::vector<double> ends_;
  size_t left_ = 0;
};

/// Both lanes on shared streams: what can start first does, of two that could what was ready first, backward on a tie.
/// Gives the end.
double together(Lane& forward, Lane& backward, double& computing, double& communicating) {
  std::vector<double> free;
  while (!forward.done() || !backward.done()) {
    free.resize(std::max({free.size(), forward.streams(), backward.streams()}), 0);
    double start = kNever, since = kNever;
    Lane* next = nullptr;
    size_t stream = 0;
    for (Lane* lane : {&backward, &forward})
      for (size_t s = 0; s < lane->streams(); ++s) {
        const double ready = lane->ready(s), at = std::max(free[s], ready);
        if (at < start || (at == start && at < kNever && ready < since))
          start = at, since = ready, next = lane, stream = s;
      }
    if (!next) break; // program order is a topological order: cannot happen
    free[stream] = next->perform(stream, start);
    (stream == 0 ? computing : communicating) += free[stream] - start;
  }
  return std::max(forward.last(), backward.last());
}

double hostSeconds(const std::vector<BodyCost>& costs, const ir::VirtualStage& stage, bool backward) {
  double seconds = 0;
  for (const auto& [id, count] : stage.bodies)
    seconds += costs[id.index].of(backward).host * static_cast<double>(count);
  return seconds;
}

} // namespace

PairCost pairCost(const ir::Schedule& schedule, const std::vector<BodyCost>& costs, const ir::VirtualStage& forward,
                  const Passage& forwardPassage, const ir::VirtualStage& backward, const Passage& backwardPassage) {
  Lane f(schedule, costs, forward, false), b(schedule, costs, backward, true);
  double computing = 0, communicating = 0;
  const double listed = together(f, b, computing, communicating);
  const double beside = std::min(computing, std::max(0.0, computing + communicating - listed));
  double seconds = listed + schedule.slowdown * beside;
  seconds = std::max(seconds, hostSeconds(costs, forward, false) + hostSeconds(costs, backward, true));
  // What gathers and reductions of states add to the passes, they add to the pair.
  seconds += forwardPassage.seconds - forwardPassage.alone + backwardPassage.seconds - backwardPassage.alone;
  seconds = std::min(seconds, forwardPassage.seconds + backwardPassage.seconds);
  if (listed <= 0) return {seconds, seconds, seconds};
  return {seconds, seconds * (f.last() / listed), seconds * (b.last() / listed)};
}

} // namespace planc::cost
