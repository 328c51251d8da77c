// Checks of an estimate as a whole before it is reported: numbers that are not finite, and large shares of a step that
// are avoidable or poorly known.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/result/Estimate.h"
#include "backends/cost/simulate/Simulation.h"
#include "ir/machine/Machine.h"

namespace planc::cost {

/// Reports a plan without a workload (PLAN0809), which has no step to price. Returns true if it did.
bool reportNoWorkload(const ir::Plan& plan, DiagnosticEngine& diagnostics);

/// Reports the first number that is infinite or not a number. Returns false if there is one.
bool checkFinite(const Estimate& estimate, const ir::Plan& plan, DiagnosticEngine& diagnostics);

/// Warns if much of the step is exposed communication in messages so small that public sources disagree on their time.
void warnOfSmallMessages(const Estimate& estimate, const ir::Plan& plan, int64_t critical,
                         DiagnosticEngine& diagnostics);

/// Warns of each lookup table whose update of all rows, with the reduction of its gradient, takes much of the step. An
/// optimizer for tables updates only the rows that were read.
void warnOfDenseTables(const Simulation& sim, const CostModel& model, DiagnosticEngine& diagnostics);

/// Warns of the fused attention, or the product with a rate of its own in the stack, that computes furthest above the
/// device's peak, in its forward or backward pass: a rate, a factor or a curve is wrong then.
void warnOfFastKernel(const Simulation& sim, const CostModel& model, const ir::Device& device, const ir::Stack& stack,
                      DiagnosticEngine& diagnostics);

} // namespace planc::cost
