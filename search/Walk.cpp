// Threads over blocks of candidates.
// SPDX-License-Identifier: Apache-2.0
#include "search/Walk.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>

namespace planc::search {

namespace {

/// The order in which blocks are begun. Some neighbours follow each other, which share layers; such runs are taken in
/// strides of the golden section, so that every part of the space is seen early: a good candidate that is found late
/// spares nothing.
class BlockOrder {
public:
  explicit BlockOrder(uint64_t blocks) : run_(blocks < kManyRuns * kRun ? 1 : kRun), runs_(blocks / run_) {
    stride_ = std::max<uint64_t>(1, goldenStride(runs_));
    while (std::gcd(stride_, runs_) != 1) ++stride_;
  }
  /// How many a thread takes at once.
  uint64_t run() const { return run_; }
  uint64_t block(uint64_t place) const {
    if (place >= runs_ * run_) return place; // less than a run is left
    return static_cast<uint64_t>(static_cast<unsigned __int128>(place / run_) * stride_ % runs_) * run_ + place % run_;
  }

private:
  static constexpr uint64_t kRun = 4, kManyRuns = 64; // fewer would leave threads without work at the end
  uint64_t run_, runs_, stride_ = 1;
};

using Clock = std::chrono::steady_clock;

/// A sink takes at most a twentieth of a thread's time, but waits no longer than so many candidates.
constexpr auto kShortest = std::chrono::milliseconds(100);
constexpr int kTimesTheCost = 20;
constexpr size_t kMostWaiting = size_t{1} << 18;

/// A set of so many blocks takes 16 MB; of more nothing is said of the rest.
constexpr uint64_t kMostLookedAt = uint64_t{1} << 27;
/// How long a walk that was stopped may take to say what the rest can be at best.
constexpr auto kLookingAtRest = std::chrono::seconds(1);

/// Hands over what a walk comes to, by and by.
class Batches {
public:
  Batches(WalkSink* sink, std::mutex& lock, const Walked& soFar) : sink_(sink), lock_(lock), soFar_(soFar) {}

  bool wantsRows() const { return sink_ && sink_->wantsRows(); }
  /// The lock is held.
  void wait(std::vector<Outcome> priced) {
    waiting_.insert(waiting_.end(), std::make_move_iterator(priced.begin()), std::make_move_iterator(priced.end()));
    full_ = waiting_.size() >= kMostWaiting;
  }
  /// If it is time to, and nobody else does.
  void handOver() {
    if (!sink_ || (!full_ && Clock::now().time_since_epoch().count() < due_)) return;
    std::unique_lock turn(turn_, std::defer_lock);
    if (full_) turn.lock();
    if (turn.owns_lock() || turn.try_lock()) take();
  }
  /// What is left. Not after the sink threw.
  void finish() {
    if (sink_ && !failed_) take();
  }

private:
  void take() {
    if (failed_) return;
    std::vector<Outcome> priced;
    std::optional<Walked> now;
    {
      const std::lock_guard guard(lock_);
      priced.swap(waiting_);
      full_ = false;
      now.emplace(soFar_);
    }
    const auto begin = Clock::now();
    failed_ = true;
    sink_->take(*now, priced);
    failed_ = false;
    const auto end = Clock::now();
    due_ = (end + std::max<Clock::duration>(kShortest, kTimesTheCost * (end - begin))).time_since_epoch().count();
  }

  WalkSink* sink_;
  std::mutex& lock_; ///< of what follows
  const Walked& soFar_;
  std::vector<Outcome> waiting_;
  std::atomic<bool> full_ = false;
  std::mutex turn_; ///< one thread hands over at a time, and sets what follows
  std::atomic<bool> failed_ = false;
  std::atomic<Clock::rep> due_ = 0;
};

/// Blocks that are still to be decided, and what was decided so far.
class Work {
public:
  Work(const ir::Space& space, size_t conditions, const WalkOptions& options)
      : space_(space), conditions_(conditions), options_(options), end_(*space.end()),
        blocks_(options.part.shard.of(blocksOf(space))), order_(blocks_), part_(space, conditions, options.top),
        soFar_(options.part.before ? *options.part.before : Walked{Answer(space, conditions, options.top), {}}),
        batches_(options.part.sink, lock_, soFar_) {
    if (options.progress) options.progress->blocks = options.progress->before = soFar_.decided.size();
  }

  uint64_t left() const { return blocks_ - soFar_.decided.size(); }

  /// What one thread does until nothing is left. `first`: it also says what the rest can be at best.
  void decide(const SourceMaker& source, bool first) {
    bool seen = false;
    try {
      Candidates candidates(space_, source());
      uint64_t runEnd = 0;
      const auto next = [&](uint64_t n) {
        if (n < runEnd) return n;
        n = next_.fetch_add(order_.run());
        runEnd = n + order_.run();
        return n;
      };
      for (uint64_t n = next(0); n < blocks_ && !stopped(); n = next(n + 1)) {
        if (options_.part.before && options_.part.before->decided.has(n)) continue;
        const ir::CandidateId from = firstOf(order_.block(n));
        std::vector<Outcome> priced;
        const Answer found = decideBlock(from, std::min(end_, from + kBlock), candidates, known(), priced);
        if (stopped()) {
          addPart(found);
          break;
        }
        addFound(n, found, std::move(priced));
        batches_.handOver();
        if (first && !std::exchange(seen, true)) findLeast(candidates);
      }
      if (first && stopped()) findLeast(candidates);
    } catch (...) {
      const std::lock_guard guard(lock_);
      if (!failure_) failure_ = std::current_exception();
      failed_ = true;
    }
  }

  Answer finish() {
    soFar_.least = options_.progress ? options_.progress->least.load() : 0;
    batches_.finish();
    if (failure_) std::rethrow_exception(failure_);
    if (!options_.part.sink) soFar_.answer.add(part_); // what is kept says the same when it is read
    return std::move(soFar_.answer);
  }

private:
  ir::CandidateId firstOf(uint64_t block) const {
    return (block * options_.part.shard.count + options_.part.shard.index) * kBlock;
  }

  /// Nothing is known of a rest that is too varied to be looked at.
  void findLeast(Candidates& candidates) {
    if (!options_.progress || blocks_ > kMostLookedAt) return;
    std::vector<bool> rest(blocks_, true);
    {
      const std::lock_guard guard(lock_);
      for (const auto& [from, to] : soFar_.decided.all())
        for (uint64_t n = from; n < to; ++n) rest[order_.block(n)] = false;
    }
    const auto end = Clock::now() + kLookingAtRest;
    double least = std::numeric_limits<double>::infinity();
    ir::CandidateId seen = 0; // all before are
    for (uint64_t block = 0; block < blocks_; ++block) {
      const ir::CandidateId to = std::min(end_, firstOf(block) + kBlock);
      for (seen = std::max(seen, firstOf(block)); rest[block] && seen < to;) {
        const auto floor = candidates.floor(seen);
        if (!floor || Clock::now() > end) {
          options_.progress->least = 0;
          return;
        }
        least = std::min(least, floor->least);
        seen = floor->end;
      }
    }
    options_.progress->least = least;
  }

  bool stopped() const { return failed_ || (options_.progress && options_.progress->stop); }

  Answer known() {
    if (!options_.bounds) return Answer(space_, conditions_, options_.top);
    const std::lock_guard guard(lock_);
    return soFar_.answer;
  }
  /// Of a block that was begun when the walk was stopped. What is good is no less good for that; but it is decided
  /// again by who goes on.
  void addPart(const Answer& found) {
    const std::lock_guard guard(lock_);
    part_.add(found);
  }
  void addFound(uint64_t n, const Answer& found, std::vector<Outcome> priced) {
    const std::lock_guard guard(lock_);
    soFar_.answer.add(found);
    soFar_.decided.add(n, n + 1);
    batches_.wait(std::move(priced));
    if (!options_.progress) return;
    ++options_.progress->blocks;
    const auto& best = soFar_.answer.best();
    if (best.empty()) return;
    options_.progress->best = best[0].stepTime;
    options_.progress->bestGoal = best[0].goals[0];
  }

  /// `known`: what other blocks found; not looked at without bounds.
  Answer decideBlock(ir::CandidateId from, ir::CandidateId to, Candidates& candidates, Answer known,
                     std::vector<Outcome>& rows) {
    Answer found(space_, conditions_, options_.top);
    uint64_t priced = 0;
    for (ir::CandidateId id = from; id < to;) {
      if (stopped()) return found;
      const ir::CandidateId next = options_.bounds ? std::min(to, candidates.skip(id, known)) : id;
      if (next > id) {
        found.addWorse(id, candidates.countIn(id, next));
        id = next;
        continue;
      }
      Outcome outcome = candidates.price(id++, options_.bounds ? &known : nullptr);
      priced += outcome.priced();
      found.add(outcome);
      if (!outcome.priced()) continue;
      if (options_.bounds) known.add(outcome);
      if (batches_.wantsRows()) rows.push_back(std::move(outcome));
    }
    if (options_.progress) options_.progress->priced += priced;
    return found;
  }

  const ir::Space& space_;
  const size_t conditions_;
  const WalkOptions& options_;
  const ir::CandidateId end_;
  const uint64_t blocks_; ///< of the shard
  const BlockOrder order_;
  std::atomic<uint64_t> next_ = 0;
  std::mutex lock_;
  Answer part_;
  Walked soFar_;
  Batches batches_;
  std::atomic<bool> failed_ = false;
  std::exception_ptr failure_;
};

} // namespace

ir::CandidateId blocksOf(const ir::Space& space) {
  return (*space.end() + kBlock - 1) / kBlock;
}

Answer walk(const ir::Space& space, size_t conditions, const SourceMaker& source, const WalkOptions& options) {
  Work work(space, conditions, options);
  std::vector<std::thread> others;
  const auto threads = static_cast<unsigned>(std::min<uint64_t>(options.threads, work.left()));
  if (options.progress) options.progress->threads = std::max(1u, threads);
  for (unsigned i = 1; i < threads; ++i) others.emplace_back([&] { work.decide(source, false); });
  work.decide(source, true);
  for (std::thread& other : others) other.join();
  return work.finish();
}

} // namespace planc::search
