// Finds the paths of a plan that the lists of its search read.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/plan/Reading.h"
#include "frontend/plan/SearchLines.h"

namespace planc::frontend {

/// Returns whether values of this kind are rules, words or paths of the model, whose names are not names of the plan.
bool isOfWords(ir::SettingKind kind);

/// Returns whether values of this kind are sizes or batches.
bool isCount(ir::SettingKind kind);

/// Walks a list. `which` receives the paths that decide between lists of an `if`, `elements` the paths that elements
/// read.
void walkList(const VariedLine& line, const syntax::Expr& e, Scope& scope, Reading& which, Reading& elements);

} // namespace planc::frontend
