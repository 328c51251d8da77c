// What is read as words and paths of the model, which no name of the plan stands for.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/plan/Merged.h"

#include <span>

namespace planc::frontend {

/// `[decoder[0:20], embed]`: paths as written.
std::vector<ir::Selector> pathsOf(Elaboration& elab, const syntax::Expr* value);
/// A word is no value in scope, but a parameter may choose one: `if pp == 1 then one_f_one_b else zero_bubble`. Null
/// after a report.
const syntax::Expr* chosenWord(Elaboration& elab, const syntax::Expr& e, Scope& scope);

/// A selector that stands as an expression: `decoder.attn.core`, `decoder[0:20]`. Nothing for anything else.
std::optional<syntax::Selector> selectorOf(const syntax::Expr& e);
/// The named arguments of a call as a section of facts: `{ save = [attn.core] }` of `decoder(save = [attn.core])`.
/// Nothing where one has no name.
std::optional<syntax::Section> sectionOf(const syntax::Expr& call);
/// `A` and `B` of `[A, B]`; any other expression stands alone.
std::span<const syntax::Expr* const> itemsOf(const syntax::Expr* const& e);

} // namespace planc::frontend
