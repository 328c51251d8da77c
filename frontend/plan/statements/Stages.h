// `stages = …` of a pipeline.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/plan/Merged.h"

namespace planc::frontend {

/// How the layers are cut where no stage lines say it, into `out.cut`; nothing after a report.
void stageCut(Elaboration& elab, const syntax::Expr& written, Scope& scope, ir::Pipeline& out);

} // namespace planc::frontend
