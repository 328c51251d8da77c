// Prices a schedule: the door of the cost backend.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/result/Estimate.h"
#include "ir/program/Task.h"
#include "support/Diagnostics.h"

#include <memory>
#include <string>
#include <vector>

namespace planc::cost {

/// PLAN0801: a plan that names no software cannot be priced; `known` are the stacks that it could name.
void reportNoSoftware(const ir::Plan& plan, const std::vector<std::string>& known, DiagnosticEngine& diagnostics);

class KnownPrices;

/// Prices a schedule: simulates it, accounts memory, fills the report. Reports PLAN08xx for facts that the plan's
/// device, fabric or stack lacks; returns null then. `known`: prices of layers that other schedules share, looked up
/// and added to.
std::unique_ptr<Estimate> estimate(const ir::Schedule& schedule, DiagnosticEngine& diagnostics, Wanted wanted = {},
                                   KnownPrices* known = nullptr);

} // namespace planc::cost
