// The insides of passes and pairs, unfolded for viewing from the observers of the simulation.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/timeline/Works.h"

#include <map>
#include <utility>

namespace planc::timeline {

/// Makes the details of passes the first time that they are requested. The functions return indices into `details`.
class PassDetails {
public:
  PassDetails(const cost::Simulation& sim, WorkTable& works) : sim_(sim), works_(works) {}

  uint32_t pass(int64_t virtualStage, ir::ActionKind kind);
  /// Two passes that run together from their first to their last second; kNone if the simulation runs them one after
  /// the other.
  uint32_t pair(int64_t forwardStage, int64_t backwardStage);

  std::vector<PassDetail> details;

private:
  PassDetail passDetail(int64_t virtualStage, ir::ActionKind kind);
  PassDetail pairDetail(int64_t forwardStage, int64_t backwardStage, const cost::Account& account);
  const cost::StagePass& stagePass(int64_t virtualStage, ir::ActionKind kind) const;

  const cost::Simulation& sim_;
  WorkTable& works_;
  std::map<std::pair<size_t, ir::ActionKind>, uint32_t> passes_; ///< by index of the simulation's distinct passes
  std::map<std::pair<size_t, size_t>, uint32_t> pairs_;
};

} // namespace planc::timeline
