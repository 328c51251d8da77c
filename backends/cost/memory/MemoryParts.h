// What a virtual stage holds in memory, apart by how long it lives: for the run, for a pass, for one instance.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/memory/Memory.h"
#include "ir/program/States.h"
#include "ir/program/Task.h"
#include "support/Memo.h"

#include <array>
#include <memory>
#include <vector>

namespace planc::cost {

/// Equal instances of one class in a virtual stage. Bytes of one instance.
struct InstanceMemory {
  ir::LayerClassId layerClass;
  int64_t count = 1;
  double saved = 0;                               ///< from its forward to its backward, on the device
  double workingForward = 0, workingBackward = 0; ///< beyond `saved`, while it runs
  double narrow = 0;                              ///< its gradients until a deferred accumulation
  double remade = 0;                              ///< gradients that the first backward pass of a step makes
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
  double copies = 0;   ///< values that an update of all tensors at once makes, in the optimizer's step only
  double remade = 0;   ///< of `grads`: freed after the update, until the first backward pass of a step makes them
  std::vector<InstanceMemory> instances;

  double saved() const;
};

/// What a device keeps of a parameter of one instance.
struct ParamParts {
  std::array<bool, 3> host{}; ///< params, grads, optimizer
  bool trained = false;       ///< has more than its value
  ir::StateBytes bytes;
  double sent = 0; ///< gradient that leaves for the host
  double elements = 0, width = 0;
  bool bucket = false;             ///< a copy of its gradient lies in a bucket
  bool remade = false;             ///< its gradient is freed after the update
  double copies = 0;               ///< bytes that its update makes beside the states
  double params = 1, gathered = 0; ///< shards of its value, and those that an update gathers; 0: none
};

/// What stages take from a class, of one instance.
struct ClassParts {
  InstanceMemory instance;
  std::vector<ParamParts> params;
  std::vector<double> hostSaved; ///< what leaves for the host until its backward
  double keptGathered = 0;
  EnumArray<ir::CollectiveClass, double, ir::kCollectiveClasses> received{}; ///< the largest gathered activations
  bool inPasses = false; ///< has states that are communicated every micro-batch
};

/// Of layers whose states are stored alike, by what they share, for schedules of one stack.
class KnownParts {
public:
  /// Null if they are not known yet.
  std::shared_ptr<const ClassParts> find(const ir::Program& program, const ir::LayerClass& layerClass) const;
  void add(const ir::Program& program, const ir::LayerClass& layerClass, std::shared_ptr<const ClassParts> parts);
  void clear() { classes_.clear(); }

private:
  struct Known {
    Shared<std::vector<ir::ParamState>> params; ///< kept, so that no others take their place in memory, and
    Shared<Indexed<ir::Node>> forward;
    std::shared_ptr<const ClassParts> parts;
  };
  Memo<Known> classes_{1 << 10};
};

/// Of every kind of virtual stage. What they take from a class is found once; `known`: before, for other schedules.
std::vector<StageParts> partsOfKinds(const ir::Schedule& schedule, const ir::Stack& stack, KnownParts* known = nullptr);
StageParts partsOf(const ir::Schedule& schedule, const ir::StageKind& stage, const ir::Stack& stack);

} // namespace planc::cost
