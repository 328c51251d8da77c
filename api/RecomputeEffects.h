// Prices a plan without each of its `recompute` statements.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/Compilation.h"
#include "backends/report/Report.h"

namespace planc::api {

/// What each statement of a priced plan frees and costs, in the order of the plan.
std::vector<report::RecomputeEffect> recomputeEffects(const Compilation& plan);

} // namespace planc::api
