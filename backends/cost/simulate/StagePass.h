// One micro-batch through one virtual stage: the chain of its instances, with state collectives issued ahead.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/simulate/Segments.h"

#include <vector>

namespace planc::cost {

struct StagePass {
  double seconds = 0;         ///< of the compute stream, from start to end
  double alone = 0;           ///< the part that the instances take by themselves
  double weight = 0;          ///< gradients of parameters, part of `alone`
  double first = 0, last = 0; ///< the first and the last layer in this direction, alone
  double tail = 0;            ///< comm streams run on for this long after the end
  bool communicates = false;  ///< has state collectives: waits until the comm stream is free
  Account account;            ///< where `seconds` go, all instances together
  bool booked = false;        ///< whether it is there
  Account running;            ///< whose communication `tail` is: exposed by whoever waits for it
};

/// Whether a pass in that direction moves the state, once for every micro-batch.
bool everyMicroBatch(const ir::StateCollective& state, bool backward);

/// Without `account` it is left to `bookAlone` where that is all there is to it.
/// Equal instances are simulated until their rhythm repeats, then multiplied; runs of up to eight are simulated whole.
StagePass runStagePass(const ir::Schedule& schedule, const std::vector<ClassCost>& costs, const ir::StageKind& stage,
                       bool backward, bool account = true);
/// The account of a pass whose instances run alone, if it is not there.
void bookAlone(StagePass& pass, const std::vector<ClassCost>& costs, const ir::StageKind& stage, bool backward);

} // namespace planc::cost
