// Walks the actions of a device stage, and finds the moment of the peak and the contents of the memory then.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/memory/MemoryParts.h"

#include <array>
#include <span>
#include <vector>

namespace planc::cost {

/// The moment of the peak during the passes. Bytes on the device, in addition to memory that lives for the whole run.
struct PassPeak {
  ir::Phase phase = ir::Phase::Forward;
  int64_t chunk = 0, microBatch = 0;
  ir::LayerClassId layerClass;
  double kept = 0;    ///< bytes kept for the backward passes of all micro-batches in flight
  double working = 0; ///< working bytes of the running instance
  double narrow = 0;  ///< gradients of this pass that wait for accumulation
  double absent = 0;  ///< gradients freed after the update, not yet allocated again; subtracted
  double logits = 0;
  double host = 0; ///< most bytes of activations in the host's memory at any moment
  double sum() const { return kept + working + narrow + logits - absent; }
};

/// The peak inside an action, relative to the memory at its beginning.
struct Inside {
  double kept = 0; ///< change of the kept bytes
  double working = 0, narrow = 0, logits = 0;
  ir::LayerClassId layerClass;
  double remade = 0; ///< gradients that the action has allocated again, if it is the first of a step
  double sum() const { return kept + working + narrow + logits + remade; }
};

/// The bytes of a device that do not follow its passes.
struct SteadyBytes {
  double params = 0, grads = 0, optimizer = 0;
  double run = 0;    ///< buffers for the whole run
  double passes = 0; ///< buffers from the first pass to the last
  double update = 0; ///< buffers during the optimizer's step; negative: the step has no optimizer
  double absent = 0; ///< gradients that are absent when a step begins, part of `grads`
};

/// Receives the memory of a device, action by action. An accounting without an observer spends no time on it.
class MemoryObserver {
public:
  virtual ~MemoryObserver() = default;
  /// The moments of the next device stage follow.
  virtual void beginStage(int64_t stage, const SteadyBytes& steady) = 0;
  /// An action runs, together with `paired` unless that is null. `moments`: inside of it, in order. `after`: what
  /// stays.
  virtual void observe(const ir::Action& action, const ir::Action* paired, std::span<const PassPeak> moments,
                       const PassPeak& after) = 0;
};

/// Memory needs of the actions of a virtual stage, equal for all micro-batches. Must not outlive its `StageParts`.
struct PassMoments {
  struct Action {
    Inside inside;
    double device = 0, host = 0; ///< change of the bytes that stay after the action
    double remade = 0;           ///< gradients of its virtual stage that are absent when a step begins
  };
  std::array<Action, 4> actions; ///< by `ir::ActionKind`
  const StageParts* parts;
  explicit PassMoments(const StageParts& parts);
};

/// Returns the peak of one device. `moments`: of all virtual stages. `actions`: the order of one device. `stages`:
/// number of device stages. `remade`: bytes of the device's gradients that are absent when the step begins. Walks only
/// the first and the last repetition of repeated actions, but all of them with an `observer`.
PassPeak passPeak(const std::vector<const PassMoments*>& moments, const ir::Order& actions, int64_t stages,
                  double remade = 0, MemoryObserver* observer = nullptr);

} // namespace planc::cost
