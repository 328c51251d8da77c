// What the conditions and goals of a search ask of estimates.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/result/Estimate.h"
#include "ir/plan/Space.h"

namespace planc::search {

/// What all of them ask of an estimate.
cost::Wanted wantedBy(const ir::SearchTerms& terms);

/// Less is better: what is maximized has its sign changed. Infinite without a value.
double goalOf(const ir::Goal& goal, const ir::Plan& plan, const cost::Estimate& estimate);

/// Do floors of step time and memory say how good a candidate can be at best, in every goal?
bool followFloors(const ir::SearchTerms& terms);

} // namespace planc::search
