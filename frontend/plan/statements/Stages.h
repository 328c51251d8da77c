// `stages = …` of a pipeline.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/plan/Merged.h"

namespace planc::frontend {

/// Reads the cut of the layers for a pipeline without stage lines into `out.cut`; leaves it empty after a report.
void stageCut(Elaboration& elab, const syntax::Expr& written, Scope& scope, ir::Pipeline& out);

} // namespace planc::frontend
