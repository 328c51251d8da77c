// The lists of a search for all that they depend on, as choices in the order of the lines.
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
  /// The chain folded with these values and what else is set beside the file; null after a report.
  std::unique_ptr<MergedPlan> with(Elaboration& other, const std::vector<Edit>& values) const;
};

/// Choices before it is known which of them are set in the text.
struct SearchedLists {
  SearchedSpace space;
  std::vector<bool> openElements;                      ///< by choice: the elements of its lists depend on others
  std::vector<bool> fails;                             ///< by choice: some of its lists cannot be computed
  std::vector<std::pair<size_t, WrittenValue>> looked; ///< by choice: values that are looked at by themselves
};

/// Nothing after a report.
std::optional<SearchedLists> searchLists(const SpaceSource& source);

} // namespace planc::frontend
