// The chain of instances of a virtual stage, on the streams (docs/cost-model.md, section 2.4).
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/Chain.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

namespace planc::cost {

namespace {

/// Runs of equal instances up to this long are simulated one by one.
constexpr int64_t kExactInstances = 8;
/// The last layers of a run, up to this many, fill messages exactly; those before send their parts of a message at
/// once.
constexpr int64_t kFilledExactly = 512;
/// If more layers of a run are left, queues that grow by equal amounts count as a steady rhythm; in shorter runs such
/// layers are simulated one by one.
constexpr int64_t kQueued = 4096;
/// The deferred transfers of skipped layers are added in at most this many pieces.
constexpr int64_t kLatePieces = 64;
/// Two instances keep the same rhythm if they differ by less than this share.
constexpr double kSameRhythm = 1e-9;

bool shareParameters(const ir::StateCollective& a, const ir::StateCollective& b) {
  return llvm::any_of(a.params, [&](ir::ValueId p) { return llvm::is_contained(b.params, p); });
}

} // namespace

Chain::Chain(const ir::Schedule& schedule, const std::vector<ClassCost>& costs,
             std::vector<std::pair<ir::LayerClassId, int64_t>> runs, bool backward, ChainPart part)
    : schedule_(schedule), costs_(costs), runs_(std::move(runs)), backward_(backward), part_(part),
      streams_(schedule.slowdown, schedule.besides) {
  std::vector<ir::Stream> ports; // of the states that move
  for (const auto& run : runs_)
    for (const ir::StateCollective& state : body(run.first).states)
      if (moves(state)) ports.push_back(portOf(state));
  size_t end = 0;
  for (auto& [id, count] : runs_) {
    const SegmentCost& cost = costOf(id);
    const bool shares = llvm::any_of(cost.inlined, [&](const auto& on) { return llvm::is_contained(ports, on.first); });
    inPlace_.push_back(part_ != ChainPart::LastWeights && (cost.overlaps || shares));
    const size_t states = body(id).states.size();
    tags_.push_back({end, end + states, end + states + (inPlace_.back() ? cost.nodes.size() : 0), count});
    end = tags_.back().rest + 1;
    const int64_t layers = layersOf(body(id));
    if (__builtin_mul_overflow(count, layers, &count)) count = std::numeric_limits<int64_t>::max();
    share_.push_back(1 / static_cast<double>(layers));
  }
  skipped_.resize(end);
  reduced_.resize(end);
  shares_.resize(runs_.size());
}

/// The marker at which the next instance begins: its gathers have arrived and all tasks before it have ended.
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
  const SegmentCost& cost = costOf(runs_[next_.run].first);
  streams_.addMarker(after, schedule_.slowdown * computing(cost) * share_[next_.run], [this] { begin(); });
}

/// Issues the gathers of the instance at `ahead_`, also a gather that is completely inline: an instance always begins
/// when its port has finished all tasks that were issued before.
void Chain::gather(std::span<const TaskId> after) {
  auto& arrived = gathered_.emplace_back();
  eachState(ahead_.run, false, [&](const ir::StateCollective& s, double seconds, int32_t tag) {
    if (seconds > 0) arrived.push_back(streams_.add(portOf(s), seconds * (1 - blockingShare(s)), after, tag));
  });
  step(ahead_);
}

std::vector<Streams::TaskId> Chain::runInstance(ir::LayerClassId id, size_t run) {
  const SegmentCost& cost = costOf(id);
  std::vector<TaskId> last;
  eachState(run, false, [&](const ir::StateCollective& s, double seconds, int32_t tag) {
    if (blockingShare(s) > 0) last.push_back(streams_.addInline(portOf(s), seconds * blockingShare(s), {}, tag));
  });
  const auto rest = static_cast<int32_t>(tags_[run].rest);
  const double share = share_[run];
  const TaskId start = streams_.addMarker(last, schedule_.slowdown * computing(cost) * share);
  if (part_ == ChainPart::LastWeights) return {streams_.add(ir::kComputeStream, share * cost.seconds, {}, rest)};
  if (inPlace_[run]) {
    std::optional<Streams::Batch>& shared = shares_[run];
    if ((share != 1 || !cost.instance) && !shared)
      shared =
          instanceOf(*schedule_.program, nodes(id),
                     part_ == ChainPart::InputHalf ? halfOf(body(id), segment(id), false) : segment(id), cost, share);
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

/// Returns the reductions of the same kind as one of a layer. Reductions that take the same gradients before it, a sum
/// over other devices or the sum that is copied to the host, come first.
Chain::Reduction& Chain::reductionOf(size_t run, const ir::StateCollective& s, int32_t tag) {
  Reduced& reduced = reduced_[static_cast<size_t>(tag)];
  if (reduced.kind == kUnmet) {
    reduced.kind = kindOf(reductions_, s);
    const bool once = s.phase == ir::Phase::Step;
    if (once) reduced.late = blockingShare(s);
    eachState(run, true, [&](const ir::StateCollective& other, double, int32_t otherTag) {
      const Reduced& before = reduced_[static_cast<size_t>(otherTag)];
      if (&other == &s || before.kind == kUnmet || before.kind == reduced.kind || !shareParameters(other, s)) return;
      reduced.after.push_back(before.kind);
      if (once) reduced.late = std::max(reduced.late, before.late);
    });
  }
  return reductions_[reduced.kind];
}

/// Issues the reductions of the instance that begins, and then their copies to the host. A message that layers share is
/// sent when it is full.
void Chain::reduce(ir::LayerClassId id, size_t run, std::vector<TaskId>& last) {
  const std::vector<TaskId> complete = last;
  const auto issue = [&](const ir::StateCollective& s, double seconds, int32_t tag) {
    Reduction& reduction = reductionOf(run, s, tag);
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

/// The inline share of a reduction holds the compute stream. The rest runs during the following tasks, and waits for
/// the reductions that bring it the same gradients. Reductions of one kind keep their order, inline or not; a reduction
/// without a rest also takes its turn on the port, because others wait for it. Inline shares of the step run after the
/// last pass.
void Chain::send(Reduction& reduction, std::span<const MessagePart> parts, const std::vector<TaskId>& complete,
                 std::vector<TaskId>& last) {
  std::vector<TaskId> brought = complete;
  for (const MessagePart& part : parts)
    for (const size_t before : reduced_[static_cast<size_t>(part.tag)].after)
      if (reductions_[before].sent) brought.push_back(*reductions_[before].sent);
  for (const MessagePart& part : parts) {
    const ir::Stream port = portOf(*part.state);
    std::vector<TaskId> ordered = complete;
    if (reduction.sent) ordered.push_back(*reduction.sent);
    const double share = blockingShare(*part.state), late = reduced_[static_cast<size_t>(part.tag)].late;
    if (share > 0 && part.state->phase != ir::Phase::Step)
      last.push_back(streams_.addInline(port, part.seconds * share, ordered, part.tag));
    reduction.sent = streams_.add(port, part.seconds * (1 - share), brought, part.tag);
    if (late > 0) late_.push_back({part.tag, port, part.seconds * share, part.seconds * (late - share)});
  }
}

/// Inline shares of the step's reductions run one after the other when the pass has ended. Work that waits for them
/// follows on its port and may lengthen the tail; the added time is booked on that work.
void Chain::addLate(double& tail, std::vector<Spent>& running) const {
  std::vector<double> ready(reductions_.size());
  std::map<ir::Stream, double> ports;
  double computing = 0, end = 0, beside = 0;
  for (const Late& late : late_) {
    const Reduced& reduced = reduced_[static_cast<size_t>(late.tag)];
    computing += late.inlined, beside += late.beside;
    double& seconds = ready[reduced.kind] = computing;
    for (const size_t before : reduced.after) seconds = std::max(seconds, ready[before]);
    if (late.beside > 0) seconds = ports[late.port] = std::max(ports[late.port], seconds) + late.beside;
    end = std::max(end, seconds);
  }
  const double more = end - computing - tail;
  if (!(more > 0)) return;
  tail += more;
  for (const Late& late : late_) running[static_cast<size_t>(late.tag)].exposed += more * late.beside / beside;
}

void Chain::sendMessage(Reduction& reduction, const std::vector<TaskId>& complete, std::vector<TaskId>& last) {
  send(reduction, reduction.parts, complete, last);
  reduction.parts.clear();
  reduction.full = 0;
}

void Chain::begin() {
  const size_t run = next_.run;
  const ir::LayerClassId id = runs_[run].first;
  if (observer_)
    observer_->beginLayer(static_cast<int64_t>(id.index), streams_.now());
  else
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

/// Repeats the deferred transfers of the last instance for the given number of skipped instances.
void Chain::repeatLate(int64_t instances) {
  const int64_t pieces = std::min(instances, kLatePieces);
  const double each = static_cast<double>(instances) / static_cast<double>(pieces);
  const std::vector<Late> one(late_.begin() + static_cast<std::ptrdiff_t>(lastLate_), late_.end());
  for (int64_t i = 0; i < pieces; ++i)
    for (const Late& late : one) late_.push_back({late.tag, late.port, late.inlined * each, late.beside * each});
}

/// Issues the seconds that reductions of skipped instances add to the queues of their ports.
void Chain::catchUp(double instances) {
  std::map<ir::Stream, double> each;
  const auto ahead = [&](auto use) {
    eachState(next_.run, true, [&](const ir::StateCollective& s, double seconds, int32_t tag) {
      const double left = seconds * (1 - blockingShare(s));
      if (left > 0) use(portOf(s), left, tag);
    });
  };
  ahead([&](ir::Stream port, double left, int32_t) { each[port] += left; });
  ahead([&](ir::Stream port, double left, int32_t tag) {
    const double growth = streams_.issuedAhead(port) - lastAhead_[port];
    if (growth > 0) streams_.add(port, instances * growth * left / each[port], {}, tag);
  });
}

/// Skips the rest of a run once its instances begin in a steady rhythm: same period, queues of the comm streams that
/// stay, or grow by as much each time, and all of a period spent on this run's own instances and states.
void Chain::observe() {
  const double period = streams_.now() - lastBegin_, backlog = streams_.backlog(), growth = backlog - lastBacklog_;
  auto& [id, count] = runs_[next_.run];
  const bool inside = next_.offset > 0 && ahead_.run == next_.run && count > kExactInstances;
  std::vector<Spent> spent, own;
  if (count > kExactInstances) spent = own = spentOn(tags_[next_.run].states, tags_[next_.run].rest);
  double booked = 0;
  for (size_t t = 0; inside && t < own.size(); ++t) own[t].add(lastSpent_[t], -1), booked += own[t].sum();
  auto same = [&](double a, double b) { return std::fabs(a - b) <= kSameRhythm * period; };
  double full = 0; // of the messages that are filling
  for (const Reduction& reduction : reductions_) full += reduction.full;
  const bool queued = count - next_.offset > kQueued ? same(growth, lastGrowth_) : same(growth, 0);
  const bool steady =
      inside && same(period, lastPeriod_) && queued && same(booked, period) && std::fabs(full - lastFull_) <= kFull;
  same_ = steady ? same_ + 1 : 0;
  const int64_t keep = schedule_.prefetch + 2, left = count - ahead_.offset - keep;
  if (same_ > schedule_.prefetch + 2 && left > 0) {
    count -= left;
    if (growth > kSameRhythm * period) catchUp(static_cast<double>(left));
    skippedTime_ += period * static_cast<double>(left);
    for (size_t t = 0; t < own.size(); ++t)
      skipped_[tags_[next_.run].states + t].add(own[t], static_cast<double>(left));
    repeatLate(left);
  }
  lastLate_ = late_.size();
  lastBegin_ = streams_.now();
  lastPeriod_ = period;
  lastBacklog_ = backlog;
  lastGrowth_ = growth;
  eachState(next_.run, true, [&](const ir::StateCollective& s, double, int32_t) {
    lastAhead_[portOf(s)] = streams_.issuedAhead(portOf(s));
  });
  lastFull_ = full;
  lastSpent_ = std::move(spent);
}

/// Books the seconds of a run, by tag. Nodes of instances that went through the streams as one task get their seconds
/// alone, and their part of the time that the task lost to concurrent communication. Waits for the host are divided as
/// they are alone.
void Chain::book(Account& account, size_t run, const std::vector<Spent>& spent) const {
  const auto& [id, count] = runs_[run];
  const SegmentCost& cost = costOf(id);
  const Tags& tags = tags_[run];
  for (size_t t = tags.states; t < tags.nodes; ++t)
    if (spent[t].exposed > 0) account.expose(id, t - tags.states, spent[t].exposed);
  std::vector<Spent>& nodes = account.nodes(id, backward_, cost.nodes.size());
  for (size_t n = 0; n < nodes.size(); ++n) {
    Spent alone = cost.nodes[n].spent;
    if (cost.padding > 0) nodes[n].launches += spent[tags.rest].launches * alone.launches / cost.padding;
    if (inPlace_[run]) {
      nodes[n].add(spent[tags.nodes + n]);
      continue;
    }
    alone.launches = 0;
    if (part_ != ChainPart::LastWeights) nodes[n].add(alone, static_cast<double>(tags.count));
    if (cost.computing > 0) nodes[n].slowed += spent[tags.rest].slowed * alone.computing / cost.computing;
  }
}

void Chain::simulate(StagePass& out, SliceObserver* observer) {
  const std::unique_ptr<SliceObserver> names = observer ? namesFor(*observer) : nullptr;
  streams_.watch(observer_ = names.get());
  for (int64_t i = 0; i < schedule_.prefetch && !atEnd(ahead_); ++i) gather({});
  waitFor({});
  streams_.run();
  out.seconds = end_ + skippedTime_;
  out.tail = std::max(0.0, streams_.now() - end_);
  std::vector<Spent> running = spentOn(0, tags_.back().rest);
  for (size_t t = 0; t < ended_.size(); ++t) running[t].add(ended_[t], -1), ended_[t].add(skipped_[t]);
  addLate(out.tail, running);
  for (size_t r = 0; r < runs_.size(); ++r) {
    book(out.account, r, ended_);
    for (size_t t = tags_[r].states; t < tags_[r].nodes; ++t)
      if (running[t].exposed > 0) out.running.expose(runs_[r].first, t - tags_[r].states, running[t].exposed);
  }
}

} // namespace planc::cost
