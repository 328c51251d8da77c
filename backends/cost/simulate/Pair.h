// A forward pass of one micro-batch and a backward pass of another that run together on one device.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/simulate/StagePass.h"
#include "backends/cost/simulate/pipeline/Pipeline.h"

namespace planc::cost {

struct Pair {
  PairCost cost;
  Account account; ///< its seconds by class
};

/// How to run long runs of equal instances: in strides over periods that repeat, or every instance. Both give the same
/// times.
enum class Strides { Taken, Off };

/// Runs both passes together: communication of one pass, blocking shares included, runs during computing of the other;
/// statistics are part of their operator. The pair is never longer than one pass after the other. Repeating periods of
/// long runs of equal instances are skipped, unless `strides` is off.
Pair runPair(const ir::Schedule& schedule, const std::vector<ClassCost>& costs, const ir::StageKind& forward,
             const StagePass& forwardStagePass, const ir::StageKind& backward, const StagePass& backwardStagePass,
             Strides strides = Strides::Taken);

/// Passes the tasks of both passes of a pair to `observer`, and the seconds of the compute stream, before the pair is
/// slowed and waits for the host and for states. The first stream computes; the comm streams follow.
void observePair(const ir::Schedule& schedule, const std::vector<ClassCost>& costs, const ir::StageKind& forward,
                 const ir::StageKind& backward, SliceObserver& observer);

} // namespace planc::cost
