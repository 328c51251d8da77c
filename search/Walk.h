// The walk over a space: every candidate is decided, by as many threads as there are.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "search/Answer.h"

#include <atomic>
#include <functional>

namespace planc::search {

/// Candidates whose numbers follow each other are decided together: block n has those from n * kBlock on.
inline constexpr ir::CandidateId kBlock = 1024;

/// How far a walk is; read by another thread while it goes on.
struct Progress {
  std::atomic<uint64_t> blocks = 0; ///< decided
  std::atomic<uint64_t> priced = 0; ///< candidates
  std::atomic<double> best = 0;     ///< step time of the best so far; 0: there is none
  std::atomic<bool> stop = false;   ///< set by who does not want to wait: blocks that were begun are finished
};

/// Makes the source of plans of one thread.
using SourceMaker = std::function<std::unique_ptr<PlanSource>()>;

struct WalkOptions {
  unsigned threads = 1;
  size_t top = 10;
  bool bounds = true; ///< candidates that are certainly worse are not priced; else all are
  Progress* progress = nullptr;
};

/// Blocks of a space whose numbers have an end.
ir::CandidateId blocksOf(const ir::Space& space);

/// Decides every candidate of the space, whose numbers must have an end. `conditions`: how many the plan has. The
/// answer is the same for every number of threads; of a walk that was stopped it is that of the blocks that were
/// decided.
Answer walk(const ir::Space& space, size_t conditions, const SourceMaker& source, const WalkOptions& options);

} // namespace planc::search
