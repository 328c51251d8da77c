// Threads over blocks of candidates.
// SPDX-License-Identifier: Apache-2.0
#include "search/Walk.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <numeric>
#include <thread>

namespace planc::search {

namespace {

/// Blocks are taken in strides of the golden section, so that every part of the space is seen early: a good candidate
/// that is found late spares nothing.
ir::CandidateId strideOf(ir::CandidateId blocks) {
  auto stride =
      std::max<ir::CandidateId>(1, static_cast<ir::CandidateId>(0.6180339887498949 * static_cast<double>(blocks)));
  while (std::gcd(stride, blocks) != 1) ++stride;
  return stride;
}

/// Blocks that are still to be decided, and what was decided so far.
class Work {
public:
  Work(const ir::Space& space, size_t conditions, const WalkOptions& options)
      : space_(space), conditions_(conditions), options_(options), end_(*space.end()), blocks_(blocksOf(space)),
        stride_(strideOf(blocks_)), answer_(space, conditions, options.top) {}

  /// What one thread does until nothing is left.
  void decide(const SourceMaker& source) {
    try {
      Candidates candidates(space_, source());
      for (ir::CandidateId n = next_++; n < blocks_ && !stopped(); n = next_++) {
        const ir::CandidateId from =
            (static_cast<ir::CandidateId>(static_cast<unsigned __int128>(n) * stride_ % blocks_)) * kBlock;
        addFound(decideBlock(from, std::min(end_, from + kBlock), candidates, soFar()));
      }
    } catch (...) {
      const std::lock_guard guard(lock_);
      if (!failure_) failure_ = std::current_exception();
    }
  }

  Answer finish() {
    if (failure_) std::rethrow_exception(failure_);
    return std::move(answer_);
  }

private:
  bool stopped() const { return options_.progress && options_.progress->stop; }

  Answer soFar() {
    const std::lock_guard guard(lock_);
    return answer_;
  }
  void addFound(const Answer& found) {
    const std::lock_guard guard(lock_);
    answer_.add(found);
    if (options_.progress && !answer_.best().empty()) options_.progress->best = answer_.best()[0].stepTime;
  }

  /// `known`: what other blocks found.
  Answer decideBlock(ir::CandidateId from, ir::CandidateId to, Candidates& candidates, const Answer& known) {
    Answer found(space_, conditions_, options_.top);
    uint64_t priced = 0;
    for (ir::CandidateId id = from; id < to; ++id) {
      const double limit = std::min(known.limit(), found.limit());
      const Outcome outcome = options_.bounds ? candidates.price(id, limit) : candidates.price(id);
      priced += outcome.priced();
      found.add(outcome);
    }
    if (!options_.progress) return found;
    options_.progress->priced += priced;
    ++options_.progress->blocks;
    return found;
  }

  const ir::Space& space_;
  const size_t conditions_;
  const WalkOptions& options_;
  const ir::CandidateId end_, blocks_, stride_;
  std::atomic<ir::CandidateId> next_ = 0;
  std::mutex lock_;
  Answer answer_;
  std::exception_ptr failure_;
};

} // namespace

ir::CandidateId blocksOf(const ir::Space& space) {
  return (*space.end() + kBlock - 1) / kBlock;
}

Answer walk(const ir::Space& space, size_t conditions, const SourceMaker& source, const WalkOptions& options) {
  Work work(space, conditions, options);
  std::vector<std::thread> others;
  const auto threads = static_cast<unsigned>(std::min<ir::CandidateId>(options.threads, blocksOf(space)));
  for (unsigned i = 1; i < threads; ++i) others.emplace_back([&] { work.decide(source); });
  work.decide(source);
  for (std::thread& other : others) other.join();
  return work.finish();
}

} // namespace planc::search
