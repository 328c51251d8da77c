// Prices the changes that may make a plan fit, each as a plan that extends it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/Compilation.h"
#include "backends/lint/Fixes.h"
#include "ir/plan/PlanEdit.h"

namespace planc::api {

/// The priced changes of a plan that does not fit, best first; where none is enough alone, combinations. Changes
/// that break a law are left out. `edit`: what was set of the plan.
std::vector<lint::Fix> memoryFixes(const Compilation& plan, const SourceManager& sources, const ir::PlanEdit& edit);

} // namespace planc::api
