// The orders of its actions that a schedule tried.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

namespace planc::cost {

/// An order of its actions that a schedule tried.
struct TriedOrder {
  std::string_view name;
  double seconds = 0; ///< until the last stage has ended, before the optimizer
  bool taken = false; ///< the soonest of those that fit in the memory
};

} // namespace planc::cost
