// Memory of a virtual stage, split by lifetime: the whole run, a pass, one instance.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/facts/Facts.h"
#include "backends/cost/memory/Memory.h"
#include "ir/program/States.h"
#include "ir/program/Task.h"

#include <array>
#include <memory>
#include <vector>

namespace planc::cost {

/// Memory of equal instances of one class in a virtual stage, in bytes per instance.
struct InstanceMemory {
  ir::LayerClassId layerClass;
  int64_t count = 1;
  double saved = 0;                               ///< on the device, from its forward to its backward
  double workingForward = 0, workingBackward = 0; ///< in addition to `saved`, while it runs
  double narrow = 0;                              ///< gradients that wait for a deferred accumulation
  double remade = 0;                              ///< gradients that the first backward pass of a step allocates again
  double logits = 0;                              ///< fp32 copies of the logits
  double weightOperands = 0;                      ///< kept by a split backward for the gradients of parameters
};

/// Memory of one virtual stage, in bytes.
struct StageParts {
  double params = 0, grads = 0, optimizer = 0;                            ///< states on the device
  double hostParams = 0, hostGrads = 0, hostOptimizer = 0, hostSaved = 0; ///< on the host; `hostSaved`: of one pass
  double buckets = 0;  ///< gradient buckets in addition to accumulated gradients, whole run
  double received = 0; ///< kept receive buffers of gathered activations, whole run
  double gathered = 0; ///< gathered parameters of running and prefetched instances, passes only
  double reducing = 0; ///< gradient buckets during their reduction, passes only
  double boundary = 0; ///< values received from and sent to other stages, passes only
  double staged = 0;   ///< data on the way to or from the host's memory, passes only
  double update = 0;   ///< buffer of new parameters, optimizer's step only
  double copies = 0;   ///< temporaries of an update of all tensors at once, optimizer's step only
  double remade = 0;   ///< part of `grads` that is freed after the update and allocated again in backward
  std::vector<InstanceMemory> instances;

  /// Returns the bytes that one forward pass keeps on the device.
  double saved() const;
};

/// Memory that a device needs for one parameter of one instance.
struct ParamParts {
  std::array<bool, 3> host{}; ///< whether params, grads, optimizer lie on the host
  bool trained = false;       ///< has gradients and optimizer states
  ir::StateBytes bytes;
  double sent = 0; ///< bytes of its gradient that are sent to the host
  double elements = 0, width = 0;
  bool bucket = false;             ///< a bucket holds a copy of its gradient
  bool remade = false;             ///< its gradient is freed after the update
  double copies = 0;               ///< temporary bytes of its update, in addition to the states
  double params = 1, gathered = 0; ///< number of shards of its value, and of the gather in its update (0: no gather)
};

/// The memory of one instance of a class, as parts. The parts of all instances add up to the memory of a stage.
struct ClassParts {
  InstanceMemory instance;
  std::vector<ParamParts> params;
  std::vector<double> hostSaved; ///< saved activations that lie on the host until backward
  double keptGathered = 0;
  EnumArray<ir::CollectiveClass, double, ir::kCollectiveClasses> received{}; ///< largest gathered activation
  bool inPasses = false; ///< has states that are communicated in every micro-batch
};

/// Returns the memory of every kind of virtual stage. The parts of each class are computed once, and cached in the
/// memos of the facts.
std::vector<StageParts> partsOfKinds(const ir::Schedule& schedule, const Facts& facts);
/// Returns the memory of one kind of virtual stage, without a cache.
StageParts partsOf(const ir::Schedule& schedule, const ir::StageKind& stage, const ir::Stack& stack);

} // namespace planc::cost
