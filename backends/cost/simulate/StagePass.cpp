// The chain of instances of a virtual stage (docs/cost-model.md, section 2.4).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/StagePass.h"

#include "backends/cost/price/Buckets.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace planc::cost {

bool everyMicroBatch(const ir::StateCollective& state, bool backward) {
  return state.phase == (backward ? ir::Phase::Backward : ir::Phase::Forward);
}

bool oncePerStep(const ir::StateCollective& state) {
  return state.phase == ir::Phase::Step && endsBackward(state);
}

namespace {

/// Runs of equal instances up to this long are simulated one by one.
constexpr int64_t kExactInstances = 8;
/// The last layers of a run, up to this many, fill messages exactly; those before send their parts of a message at
/// once.
constexpr int64_t kFilledExactly = 512;
/// A message is full when less than this share of it is empty.
constexpr double kFull = 1e-9;
/// Two instances keep the same rhythm if they differ by less than this share.
constexpr double kSameRhythm = 1e-9;

/// Reductions, and copies to the host, wait for their instance to end; what brings something comes before it.
bool after(const ir::StateCollective& state) {
  return state.collective == ir::CollectiveKind::HostCopy ? state.out : state.cls == ir::CollectiveClass::Gradient;
}

/// What of a virtual stage runs.
enum class Part : uint8_t {
  Pass,       ///< one like all others
  Last,       ///< that which completes the gradients of the step
  LastWeights ///< of that, the half that makes the gradients of parameters
};

bool shareParameters(const ir::StateCollective& a, const ir::StateCollective& b) {
  return llvm::any_of(a.params, [&](ir::ValueId p) { return llvm::is_contained(b.params, p); });
}

/// Gathers of a state are issued `prefetch` layers ahead, reductions when their layer has ended; the blocking share of
/// both occupies the compute stream. An instance of several layers is a chain of as many equal shares of it.
class Chain {
public:
  Chain(const ir::Schedule& schedule, const std::vector<ClassCost>& costs,
        std::vector<std::pair<ir::LayerClassId, int64_t>> runs, bool backward, Part part)
      : schedule_(schedule), costs_(costs), runs_(std::move(runs)), backward_(backward), part_(part),
        streams_(schedule.slowdown, schedule.besides) {
    size_t end = 0;
    for (auto& [id, count] : runs_) {
      const SegmentCost& cost = costs_[id.index].of(backward_);
      const size_t states = body(id).states.size();
      tags_.push_back({end, end + states, end + states + (overlaps(cost) ? cost.nodes.size() : 0), count});
      end = tags_.back().rest + 1;
      const int64_t layers = layersOf(body(id));
      if (__builtin_mul_overflow(count, layers, &count)) count = std::numeric_limits<int64_t>::max();
      share_.push_back(1 / static_cast<double>(layers));
    }
    skipped_.resize(end);
    shares_.resize(runs_.size());
  }

  void simulate(StagePass& out);

private:
  using TaskId = Streams::TaskId;
  struct Cursor {
    size_t run = 0;
    int64_t offset = 0;
  };
  /// What a layer adds to a message.
  struct MessagePart {
    int32_t tag = 0;
    double seconds = 0;
    const ir::StateCollective* state = nullptr;
  };
  /// Reductions of one kind, and the message of them that layers fill one after the other.
  struct Reduction {
    const ir::StateCollective* like = nullptr;
    double full = 0; ///< share of the message
    std::vector<MessagePart> parts;
    std::vector<size_t> after;  ///< kinds that bring it the same gradients first
    std::optional<TaskId> sent; ///< the last of them
  };
  /// What the streams book by run: its state collectives, its nodes if they overlap, and the rest of its instances.
  struct Tags {
    size_t states = 0, nodes = 0, rest = 0;
    int64_t count = 0; ///< instances, skipped ones too
  };
  const ir::LayerClass& body(ir::LayerClassId id) const { return schedule_.program->classes[id]; }
  const ir::Segment& segment(ir::LayerClassId id) const {
    return (backward_ ? schedule_.backward : schedule_.forward)[id.index];
  }
  const std::vector<ir::Node>& nodes(ir::LayerClassId id) const {
    return backward_ ? body(id).backward : body(id).forward;
  }
  bool overlaps(const SegmentCost& cost) const { return cost.overlaps && part_ != Part::LastWeights; }
  /// What communication can slow.
  double computing(const SegmentCost& cost) const { return part_ == Part::LastWeights ? cost.weight : cost.computing; }
  bool moves(const ir::StateCollective& s) const {
    return (part_ != Part::LastWeights && everyMicroBatch(s, backward_)) || (part_ != Part::Pass && oncePerStep(s));
  }
  double blockingShare(const ir::StateCollective& s) const { return schedule_.blockingShare[s.cls]; }
  ir::Stream portOf(const ir::StateCollective& s) const { return ir::streamOf(*schedule_.program, s.level); }
  bool atEnd(const Cursor& c) const { return c.run == runs_.size(); }
  void step(Cursor& c) const {
    for (++c.offset; !atEnd(c) && c.offset >= runs_[c.run].second; ++c.run) c.offset = 0;
  }

  void waitFor(std::vector<TaskId> after);
  void begin();
  void gather(std::span<const TaskId> after);
  std::vector<TaskId> runInstance(ir::LayerClassId id, size_t run);
  void reduce(ir::LayerClassId id, size_t run, std::vector<TaskId>& last);
  Reduction& reductionOf(const ir::LayerClass& layer, const ir::StateCollective& s);
  void send(Reduction& reduction, std::span<const MessagePart> parts, const std::vector<TaskId>& complete,
            std::vector<TaskId>& last);
  void sendMessage(Reduction& reduction, const std::vector<TaskId>& complete, std::vector<TaskId>& last);
  void observe();
  std::vector<Spent> spentOn(size_t firstTag, size_t lastTag) const;
  void book(Account& account, size_t run, const std::vector<Spent>& spent) const;
  template <class F> void eachState(size_t run, bool reductions, F f) const {
    const auto& states = body(runs_[run].first).states;
    for (size_t s = 0; s < states.size(); ++s)
      if (moves(states[s]) && after(states[s]) == reductions)
        f(states[s], share_[run] * costs_[runs_[run].first.index].states[s],
          static_cast<int32_t>(tags_[run].states + s));
  }

  const ir::Schedule& schedule_;
  const std::vector<ClassCost>& costs_;
  std::vector<std::pair<ir::LayerClassId, int64_t>> runs_; ///< layers of each class
  std::vector<double> share_;                              ///< of an instance, by run
  bool backward_;
  Part part_;
  Streams streams_;
  std::vector<std::optional<Streams::Batch>> shares_; ///< by run: of an instance of several layers that overlap
  std::vector<Tags> tags_;                            ///< by run
  Cursor next_, ahead_;                               ///< the instance to begin, the one whose gathers are issued next
  std::vector<std::vector<TaskId>> gathered_;         ///< comm parts of gathers of the instances that have not begun
  size_t gatheredHead_ = 0;
  std::vector<Reduction> reductions_; ///< by kind
  double end_ = 0;
  std::vector<Spent> ended_; ///< by tag, until then
  // The rhythm of the current run.
  int64_t same_ = 0;
  double lastBegin_ = 0, lastPeriod_ = -1, lastBacklog_ = -1, lastFull_ = 0;
  std::vector<Spent> lastSpent_; ///< by tag of the run
  double skippedTime_ = 0;
  std::vector<Spent> skipped_; ///< by tag
};

/// The marker at which the next instance begins: its gathers have arrived and everything before has ended.
void Chain::waitFor(std::vector<TaskId> after) {
  if (atEnd(next_)) {
    streams_.addMarker(after, 0, [this] {
      end_ = streams_.now();
      ended_ = spentOn(0, tags_.back().rest);
    });
    return;
  }
  if (gatheredHead_ == gathered_.size()) gather(after); // no prefetch: issued when it is needed
  const auto& arrived = gathered_[gatheredHead_++];
  after.insert(after.begin(), arrived.begin(), arrived.end());
  const SegmentCost& cost = costs_[runs_[next_.run].first.index].of(backward_);
  streams_.addMarker(after, schedule_.slowdown * computing(cost) * share_[next_.run], [this] { begin(); });
}

/// Issues the gathers of the instance at `ahead_`. One that is inline as a whole is issued, too: whatever the share, an
/// instance begins when its port is through with what was issued before.
void Chain::gather(std::span<const TaskId> after) {
  auto& arrived = gathered_.emplace_back();
  eachState(ahead_.run, false, [&](const ir::StateCollective& s, double seconds, int32_t tag) {
    if (seconds > 0) arrived.push_back(streams_.add(portOf(s), seconds * (1 - blockingShare(s)), after, tag));
  });
  step(ahead_);
}

std::vector<Streams::TaskId> Chain::runInstance(ir::LayerClassId id, size_t run) {
  const SegmentCost& cost = costs_[id.index].of(backward_);
  std::vector<TaskId> last;
  eachState(run, false, [&](const ir::StateCollective& s, double seconds, int32_t tag) {
    if (blockingShare(s) > 0) last.push_back(streams_.addInline(portOf(s), seconds * blockingShare(s), {}, tag));
  });
  const auto rest = static_cast<int32_t>(tags_[run].rest);
  const double share = share_[run];
  const TaskId start = streams_.addMarker(last, schedule_.slowdown * computing(cost) * share);
  if (part_ == Part::LastWeights) return {streams_.add(ir::kComputeStream, share * cost.weight, {}, rest)};
  if (cost.overlaps) {
    std::optional<Streams::Batch>& shared = shares_[run];
    if (share != 1 && !shared) shared = instanceOf(*schedule_.program, nodes(id), segment(id), cost, share);
    const Streams::Batch& instance = shared ? *shared : *cost.instance;
    const TaskId first = streams_.add(instance, start, static_cast<int32_t>(tags_[run].nodes));
    last = instance.lastOnes();
    for (TaskId& task : last) task += first;
  } else {
    last = {streams_.add(ir::kComputeStream, share * cost.computing, {}, rest)};
    for (const auto& [port, seconds] : cost.inlined)
      last.push_back(streams_.addInline(port, share * seconds, {}, rest));
  }
  if (cost.padding > 0) last.push_back(streams_.addHost(share * cost.seconds, start, rest));
  return last;
}

/// Reductions like one of a layer. What reduces the same gradients before, a sum over other devices or the sum that a
/// copy to the host takes away, was met first.
Chain::Reduction& Chain::reductionOf(const ir::LayerClass& layer, const ir::StateCollective& s) {
  for (Reduction& known : reductions_)
    if (fillTogether(*known.like, s)) return known;
  Reduction fresh;
  fresh.like = &s;
  for (size_t k = 0; k < reductions_.size(); ++k)
    if (llvm::any_of(layer.states, [&](const ir::StateCollective& other) {
          return fillTogether(*reductions_[k].like, other) && shareParameters(other, s);
        }))
      fresh.after.push_back(k);
  return reductions_.emplace_back(std::move(fresh));
}

/// Issues the reductions of the instance that begins, and then what takes them to the host. A message that layers share
/// leaves when it is full.
void Chain::reduce(ir::LayerClassId id, size_t run, std::vector<TaskId>& last) {
  const std::vector<TaskId> complete = last;
  const auto issue = [&](const ir::StateCollective& s, double seconds, int32_t tag) {
    Reduction& reduction = reductionOf(body(id), s);
    const bool fills = schedule_.bucketBytes > 0 && sharesMessages(s) && s.bytes > 0 &&
                       runs_[run].second - next_.offset <= kFilledExactly;
    if (!fills) return send(reduction, std::array{MessagePart{tag, seconds, &s}}, complete, last);
    double left = bucketsOf(schedule_, id, s) * static_cast<double>(s.times) * share_[run];
    const double each = seconds / left;
    while (left > kFull) {
      // Messages that a layer fills alone leave together.
      const double part = reduction.full == 0 && left >= 1 ? std::floor(left) : std::min(left, 1 - reduction.full);
      reduction.parts.push_back({tag, part * each, &s});
      reduction.full += part, left -= part;
      if (reduction.full >= 1 - kFull) sendMessage(reduction, complete, last);
    }
  };
  for (const bool out : {false, true})
    eachState(run, true, [&](const ir::StateCollective& s, double seconds, int32_t tag) {
      if (s.out == out) issue(s, seconds, tag);
    });
}

/// The inline share of a reduction holds the compute stream, the rest runs beside what follows, and waits for what
/// brings it the same gradients. What of the step is inline has its place after the last pass.
void Chain::send(Reduction& reduction, std::span<const MessagePart> parts, const std::vector<TaskId>& complete,
                 std::vector<TaskId>& last) {
  std::vector<TaskId> brought = complete;
  for (const size_t before : reduction.after)
    if (reductions_[before].sent) brought.push_back(*reductions_[before].sent);
  for (const MessagePart& part : parts) {
    const ir::Stream port = portOf(*part.state);
    const double share = blockingShare(*part.state);
    if (share > 0 && part.state->phase != ir::Phase::Step)
      reduction.sent = last.emplace_back(streams_.addInline(port, part.seconds * share, complete, part.tag));
    if (share < 1) reduction.sent = streams_.add(port, part.seconds * (1 - share), brought, part.tag);
  }
}

void Chain::sendMessage(Reduction& reduction, const std::vector<TaskId>& complete, std::vector<TaskId>& last) {
  send(reduction, reduction.parts, complete, last);
  reduction.parts.clear();
  reduction.full = 0;
}

void Chain::begin() {
  const size_t run = next_.run;
  const ir::LayerClassId id = runs_[run].first;
  observe();
  if (schedule_.prefetch > 0 && !atEnd(ahead_)) gather({});
  std::vector<TaskId> last = runInstance(id, run);
  reduce(id, run, last);
  step(next_);
  if (atEnd(next_)) { // messages that stay partly empty
    const std::vector<TaskId> complete = last;
    for (Reduction& reduction : reductions_) sendMessage(reduction, complete, last);
  }
  waitFor(std::move(last));
}

std::vector<Spent> Chain::spentOn(size_t firstTag, size_t lastTag) const {
  std::vector<Spent> spent(lastTag + 1 - firstTag);
  const auto all = streams_.spent();
  for (size_t t = firstTag; t <= lastTag && t < all.size(); ++t) spent[t - firstTag] = all[t];
  return spent;
}

/// Skips the rest of a run once its instances begin in a steady rhythm: same period, same work queued on the comm
/// streams, and all of a period spent on this run's own instances and states.
void Chain::observe() {
  const double period = streams_.now() - lastBegin_, backlog = streams_.backlog();
  auto& [id, count] = runs_[next_.run];
  const bool inside = next_.offset > 0 && ahead_.run == next_.run && count > kExactInstances;
  std::vector<Spent> spent, own;
  if (count > kExactInstances) spent = own = spentOn(tags_[next_.run].states, tags_[next_.run].rest);
  double booked = 0;
  for (size_t t = 0; inside && t < own.size(); ++t) own[t].add(lastSpent_[t], -1), booked += own[t].sum();
  auto same = [&](double a, double b) { return std::fabs(a - b) <= kSameRhythm * period; };
  double full = 0; // of the messages that are filling
  for (const Reduction& reduction : reductions_) full += reduction.full;
  const bool steady = inside && same(period, lastPeriod_) && same(backlog, lastBacklog_) && same(booked, period) &&
                      std::fabs(full - lastFull_) <= kFull;
  same_ = steady ? same_ + 1 : 0;
  const int64_t keep = schedule_.prefetch + 2, left = count - ahead_.offset - keep;
  if (same_ > schedule_.prefetch + 2 && left > 0) {
    count -= left;
    skippedTime_ += period * static_cast<double>(left);
    for (size_t t = 0; t < own.size(); ++t)
      skipped_[tags_[next_.run].states + t].add(own[t], static_cast<double>(left));
  }
  lastBegin_ = streams_.now();
  lastPeriod_ = period;
  lastBacklog_ = backlog;
  lastFull_ = full;
  lastSpent_ = std::move(spent);
}

/// What a run spent, by tag. Instances that do not overlap went through the streams in one piece: their nodes take what
/// they take alone, and what the piece lost to communication beside it. Waiting for the host is shared as it is alone.
void Chain::book(Account& account, size_t run, const std::vector<Spent>& spent) const {
  const auto& [id, count] = runs_[run];
  const SegmentCost& cost = costs_[id.index].of(backward_);
  const Tags& tags = tags_[run];
  for (size_t t = tags.states; t < tags.nodes; ++t)
    if (spent[t].exposed > 0) account.expose(id, t - tags.states, spent[t].exposed);
  std::vector<Spent>& nodes = account.nodes(id, backward_, cost.nodes.size());
  for (size_t n = 0; n < nodes.size(); ++n) {
    Spent alone = cost.nodes[n].spent;
    if (cost.padding > 0) nodes[n].launches += spent[tags.rest].launches * alone.launches / cost.padding;
    if (overlaps(cost)) {
      nodes[n].add(spent[tags.nodes + n]);
      continue;
    }
    alone.launches = 0;
    if (part_ != Part::LastWeights) nodes[n].add(alone, static_cast<double>(tags.count));
    if (cost.computing > 0) nodes[n].slowed += spent[tags.rest].slowed * alone.computing / cost.computing;
  }
}

void Chain::simulate(StagePass& out) {
  for (int64_t i = 0; i < schedule_.prefetch && !atEnd(ahead_); ++i) gather({});
  waitFor({});
  streams_.run();
  out.seconds = end_ + skippedTime_;
  out.tail = std::max(0.0, streams_.now() - end_);
  std::vector<Spent> running = spentOn(0, tags_.back().rest);
  for (size_t t = 0; t < ended_.size(); ++t) running[t].add(ended_[t], -1), ended_[t].add(skipped_[t]);
  for (size_t r = 0; r < runs_.size(); ++r) {
    book(out.account, r, ended_);
    for (size_t t = tags_[r].states; t < tags_[r].nodes; ++t)
      if (running[t].exposed > 0) out.running.expose(runs_[r].first, t - tags_[r].states, running[t].exposed);
  }
}

} // namespace

namespace {

using Runs = std::vector<std::pair<ir::LayerClassId, int64_t>>;

Runs runsOf(const ir::StageKind& stage, bool backward) {
  Runs runs;
  runs.reserve(stage.classes.size());
  for (const auto& run : stage.classes)
    if (run.second > 0) runs.push_back(run);
  if (backward) std::reverse(runs.begin(), runs.end());
  return runs;
}

} // namespace

void bookAlone(StagePass& pass, const std::vector<ClassCost>& costs, const ir::StageKind& stage, bool backward) {
  if (std::exchange(pass.booked, true)) return;
  for (const auto& [id, count] : runsOf(stage, backward))
    addAlone(pass.account, id, backward, costs[id.index].of(backward), static_cast<double>(count));
}

StagePass runStagePass(const ir::Schedule& schedule, const std::vector<ClassCost>& costs, const ir::StageKind& stage,
                       bool backward, bool account) {
  Runs runs = runsOf(stage, backward);
  StagePass out;
  for (const auto& [id, count] : runs) {
    const SegmentCost& cost = costs[id.index].of(backward);
    out.alone += cost.seconds * static_cast<double>(count);
    out.weight += cost.weight * static_cast<double>(count);
    for (const ir::StateCollective& state : schedule.program->classes[id].states)
      out.communicates |= everyMicroBatch(state, backward);
  }
  if (!runs.empty()) {
    const ir::LayerClassId id = runs.back().first;
    out.last = costs[id.index].of(backward).seconds / static_cast<double>(layersOf(schedule.program->classes[id]));
  }
  out.seconds = out.alone;
  if (out.communicates) {
    Chain(schedule, costs, std::move(runs), backward, Part::Pass).simulate(out);
    out.booked = true;
  } else if (account) {
    bookAlone(out, costs, stage, backward);
  }
  return out;
}

StagePass runLastPass(const ir::Schedule& schedule, const std::vector<ClassCost>& costs, const ir::StageKind& stage,
                      bool weights) {
  StagePass out;
  Chain(schedule, costs, runsOf(stage, true), true, weights ? Part::LastWeights : Part::Last).simulate(out);
  out.booked = true;
  return out;
}

void addPortSeconds(std::vector<double>& ports, const ir::Schedule& schedule, const std::vector<ClassCost>& costs,
                    const ir::StageKind& stage, bool backward,
                    llvm::function_ref<double(const ir::StateCollective&)> share) {
  const ir::Program& program = *schedule.program;
  const auto add = [&](size_t level, double seconds) {
    const auto port = static_cast<size_t>(ir::streamOf(program, level));
    if (port >= ports.size()) ports.resize(port + 1);
    ports[port] += seconds;
  };
  for (const auto& [id, count] : stage.classes) {
    const ir::LayerClass& layer = program.classes[id];
    const auto times = static_cast<double>(count);
    const auto& nodes = backward ? layer.backward : layer.forward;
    const std::vector<NodeCost>& of = costs[id.index].of(backward).nodes;
    for (size_t n = 0; n < nodes.size(); ++n)
      if (const ir::Collective* c = nodes[n].asCollective(); c && of[n].runs) add(c->level, of[n].seconds * times);
    for (size_t s = 0; s < layer.states.size(); ++s)
      if (const double moves = share(layer.states[s]); moves > 0)
        add(layer.states[s].level, costs[id.index].states[s] * times * moves);
  }
}

} // namespace planc::cost
