// Prices a plan without each of its `recompute` statements.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/report/Report.h"
#include "driver/Pipeline.h"

namespace planc::driver {

/// What each statement of a priced plan frees and costs, in the order of the plan.
std::vector<report::RecomputeEffect> recomputeEffects(const CompiledPlan& plan);

} // namespace planc::driver
