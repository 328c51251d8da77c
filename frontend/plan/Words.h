// What is read as words and paths of the model, which no name of the plan stands for.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/plan/Merged.h"

namespace planc::frontend {

/// `[decoder[0:20], embed]`: paths as written.
std::vector<ir::Selector> pathsOf(Elaboration& elab, const syntax::Expr* value);
/// A word is no value in scope, but a parameter may choose one: `if pp == 1 then one_f_one_b else zero_bubble`. Null
/// after a report.
const syntax::Expr* chosenWord(Elaboration& elab, const syntax::Expr& e, Scope& scope);

} // namespace planc::frontend
