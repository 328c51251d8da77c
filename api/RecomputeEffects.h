// Prices a plan without one or each of its `recompute` statements.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/Compilation.h"
#include "report/Report.h"

namespace planc::api {

/// Returns the plan without its `recompute` statement number `statement`, priced, made by `Compilation::beside`. Null
/// if it cannot be priced.
std::unique_ptr<Compilation> withoutRecompute(const Compilation& plan, size_t statement);

/// Returns what each `recompute` statement of a priced plan frees and costs, in the order of the plan.
std::vector<lint::RecomputeEffect> recomputeEffects(const Compilation& plan);

} // namespace planc::api
