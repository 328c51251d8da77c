// Prices a plan without one or each of its `recompute` statements.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/Compilation.h"
#include "report/Report.h"

namespace planc::api {

/// The plan without one of its statements, as `Compilation::beside`, with its totals; null where it has no price.
std::unique_ptr<Compilation> withoutRecompute(const Compilation& plan, size_t statement);

/// What each statement of a priced plan frees and costs, in the order of the plan.
std::vector<lint::RecomputeEffect> recomputeEffects(const Compilation& plan);

} // namespace planc::api
