// What a virtual stage holds in memory, apart by how long it lives: for the run, for a pass, for one instance.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/memory/Memory.h"
#include "ir/Task.h"

#include <vector>

namespace planc::cost {

/// Equal instances of one class in a virtual stage. Bytes of one instance.
struct InstanceMemory {
  ir::LayerClassId layerClass;
  int64_t count = 1;
  double saved = 0;                               ///< from its forward to its backward, on the device
  double workingForward = 0, workingBackward = 0; ///< beyond `saved`, while it runs
  double narrow = 0;                              ///< its gradients until a deferred accumulation
  double logits = 0;                              ///< fp32 copies of what the loss reads
  double weightOperands = 0;                      ///< what a split backward keeps for the gradients of parameters
};

/// Of one virtual stage, in bytes.
struct StageParts {
  double params = 0, grads = 0, optimizer = 0;                            ///< the states on the device
  double hostParams = 0, hostGrads = 0, hostOptimizer = 0, hostSaved = 0; ///< in the host's memory (saved: one pass)
  double buckets = 0;  ///< of gradients, beside the accumulated ones, for the run
  double received = 0; ///< kept receive buffers of gathered activations, for the run
  double gathered = 0; ///< parameters of running and prefetched instances, before they are sharded again: passes only
  double reducing = 0; ///< buckets of gradients that are being reduced: passes only
  double boundary = 0; ///< received and to be sent: passes only
  double staged = 0;   ///< on the way to or from the host's memory: passes only
  double update = 0;   ///< of new parameters, in the optimizer's step only
  std::vector<InstanceMemory> instances;

  double saved() const;
};

/// Of every kind of virtual stage. What they take from a class is found once.
std::vector<StageParts> partsOfKinds(const ir::Schedule& schedule, const ir::Stack& stack);
StageParts partsOf(const ir::Schedule& schedule, const ir::StageKind& stage, const ir::Stack& stack);

} // namespace planc::cost
