// Warns of facts in a plan's `overlap` about communication that the plan does not have.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Program.h"
#include "support/Diagnostics.h"

namespace planc::passes {

/// Warns (PLAN0924) of facts of `overlap` without effect. The program is at level comm with known boundaries.
void warnOfIdleOverlap(const ir::Program& program, DiagnosticEngine& diagnostics);

} // namespace planc::passes
