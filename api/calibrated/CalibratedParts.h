// Calibrated records in a plan beside records that they were not made for.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/plan/Plan.h"
#include "support/Diagnostics.h"
#include "support/Source.h"

namespace planc::api {

/// Warnings for numbers of a user's record that the plan does not read as they were measured:
/// * the device has a curve of attention of its own, and a stack of the library multiplies it by a factor that is
///   relative to the library's curve;
/// * the stack has bytes of an update of its own, and the plan's optimizer is none of those that they are of;
/// * the stack says which devices it was fitted on, and the plan's is none of them.
void warnOfCalibratedParts(const ir::Plan& plan, const SourceManager& sources, DiagnosticEngine& diagnostics);

} // namespace planc::api
