// From the lines of a search to its space: lists evaluated, their dependencies found, choices put in order.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/plan/SearchLines.h"

#include <set>

namespace planc::frontend {

/// Makes the space and hands it to the request of `merged`; without one it is only checked. `reads`: paths that the
/// conditions and goals read other than as open facts.
void searchSpace(Elaboration& elab, MergedPlan& merged, PathTree* paths, Scope& scope, const SearchLines& lines,
                 const std::set<std::string>& reads);

} // namespace planc::frontend
