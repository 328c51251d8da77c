// What a plan's `run` takes: days, device-hours, money, energy, carbon, failures (docs/cost-model.md, section 8).
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/result/Estimate.h"
#include "support/Diagnostics.h"

namespace planc::cost {

/// Bytes of a checkpoint: what is trained, and what its optimizer keeps of it, once for all devices.
double checkpointBytes(const ir::Program& program);

/// Nothing if the plan says no run. The totals hold its step.
std::optional<Run> runOf(const ir::Program& program, const Totals& totals);

/// False after saying that checkpoints or failures leave nothing of the run.
bool checkRun(const Run& run, const ir::Plan& plan, DiagnosticEngine& diagnostics);

} // namespace planc::cost
