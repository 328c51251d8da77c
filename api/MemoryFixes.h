// Prices changes that may make a plan fit in memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/Compilation.h"
#include "backends/lint/Fixes.h"
#include "ir/plan/PlanEdit.h"

namespace planc::api {

/// Returns the priced changes of a plan that does not fit, best first. If no single change is enough, combinations are
/// tried. Changes that a law rejects are left out. `edit`: the facts that were overridden in the plan.
std::vector<lint::Fix> memoryFixes(const Compilation& plan, const SourceManager& sources, const ir::PlanEdit& edit);

} // namespace planc::api
