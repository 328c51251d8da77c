// Prices a plan without one of its `recompute` statements, and the effect of every statement.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/Compilation.h"
#include "report/Report.h"

namespace planc::api {

/// Returns a priced copy of the plan without the `recompute` statement of index `statement`, made by
/// `Compilation::beside`. Returns null if the copy cannot be priced.
std::unique_ptr<Compilation> withoutRecompute(const Compilation& plan, size_t statement);

/// Returns what each `recompute` statement of a priced plan frees and costs, in the order of the plan.
std::vector<lint::RecomputeEffect> recomputeEffects(const Compilation& plan);

} // namespace planc::api
