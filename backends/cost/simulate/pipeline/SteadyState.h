// The parts of a step in which every stage repeats the same actions with later micro-batches.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Orders.h"

#include <cstdint>
#include <vector>

namespace planc::cost {

/// Something that one stage repeats, a phase of its order or a block: its actions [begin, end), of which `length` are
/// the common period of all stages.
struct Stretch {
  size_t begin = 0, end = 0, length = 0;
  bool ofPhase = false;
  int64_t times = 1;               ///< of the phase or block in one common period
  std::vector<ir::Action> written; ///< the actions of the phase or block as they are written, and
  std::vector<int64_t> counts;     ///< how often each runs in one common period
};

/// What all stages do at about the same time.
struct SteadyOrders {
  int64_t microBatches = 1; ///< of a common period
  std::vector<Stretch> stages;
};

/// One after the other; none if some stage repeats too little for that to pay, or if micro-batches overtake each other.
/// Then every action is simulated, and the time grows with them: so do greedy orders that find no period.
std::vector<SteadyOrders> findSteadyOrders(const ir::Orders& orders, size_t virtualStages, int64_t routes,
                                           int64_t perRoute);

} // namespace planc::cost
