// Collects the lines of a `search` block and of the command line, as choices of a search.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/model/Selectors.h"
#include "frontend/plan/Merged.h"

#include <optional>
#include <string>
#include <vector>

namespace planc::frontend {

/// One path with its list.
struct VariedLine {
  const syntax::VaryItem* item = nullptr;
  std::string path; ///< as messages show it
  /// The kind of the setting, if a value can change an elaborated plan. `Text`: the plan is elaborated with each value.
  ir::SettingKind kind = ir::SettingKind::Text;
};

/// A choice: a path, and the paths that `with` binds to it.
struct VariedGroup {
  std::vector<VariedLine> lines;
  SourceRange range;
};

struct SearchLines {
  std::vector<VariedGroup> groups;
  std::optional<Symbol> fill;
  SourceRange fillRange;
  int64_t top = 10;
  SourceRange topRange; ///< where the block gives `top`
  std::vector<const syntax::WhereItem*> conditions;
  std::vector<const syntax::GoalItem*> goals;
};

/// The effective lines, each checked by itself. Sets `elab.ok` to false after a report.
SearchLines searchLines(Elaboration& elab, MergedPlan& merged, Scope& scope);

} // namespace planc::frontend
