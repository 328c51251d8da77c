// Reads words, and paths of the model, which are no names of the plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/plan/Merged.h"

#include <span>

namespace planc::frontend {

/// `[decoder[0:20], embed]`: a list of paths as written.
std::vector<ir::Selector> pathsOf(Elaboration& elab, const syntax::Expr* value);
/// Evaluates an `if` between words: `if pp == 1 then one_f_one_b else zero_bubble`. Words are no values, so the result
/// is the chosen expression. Null after a report.
const syntax::Expr* chosenWord(Elaboration& elab, const syntax::Expr& e, Scope& scope);

/// Converts an expression to a selector: `decoder.attn.core`, `decoder[0:20]`. Nothing for any other expression.
std::optional<syntax::Selector> selectorOf(const syntax::Expr& e);
/// Converts the named arguments of a call to a section of facts: `decoder(save = [attn.core])` gives `{ save =
/// [attn.core] }`. Nothing if an argument has no name.
std::optional<syntax::Section> sectionOf(const syntax::Expr& call);
/// `A` and `B` of `[A, B]`; any other expression is its own single item.
std::span<const syntax::Expr* const> itemsOf(const syntax::Expr* const& e);

} // namespace planc::frontend
