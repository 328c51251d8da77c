// Two passes scheduled as lists on one compute stream and the comm streams (docs/cost-model.md, section 3.2).
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/simulate/Pair.h"

#include <vector>

namespace planc::cost {

/// A task that has run.
struct Ran {
  double start = 0, end = 0;
  ir::LayerClassId layerClass;
  bool backward = false;
  ir::NodeIndex node = 0;
  bool communicates = false;
  double times = 1; ///< number of equal tasks that it stands for, those of skipped periods included
  double seconds() const { return end - start; }
};

/// The work that ran on each stream, in order. The first stream computes.
using Tracks = std::vector<std::vector<Ran>>;

/// The result of running both passes.
struct PairList {
  Tracks tracks;
  double forward = 0, backward = 0;         ///< seconds until the last task of each pass has ended
  double lastForward = 0, lastBackward = 0; ///< these seconds without the skipped periods
};

PairList listPair(const ir::Schedule& schedule, const std::vector<ClassCost>& costs, const ir::StageKind& forward,
                  const ir::StageKind& backward, Strides strides);

} // namespace planc::cost
