// The parts of a step in which every stage repeats the same actions with later micro-batches.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Orders.h"

#include <cstdint>
#include <vector>

namespace planc::cost {

/// A phase or a block that repeats in one stage's order: the actions [begin, end). One common period of all stages
/// takes `length` of these actions.
struct Stretch {
  size_t begin = 0, end = 0, length = 0;
  bool ofPhase = false;
  int64_t times = 1;               ///< how often the phase or block runs in one common period
  std::vector<ir::Action> written; ///< the actions of the phase or block as they are written
  std::vector<int64_t> counts;     ///< how often each action of `written` runs in one common period
};

/// Stretches that all stages run at about the same time, one per stage.
struct SteadyOrders {
  int64_t microBatches = 1; ///< micro-batches of a common period
  std::vector<Stretch> stages;
};

/// Returns the stretches in order. There are none if some stage repeats too little for leaps to pay, or if
/// micro-batches overtake each other. Then every action is simulated, as in greedy orders without a period.
std::vector<SteadyOrders> findSteadyOrders(const ir::Orders& orders, size_t virtualStages, int64_t routes,
                                           int64_t perRoute);

} // namespace planc::cost
