// The walk over a space: decides every candidate, with several threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "search/Candidates.h"
#include "search/Ranges.h"
#include "search/store/Shard.h"

#include <atomic>
#include <functional>

namespace planc::search {

/// Candidates with consecutive numbers are decided together: block n begins at number n * kBlock.
inline constexpr ir::CandidateId kBlock = 512;

/// The progress of a walk; read by another thread while it runs.
struct Progress {
  std::atomic<uint64_t> blocks = 0; ///< decided blocks, including those of `before`
  std::atomic<uint64_t> before = 0; ///< blocks that were decided when the walk began
  std::atomic<uint64_t> priced = 0; ///< priced candidates
  std::atomic<unsigned> threads = 1;
  std::atomic<double> best = 0;     ///< step time of the best candidate so far, in s; 0: none yet
  std::atomic<double> bestGoal = 0; ///< first goal of that candidate
  std::atomic<double> least = 0;    ///< lower bound of the first goal of all undecided candidates; 0: unknown
  std::atomic<bool> stop = false;   ///< set it to end the walk early
};

/// Creates the source of plans for one thread.
using SourceMaker = std::function<std::unique_ptr<PlanSource>()>;

/// The state of a walk.
struct Walked {
  Answer answer; ///< the answer for the decided blocks
  /// The positions of the decided blocks. The walk visits the blocks of its shard in the order of these positions.
  Ranges decided;
  /// Lower bound of the first goal of the undecided candidates after a walk was stopped; 0 if it is unknown.
  double least = 0;
};

/// Receives the results of a walk while it runs.
class WalkSink {
public:
  virtual ~WalkSink() = default;
  /// Returns whether it wants every priced candidate.
  virtual bool wantsRows() const { return false; }
  /// Receives everything decided so far, and the candidates priced since the last call. One thread calls it at a time.
  /// An exception ends the walk.
  virtual void take(const Walked& soFar, const std::vector<Outcome>& priced) = 0;
};

/// The part of a space that a walk decides, and the receiver of its results.
struct WalkPart {
  Shard shard = {};
  const Walked* before = nullptr; ///< an earlier walk over the same blocks, which this walk continues
  WalkSink* sink = nullptr;       ///< called several times a second, and once at the end
};

struct WalkOptions {
  unsigned threads = 1;
  size_t top = 10;
  bool bounds = true; ///< skip candidates that are certainly worse; otherwise price all
  Progress* progress = nullptr;
  WalkPart part = {};
};

/// The number of blocks of a space, whose candidate numbers must be finite.
ir::CandidateId blocksOf(const ir::Space& space);

/// Decides every candidate of the space, or of its shard; the candidate numbers must be finite. `conditions`: number
/// of conditions of the plan. The number of threads does not change the answer. If the walk is stopped, the answer
/// covers the blocks decided until then.
Answer walk(const ir::Space& space, size_t conditions, const SourceMaker& source, const WalkOptions& options);

} // namespace planc::search
