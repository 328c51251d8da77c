// Warns if a plan combines calibrated records that do not fit each other.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/plan/Plan.h"
#include "support/Diagnostics.h"
#include "support/Source.h"

namespace planc::api {

/// Warns if a plan combines a user's calibrated record with numbers that do not fit it:
/// * The device has its own attention curve, and a library stack multiplies it by a factor that is relative to the
///   library's curve.
/// * The stack has measured optimizer bytes, and the plan uses an optimizer with another update.
/// * The stack names the devices that it was fitted on, and the plan's device is not among them.
void warnOfCalibratedParts(const ir::Plan& plan, const SourceManager& sources, DiagnosticEngine& diagnostics);

} // namespace planc::api
