// Rows of a store as CSV: what it says by itself, without the plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "search/store/Store.h"

namespace planc::search {

/// The line of names. `goals`: as they were written, `minimize step_time`.
std::string storedRowHead(const ir::Space& space, const std::vector<std::string>& goals);
/// A candidate: its number, fate, goals in their own direction, step time, memory and choices. The size of an axis that
/// is filled is not stored.
std::string storedRow(const ir::Space& space, const std::vector<std::string>& goals, const Outcome& outcome);

} // namespace planc::search
