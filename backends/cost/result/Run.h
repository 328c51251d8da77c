// Totals of a plan's `run`: days, device-hours, money, energy, carbon, failures (docs/cost-model.md, section 8).
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/result/Estimate.h"
#include "support/Diagnostics.h"

namespace planc::cost {

/// Returns the bytes of a checkpoint: trained parameters and their optimizer states, once for all devices.
double checkpointBytes(const ir::Program& program);

/// Returns null if the plan has no `run`. `totals` holds the step time.
std::optional<Run> runOf(const ir::Program& program, const Totals& totals);

/// Returns false, with a diagnostic, if checkpoints or failures leave no progress, or if saving takes longer than the
/// interval.
bool checkRun(const Run& run, const ir::Plan& plan, DiagnosticEngine& diagnostics);

} // namespace planc::cost
