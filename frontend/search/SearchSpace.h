// Builds the space of a search from its lines: evaluates lists, finds their dependencies, and orders the choices.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/plan/SearchLines.h"

#include <set>

namespace planc::frontend {

/// Builds the space and hands it to the search request of `merged`. If there is no request, the space is only checked.
/// `reads`: the paths that conditions and goals read, without paths that stay facts in their trees.
void searchSpace(Elaboration& elab, MergedPlan& merged, PathTree* paths, Scope& scope, const SearchLines& lines,
                 const std::set<std::string>& reads);

} // namespace planc::frontend
