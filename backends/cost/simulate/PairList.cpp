// Two passes scheduled as lists.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/PairList.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace planc::cost {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
/// Runs of equal instances up to this long are scheduled one by one.
constexpr int64_t kExactInPairs = 8;
/// Two moments go on alike if their times differ by less than this share of what lies between them.
constexpr double kSameMoment = 1e-11;

/// One of the two passes: its instances one after the other, the tasks of each stream in their order.
class PairLane {
public:
  PairLane(const ir::Schedule& schedule, const std::vector<ClassCost>& costs, const ir::StageKind& stage, bool backward)
      : schedule_(schedule), costs_(costs), backward_(backward), runs_(stage.classes) {
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

  /// Runs the next task of a stream. A collective is one task: its readers wait for all of it, since it is the other
  /// lane that computes meanwhile, whichever share is inline elsewhere.
  Ran perform(size_t stream, double start) {
    const uint32_t t = queues_[stream][heads_[stream]++];
    const ir::Task& task = segment().tasks[t];
    const double end = ends_[t] = start + cost().nodes[task.node].seconds;
    if (continues(t + 1)) ends_[t + 1] = end;
    const Ran ran{start, end, runs_[run_].first, backward_, task.node, nodes()[task.node].isCollective()};
    last_ = std::max(last_, ran.end);
    if (--left_ == 0) step();
    return ran;
  }

  double last() const { return last_; }
  /// With what was left out.
  double length() const { return last_ + skipped_; }

  size_t run() const { return run_; }
  int64_t instance() const { return instance_; }
  double instanceBegin() const { return instanceBegin_; }
  bool isLong() const {
    return std::any_of(runs_.begin(), runs_.end(), [](const auto& run) { return run.second > kExactInPairs; });
  }
  /// Instances of the run behind the one that runs.
  int64_t behind() const { return done() ? 0 : runs_[run_].second - instance_ - 1; }
  /// Skips this many instances, which take this many seconds.
  void skip(int64_t instances, double seconds) { runs_[run_].second -= instances, skipped_ += seconds; }

  /// The state that decides how it goes on, times from `base`; those before `floor` are all alike.
  void addState(std::vector<double>& state, double base, double floor) const {
    if (done()) return;
    state.push_back(instanceBegin_ - base);
    for (size_t head : heads_) state.push_back(static_cast<double>(head));
    for (double end : ends_) state.push_back(end < 0 ? kNever : std::max(end, floor) - base);
    state.push_back(last_ - base);
  }

private:
  const ir::Segment& segment() const {
    return (backward_ ? schedule_.backward : schedule_.forward)[runs_[run_].first.index];
  }
  const std::vector<ir::Node>& nodes() const {
    const ir::LayerClass& layerClass = schedule_.program->classes[runs_[run_].first];
    return backward_ ? layerClass.backward : layerClass.forward;
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

  /// Returns whether a task is the part of the collective before it that is not inline.
  bool continues(uint32_t t) const {
    const auto& tasks = segment().tasks;
    return t > 0 && t < tasks.size() && tasks[t].node == tasks[t - 1].node;
  }

  void queue() {
    const auto& tasks = segment().tasks;
    for (auto& q : queues_) q.clear();
    left_ = 0;
    for (uint32_t t = 0; t < tasks.size(); ++t) {
      if (continues(t)) continue;
      ++left_;
      const ir::Collective* c = nodes()[tasks[t].node].asCollective();
      const bool communicates = c && c->cls != ir::CollectiveClass::Statistic;
      const size_t stream = communicates ? static_cast<size_t>(ir::streamOf(*schedule_.program, c->level)) + 1 : 0;
      if (stream >= queues_.size()) queues_.resize(stream + 1);
      queues_[stream].push_back(t);
    }
    heads_.assign(queues_.size(), 0);
    ends_.assign(tasks.size(), -1);
  }

  const ir::Schedule& schedule_;
  const std::vector<ClassCost>& costs_;
  bool backward_;
  std::vector<std::pair<ir::LayerClassId, int64_t>> runs_;
  size_t run_ = 0;
  int64_t instance_ = 0;
  double instanceBegin_ = 0, last_ = 0, skipped_ = 0;
  std::vector<std::vector<uint32_t>> queues_; ///< tasks of the instance by stream; the first computes
  std::vector<size_t> heads_;
  std::vector<double> ends_;
  size_t left_ = 0;
};

/// Finds moments at which both lanes stand as they stood before, and leaves out the periods that follow (Brent, BIT 20,
/// 1980: one earlier moment is held, and replaced by a later one each time that twice as many have passed).
class Rhythm {
public:
  Rhythm(PairLane& forward, PairLane& backward, Tracks& tracks)
      : forward_(forward), backward_(backward), tracks_(tracks) {}

  /// After every task: looks where the lane that leads, forward as long as there is any, has begun an instance.
  void observe() {
    const PairLane& leads = forward_.done() ? backward_ : forward_;
    if (leads.done() || (leads.run() == run_ && leads.instance() == instance_ && &leads == leads_)) return;
    if (&leads != leads_ || leads.run() != run_) held_.state.clear();
    leads_ = &leads, run_ = leads.run(), instance_ = leads.instance();
    Moment now = moment(leads.instanceBegin());
    if (!held_.state.empty() && alike(held_, now) && leaveOut(held_, now)) {
      held_.state.clear();
      return;
    }
    if (held_.state.empty() || ++since_ == twice_) {
      twice_ = held_.state.empty() ? 1 : 2 * twice_;
      held_ = std::move(now), since_ = 0;
    }
  }

private:
  struct Moment {
    double at = 0;
    size_t forwardRun = 0, backwardRun = 0;
    int64_t forwardInstance = 0, backwardInstance = 0;
    std::vector<size_t> ran; ///< tasks, by stream
    std::vector<double> state;
  };

  Moment moment(double at) const {
    Moment m{at, forward_.run(), backward_.run(), forward_.instance(), backward_.instance(), {}, {}};
    double floor = at; // nothing that is still to run starts before
    if (!backward_.done()) floor = std::min(floor, backward_.instanceBegin());
    for (const auto& tasks : tracks_) {
      m.ran.push_back(tasks.size());
      m.state.push_back((tasks.empty() ? floor : std::max(tasks.back().end, floor)) - at);
    }
    forward_.addState(m.state, at, floor);
    backward_.addState(m.state, at, floor);
    return m;
  }

  static bool alike(const Moment& a, const Moment& b) {
    if (a.forwardRun != b.forwardRun || a.backwardRun != b.backwardRun || a.state.size() != b.state.size() ||
        a.ran.size() != b.ran.size())
      return false;
    const double rounding = kSameMoment * (b.at - a.at);
    for (size_t i = 0; i < a.state.size(); ++i)
      if (a.state[i] != b.state[i] && !(std::fabs(a.state[i] - b.state[i]) <= rounding)) return false;
    return true;
  }

  /// Skips as many periods as both lanes have left in full: the tasks of one period stand for all of them.
  bool leaveOut(const Moment& before, const Moment& now) {
    int64_t periods = std::numeric_limits<int64_t>::max();
    const auto limit = [&](const PairLane& lane, int64_t instances) {
      if (!lane.done() && instances > 0) periods = std::min(periods, lane.behind() / instances);
    };
    const int64_t f = now.forwardInstance - before.forwardInstance, b = now.backwardInstance - before.backwardInstance;
    limit(forward_, f);
    limit(backward_, b);
    if (periods < 1) return false;
    const double seconds = (now.at - before.at) * static_cast<double>(periods);
    if (!forward_.done()) forward_.skip(f * periods, seconds);
    if (!backward_.done()) backward_.skip(b * periods, seconds);
    for (size_t s = 0; s < tracks_.size(); ++s)
      for (size_t t = before.ran[s]; t < now.ran[s]; ++t) tracks_[s][t].times += static_cast<double>(periods);
    return true;
  }

  PairLane &forward_, &backward_;
  Tracks& tracks_;
  const PairLane* leads_ = nullptr;
  size_t run_ = 0;
  int64_t instance_ = -1;
  Moment held_;
  int64_t since_ = 0, twice_ = 1;
};

/// Both lanes on shared streams: what can start first does, of two that could what was ready first, backward on a tie.
Tracks together(PairLane& forward, PairLane& backward, Strides strides) {
  Tracks tracks;
  Rhythm rhythm(forward, backward, tracks);
  const bool looks = strides == Strides::Taken && (forward.isLong() || backward.isLong());
  while (!forward.done() || !backward.done()) {
    tracks.resize(std::max({tracks.size(), forward.streams(), backward.streams()}));
    double start = kNever, since = kNever;
    PairLane* next = nullptr;
    size_t stream = 0;
    for (PairLane* lane : {&backward, &forward})
      for (size_t s = 0; s < lane->streams(); ++s) {
        const double ready = lane->ready(s), at = std::max(tracks[s].empty() ? 0 : tracks[s].back().end, ready);
        if (at < start || (at == start && at < kNever && ready < since))
          start = at, since = ready, next = lane, stream = s;
      }
    if (!next) break; // program order is a topological order: cannot happen
    tracks[stream].push_back(next->perform(stream, start));
    if (looks) rhythm.observe();
  }
  return tracks;
}

} // namespace

PairList listPair(const ir::Schedule& schedule, const std::vector<ClassCost>& costs, const ir::StageKind& forward,
                  const ir::StageKind& backward, Strides strides) {
  PairLane f(schedule, costs, forward, false), b(schedule, costs, backward, true);
  PairList list;
  list.tracks = together(f, b, strides);
  list.forward = f.length(), list.backward = b.length();
  list.lastForward = f.last(), list.lastBackward = b.last();
  return list;
}

} // namespace planc::cost
