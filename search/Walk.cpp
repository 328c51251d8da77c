// Distributes the blocks of candidates over threads.
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

/// The order in which blocks are visited, as positions. The space is split into consecutive parts. Within a part, a
/// walk with bounds takes strides of the golden ratio, so that it finds good candidates early, which exclude others.
/// Without bounds, blocks follow each other, because neighbours share the most work.
class BlockOrder {
public:
  BlockOrder(uint64_t blocks, bool strides)
      : parts_(std::clamp<uint64_t>(blocks / kLeastPart, 1, kMostParts)), size_(blocks / parts_),
        longer_(blocks % parts_), stride_(strides ? coprime(size_) : 1), longStride_(strides ? coprime(size_ + 1) : 1) {
  }

  uint64_t parts() const { return parts_; }
  /// Returns the first position of a part. The number after the last part gives the end of all positions.
  uint64_t begin(uint64_t part) const { return size_ * part + std::min(part, longer_); }
  uint64_t block(uint64_t place) const {
    const uint64_t ofLonger = longer_ * (size_ + 1); // positions in parts with one more block, which come first
    const bool isLonger = place < ofLonger;
    const uint64_t part = isLonger ? place / (size_ + 1) : longer_ + (place - ofLonger) / size_;
    const uint64_t from = begin(part), stride = isLonger ? longStride_ : stride_;
    return from + static_cast<uint64_t>(static_cast<unsigned __int128>(place - from) * stride % (size_ + isLonger));
  }

private:
  static constexpr uint64_t kMostParts = 16, kLeastPart = 4;

  static uint64_t coprime(uint64_t size) {
    uint64_t stride = std::max<uint64_t>(1, goldenStride(size));
    while (std::gcd(stride, size) != 1) ++stride;
    return stride;
  }

  uint64_t parts_, size_, longer_; ///< the first parts have one block more than the others
  uint64_t stride_, longStride_;
};

/// Decides which positions each thread works on next. Each thread owns neighbouring parts of the space, whose layers no
/// other thread lowers; with bounds it alternates between them. When its own parts are done, it helps where most is
/// left.
class Turns {
public:
  Turns(const BlockOrder& order, unsigned threads, bool bounds) : threads_(threads), bounds_(bounds) {
    for (uint64_t part = 0; part < order.parts(); ++part) left_.push_back({order.begin(part), order.begin(part + 1)});
  }

  /// Consecutive positions [from, to) of a part.
  struct Taken {
    uint64_t part = 0, from = 0, to = 0;
  };
  /// Returns an empty range if all positions are taken. `before`: the last range that this thread took.
  Taken next(unsigned thread, const Taken& before) {
    const std::lock_guard guard(lock_);
    const uint64_t part = choose(thread, before);
    auto& [from, end] = left_[part];
    const uint64_t many = bounds_ ? 1 : std::max<uint64_t>(1, (end - from) / 4);
    const Taken taken{part, from, std::min(end, from + many)};
    from = taken.to;
    return taken;
  }

private:
  struct Left {
    uint64_t from, end;
    uint64_t size() const { return end - from; }
  };

  static uint64_t step(uint64_t count) {
    uint64_t stride = std::max<uint64_t>(1, goldenStride(count));
    while (std::gcd(stride, count) != 1) ++stride;
    return stride;
  }
  uint64_t choose(unsigned thread, const Taken& before) const {
    const uint64_t first = left_.size() * thread / threads_, count = left_.size() * (thread + 1) / threads_ - first;
    const bool inOwn = before.to && before.part >= first && before.part < first + count;
    if (before.to && left_[before.part].size() && !(inOwn && bounds_)) return before.part;
    for (uint64_t i = 0; i < count; ++i)
      if (const uint64_t part = first + (inOwn ? before.part - first + step(count) * (1 + i) : i) % count;
          left_[part].size())
        return part;
    const auto most =
        std::max_element(left_.begin(), left_.end(), [](const Left& a, const Left& b) { return a.size() < b.size(); });
    return static_cast<uint64_t>(most - left_.begin());
  }

  const unsigned threads_;
  const bool bounds_;
  std::mutex lock_;
  std::vector<Left> left_; ///< by part
};

using Clock = std::chrono::steady_clock;

/// A sink takes at most a twentieth of a thread's time. It is called earlier if this many candidates wait.
constexpr auto kShortestInterval = std::chrono::milliseconds(100);
constexpr int kTimesTheCost = 20;
constexpr size_t kMostWaiting = size_t{1} << 18;

/// Groups of plans whose layers all threads cache together, and the minimum per thread. A group of a model with a
/// hundred operators and experts takes about 1.3 MB.
constexpr size_t kKept = 512, kLeastKept = 16;

/// A set of this size takes 16 MB. For larger walks no bound of the undecided candidates is computed.
constexpr uint64_t kMostLookedAt = uint64_t{1} << 27;
/// Time limit for bounding the undecided candidates of a stopped walk.
constexpr auto kLookingAtRest = std::chrono::seconds(1);

/// Hands results over to the sink in batches.
class Batches {
public:
  Batches(WalkSink* sink, std::mutex& lock, const Walked& soFar) : sink_(sink), lock_(lock), soFar_(soFar) {}

  bool wantsRows() const { return sink_ && sink_->wantsRows(); }
  /// Adds priced candidates to the next batch. The caller must hold the lock.
  void wait(std::vector<Outcome> priced) {
    waiting_.insert(waiting_.end(), std::make_move_iterator(priced.begin()), std::make_move_iterator(priced.end()));
    full_ = waiting_.size() >= kMostWaiting;
  }
  /// Calls the sink if a batch is due and no other thread is calling it.
  void handOver() {
    if (!sink_ || (!full_ && Clock::now().time_since_epoch().count() < due_)) return;
    std::unique_lock turn(turn_, std::defer_lock);
    if (full_) turn.lock();
    if (turn.owns_lock() || turn.try_lock()) take();
  }
  /// Hands over the rest, unless the sink threw before.
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
    due_ =
        (end + std::max<Clock::duration>(kShortestInterval, kTimesTheCost * (end - begin))).time_since_epoch().count();
  }

  WalkSink* sink_;
  std::mutex& lock_; ///< protects the members that follow
  const Walked& soFar_;
  std::vector<Outcome> waiting_;
  std::atomic<bool> full_ = false;
  std::mutex turn_; ///< lets one thread at a time hand over; protects the members that follow
  std::atomic<bool> failed_ = false;
  std::atomic<Clock::rep> due_ = 0;
};

/// The priced candidates by which bounds exclude others: those that may be among the best, on the front, or the best
/// that does not fit. All threads share it, so that each profits at once from what another finds.
class Known {
public:
  explicit Known(const Answer& before) : answer_(before) {}

  /// One thread's copy of the answer.
  struct View {
    Answer answer;
    uint64_t version = 0;
  };
  View view() const {
    const std::lock_guard guard(lock_);
    return {answer_, version_};
  }
  void renew(View& view) const {
    if (view.version != version_.load(std::memory_order_acquire)) view = this->view();
  }
  void add(const Outcome& outcome) {
    const auto adds = [&](const Answer& answer) {
      return outcome.fate == Fate::Met ? !answer.excludes(outcome.goals)
                                       : outcome.fate == Fate::Unfit && !answer.excludesUnfit(outcome.goals);
    };
    const std::lock_guard guard(lock_);
    if (!adds(answer_)) return;
    answer_.add(outcome);
    ++version_;
  }

private:
  mutable std::mutex lock_;
  Answer answer_;
  std::atomic<uint64_t> version_ = 0;
};

/// The blocks that are still to be decided, and the results so far.
class Work {
public:
  Work(const ir::Space& space, size_t conditions, const WalkOptions& options)
      : space_(space), conditions_(conditions), options_(options), end_(*space.end()),
        blocks_(options.part.shard.of(blocksOf(space))), order_(blocks_, options.bounds),
        part_(space, conditions, options.top),
        soFar_(options.part.before ? *options.part.before : Walked{Answer(space, conditions, options.top), {}}),
        known_(soFar_.answer), threads_(static_cast<unsigned>(std::clamp<uint64_t>(left(), 1, options.threads))),
        turns_(order_, threads_, options.bounds), batches_(options.part.sink, lock_, soFar_) {
    if (!options.progress) return;
    options.progress->blocks = options.progress->before = soFar_.decided.size();
    options.progress->threads = threads_;
  }

  unsigned threads() const { return threads_; }

  /// Decides blocks on one thread until none is left. The first thread also bounds the undecided candidates.
  void decide(const SourceMaker& source, unsigned thread) {
    bool seen = false;
    try {
      Candidates candidates(space_, source(), std::max(kLeastKept, kKept / threads_));
      Known::View known = known_.view();
      for (Turns::Taken turn = turns_.next(thread, {}); turn.from < turn.to && !stopped();
           turn = turns_.next(thread, turn))
        for (uint64_t n = turn.from; n < turn.to && !stopped(); ++n) {
          if (options_.part.before && options_.part.before->decided.has(n)) continue;
          if (!decideBlock(n, candidates, known)) break;
          if (thread == 0 && !std::exchange(seen, true)) findLeast(candidates);
        }
      if (thread == 0 && stopped()) findLeast(candidates);
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
    if (!options_.part.sink) soFar_.answer.add(part_); // a store does not keep this part
    return std::move(soFar_.answer);
  }

private:
  uint64_t left() const { return blocks_ - soFar_.decided.size(); }
  ir::CandidateId firstOf(uint64_t block) const {
    return (block * options_.part.shard.count + options_.part.shard.index) * kBlock;
  }

  /// Computes a lower bound of the first goal of all undecided candidates. It stays 0 if they cannot be examined in
  /// time.
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
    ir::CandidateId seen = 0; // all candidates before this one are covered
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

  /// Adds results of a block that was unfinished when the walk was stopped. They are valid, but the block is not marked
  /// as decided, so a resumed walk decides it again.
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

  /// Decides one block. Returns false if the walk was stopped meanwhile.
  bool decideBlock(uint64_t place, Candidates& candidates, Known::View& known) {
    const ir::CandidateId from = firstOf(order_.block(place));
    std::vector<Outcome> priced;
    const Answer found = decide(from, std::min(end_, from + kBlock), candidates, known, priced);
    if (stopped()) {
      addPart(found);
      return false;
    }
    addFound(place, found, std::move(priced));
    batches_.handOver();
    return true;
  }
  /// Decides the candidates [from, to). `known` is used with bounds only.
  Answer decide(ir::CandidateId from, ir::CandidateId to, Candidates& candidates, Known::View& known,
                std::vector<Outcome>& rows) {
    Answer found(space_, conditions_, options_.top);
    uint64_t priced = 0;
    for (ir::CandidateId id = from; id < to;) {
      if (stopped()) return found;
      if (options_.bounds) known_.renew(known);
      const ir::CandidateId next = options_.bounds ? std::min(to, candidates.skip(id, known.answer)) : id;
      if (next > id) {
        found.addWorse(id, candidates.countIn(id, next));
        id = next;
        continue;
      }
      Outcome outcome = candidates.price(id++, options_.bounds ? &known.answer : nullptr);
      priced += outcome.priced();
      found.add(outcome);
      if (!outcome.priced()) continue;
      if (options_.bounds) known_.add(outcome);
      if (batches_.wantsRows()) rows.push_back(std::move(outcome));
    }
    if (options_.progress) options_.progress->priced += priced;
    return found;
  }

  const ir::Space& space_;
  const size_t conditions_;
  const WalkOptions& options_;
  const ir::CandidateId end_;
  const uint64_t blocks_; ///< in this shard
  const BlockOrder order_;
  std::mutex lock_;
  Answer part_;
  Walked soFar_;
  Known known_;
  const unsigned threads_;
  Turns turns_;
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
  for (unsigned i = 1; i < work.threads(); ++i) others.emplace_back([&, i] { work.decide(source, i); });
  work.decide(source, 0);
  for (std::thread& other : others) other.join();
  return work.finish();
}

} // namespace planc::search
