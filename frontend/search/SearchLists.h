// Evaluates the lists of a search, for every combination of the values that they depend on, as choices in line order.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/plan/SearchMistakes.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace planc::frontend {

/// The plan whose space is made, and the lines that make it.
struct SpaceSource {
  Elaboration& elab;
  MergedPlan& merged;
  const SearchLines& lines;
  const DeclInfo* writer = nullptr; ///< the plan of the chain whose names the lines use

  /// The scope of these names in a folded chain.
  Scope& scopeIn(MergedPlan& folded) const;
  /// Folds the chain with these values and all other edits from outside of the file; null after a report.
  std::unique_ptr<MergedPlan> with(Elaboration& other, const std::vector<Edit>& values) const;
};

/// The choices of a search, before it is decided which of them are set in the plan's text.
struct SearchedLists {
  SearchedSpace space;
  std::vector<bool> openElements;                      ///< by choice: the elements of its lists depend on other choices
  std::vector<bool> fails;                             ///< by choice: some of its lists cannot be computed
  std::vector<std::pair<size_t, WrittenValue>> looked; ///< values to be checked alone, with their choices
};

/// Evaluates all lists of a search. Returns nullopt after a report.
std::optional<SearchedLists> searchLists(const SpaceSource& source);

} // namespace planc::frontend
