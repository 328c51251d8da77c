// Comparisons of a part with more than the whole: a forgotten `%`.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/plan/Plan.h"
#include "support/Diagnostics.h"

namespace planc::verdict {

/// Reports (PLAN0340) a comparison that holds or fails whatever the step takes, since one side is a part of something
/// and the other a plain number of times all of it: `mfu > 40`, `bubble / step_time < 15`, `memory.peak < 95 *
/// cluster.device.memory`.
void checkShares(const ir::Plan& plan, const ir::ExprTree& tree, ir::ExprId comparison, DiagnosticEngine& diagnostics);

} // namespace planc::verdict
