// A forward pass of one micro-batch and a backward pass of another that run together on one device.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/simulate/StagePass.h"
#include "backends/cost/simulate/pipeline/Pipeline.h"

namespace planc::cost {

struct Pair {
  PairCost cost;
  Account account; ///< where its seconds go
};

/// How to run long runs of equal instances: in strides over the periods that repeat, or all. Both give the same times.
enum class Strides { Taken, Off };

/// Both passes together: communication of either, blocking shares too, runs beside the computing of the other;
/// statistics stand inside their operator. Never longer than one after the other. Of long runs of equal instances the
/// periods that repeat are left out, unless `strides` is off.
Pair runPair(const ir::Schedule& schedule, const std::vector<ClassCost>& costs, const ir::StageKind& forward,
             const StagePass& forwardStagePass, const ir::StageKind& backward, const StagePass& backwardStagePass,
             Strides strides = Strides::Taken);

/// Tells `observer` the tasks of both passes of a pair. The first stream computes; the comm streams follow.
void observePair(const ir::Schedule& schedule, const std::vector<ClassCost>& costs, const ir::StageKind& forward,
                 const ir::StageKind& backward, SliceObserver& observer);

} // namespace planc::cost
