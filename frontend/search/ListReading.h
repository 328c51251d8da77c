// What the lists of a search read of their plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/plan/Reading.h"
#include "frontend/plan/SearchLines.h"

namespace planc::frontend {

/// A rule, a word or a path of the model: its names are none of the plan.
bool isOfWords(ir::SettingKind kind);

/// A size or a batch.
bool isCount(ir::SettingKind kind);

/// What a list reads: `which` lists of an `if` there are, and its elements.
void walkList(const VariedLine& line, const syntax::Expr& e, Scope& scope, Reading& which, Reading& elements);

} // namespace planc::frontend
