// The walk over a space: every candidate is decided, by as many threads as there are.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "search/Candidates.h"
#include "search/Ranges.h"
#include "search/store/Shard.h"

#include <atomic>
#include <functional>

namespace planc::search {

/// Candidates whose numbers follow each other are decided together: block n has those from n * kBlock on.
inline constexpr ir::CandidateId kBlock = 512;

/// How far a walk is; read by another thread while it goes on.
struct Progress {
  std::atomic<uint64_t> blocks = 0; ///< decided, those of `before` included
  std::atomic<uint64_t> before = 0; ///< that were decided when it began
  std::atomic<uint64_t> priced = 0; ///< candidates
  std::atomic<unsigned> threads = 1;
  std::atomic<double> best = 0;     ///< step time of the best so far; 0: there is none
  std::atomic<double> bestGoal = 0; ///< the first goal of it
  std::atomic<double> least = 0;    ///< of the first goal that anything undecided can have; 0: not known
  std::atomic<bool> stop = false;   ///< set by who does not want to wait
};

/// Makes the source of plans of one thread.
using SourceMaker = std::function<std::unique_ptr<PlanSource>()>;

/// What a walk has come to.
struct Walked {
  Answer answer; ///< of the blocks that are decided
  /// These, by their place in the order in which a walk begins the blocks of its shard: mostly the first ones.
  Ranges decided;
  /// Of the first goal that the rest can have at least, where a walk was stopped and that is known; else 0.
  double least = 0;
};

/// Takes what a walk comes to while it goes on.
class WalkSink {
public:
  virtual ~WalkSink() = default;
  /// Does it want every priced candidate?
  virtual bool wantsRows() const { return false; }
  /// All that was decided so far, and the candidates that were priced since it was last called. By one thread at a
  /// time; what it throws ends the walk.
  virtual void take(const Walked& soFar, const std::vector<Outcome>& priced) = 0;
};

/// Which part of a space a walk decides, and where what it comes to goes.
struct WalkPart {
  Shard shard = {};
  const Walked* before = nullptr; ///< of an earlier walk over the same blocks: it goes on from there
  WalkSink* sink = nullptr;       ///< called some times a second, and once at the end
};

struct WalkOptions {
  unsigned threads = 1;
  size_t top = 10;
  bool bounds = true; ///< candidates that are certainly worse are not priced; else all are
  Progress* progress = nullptr;
  WalkPart part = {};
};

/// Blocks of a space whose numbers have an end.
ir::CandidateId blocksOf(const ir::Space& space);

/// Decides every candidate of the space, or of a shard of it, whose numbers must have an end. `conditions`: how many
/// the plan has. The answer is the same for every number of threads; of a walk that was stopped it is that of the
/// blocks that were decided.
Answer walk(const ir::Space& space, size_t conditions, const SourceMaker& source, const WalkOptions& options);

} // namespace planc::search
