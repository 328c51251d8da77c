// Evaluates the conditions and goals of a search on estimates.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/result/Estimate.h"
#include "ir/plan/Space.h"

namespace planc::search {

/// Returns what estimates must contain for all conditions and goals.
cost::Wanted wantedBy(const ir::SearchTerms& terms);

/// Returns the value of a goal; smaller is better, because maximized goals have their sign changed. Infinite if the
/// goal has no value.
double goalOf(const ir::Goal& goal, const ir::Plan& plan, const cost::Estimate& estimate);

/// Returns whether floors of step time and memory bound every goal.
bool followFloors(const ir::SearchTerms& terms);

} // namespace planc::search
