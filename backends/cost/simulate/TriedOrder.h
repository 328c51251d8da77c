// The orders of actions that were simulated for a schedule.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

namespace planc::cost {

/// An order of actions that was simulated for a schedule.
struct TriedOrder {
  std::string_view name;
  double seconds = 0; ///< seconds until the last stage has ended, before the optimizer
  bool taken = false; ///< true for the order that runs: the fastest that fits in memory, or else the fastest
};

} // namespace planc::cost
