// What is stated of an estimate as a whole before it is shown: numbers that are none, and shares of a step that a plan
// need not pay or that nobody knows well.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/result/Estimate.h"
#include "backends/cost/simulate/Simulation.h"
#include "ir/machine/Machine.h"

namespace planc::cost {

/// PLAN0809: a plan without a workload has no step to price. True if it says so.
bool reportNoWorkload(const ir::Plan& plan, DiagnosticEngine& diagnostics);

/// The last line of defence: an error that names the first number that is infinite or none, and false.
bool checkFinite(const Estimate& estimate, const ir::Plan& plan, DiagnosticEngine& diagnostics);

/// A warning where much of the step is exposed communication in messages so small that sources of times differ.
void warnOfSmallMessages(const Estimate& estimate, const ir::Plan& plan, int64_t critical,
                         DiagnosticEngine& diagnostics);

/// A warning for each lookup table whose update as a whole, with the reduction of its gradient, takes much of the step:
/// an optimizer for tables updates only the rows that were read.
void warnOfDenseTables(const Simulation& sim, const CostModel& model, DiagnosticEngine& diagnostics);

/// A warning for the attention that runs furthest above the peak of the device: a factor or a curve is wrong.
void warnOfFastAttention(const Simulation& sim, const CostModel& model, const ir::Device& device,
                         const ir::Stack& stack, DiagnosticEngine& diagnostics);

} // namespace planc::cost
