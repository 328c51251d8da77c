// Comparisons of a part with more than the whole: a forgotten `%`.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/plan/Plan.h"
#include "support/Diagnostics.h"

namespace planc::verdict {

/// Reports (PLAN0340) a comparison whose result no step time can change, because one side is a part of a whole and the
/// other side is more than the whole: `mfu > 40`, `bubble / step_time < 15`, `memory.peak < 95 *
/// cluster.device.memory`.
void checkShares(const ir::Plan& plan, const ir::ExprTree& tree, ir::ExprId comparison, DiagnosticEngine& diagnostics);

} // namespace planc::verdict
