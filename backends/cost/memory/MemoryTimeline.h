// Walks the actions of a device stage and finds its fullest moments: when, and what is alive then.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/memory/MemoryParts.h"

#include <array>
#include <vector>

namespace planc::cost {

/// The fullest moment of the passes. Bytes on the device beyond what lives for the whole run.
struct PassPeak {
  ir::Phase phase = ir::Phase::Forward;
  int64_t chunk = 0, microBatch = 0;
  ir::LayerClassId layerClass;
  double kept = 0;    ///< for the backward passes of all micro-batches in flight
  double working = 0; ///< of the running instance
  double narrow = 0;  ///< gradients of this pass that wait to be accumulated
  double absent = 0;  ///< gradients that were freed after the update and are not made again yet: to be taken off
  double logits = 0;
  double host = 0; ///< most bytes of activations in the host's memory, at any moment
  double sum() const { return kept + working + narrow + logits - absent; }
};

/// The fullest moment inside an action, against what is alive when it begins.
struct Inside {
  double kept = 0; ///< change of what is kept
  double working = 0, narrow = 0, logits = 0;
  ir::LayerClassId layerClass;
  double remade = 0; ///< gradients that it has made again, if it is the first of a step
  double sum() const { return kept + working + narrow + logits + remade; }
};

/// What the actions of a virtual stage need and leave behind, the same for every micro-batch. Lives as long as its
/// parts.
struct PassMoments {
  struct Action {
    Inside inside;
    double device = 0, host = 0; ///< bytes left behind
    double remade = 0;           ///< gradients of its virtual stage that a step begins without
  };
  std::array<Action, 4> actions; ///< by kind
  const StageParts* parts;
  explicit PassMoments(const StageParts& parts);
};

/// `moments` of all virtual stages; `actions` of one device. `stages`: of devices. `remade`: bytes of gradients of the
/// device that the step begins without. Of what repeats, the first and the last time are walked.
PassPeak passPeak(const std::vector<const PassMoments*>& moments, const ir::Order& actions, int64_t stages,
                  double remade = 0);

} // namespace planc::cost
