// The part of a step in which every stage repeats the same actions with later micro-batches.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/Task.h"

#include <optional>
#include <vector>

namespace planc::cost {

/// In [begin, end) of a stage's order the action at i + length is the one at i, `microBatches` later.
struct Stretch {
  size_t begin = 0, end = 0, length = 0;
};
struct SteadyOrders {
  int64_t microBatches = 1; ///< of one period, the same on all stages
  std::vector<Stretch> stages;
};

/// Nothing if some stage has no period, or one too long to pay.
std::optional<SteadyOrders> findSteadyOrders(const ir::ActionLists& orders);

} // namespace planc::cost
