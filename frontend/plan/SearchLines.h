// The lines of a `search` block, with those that a command line adds, as choices to be made.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/model/Selectors.h"
#include "frontend/plan/Merged.h"

#include <optional>
#include <string>
#include <vector>

namespace planc::frontend {

/// What a path of a search leads to.
enum class VariedKind { Axis, Batch, Schedule, Stages, Placement, State, Recompute, Other };

/// One path with its list.
struct VariedLine {
  const syntax::VaryItem* item = nullptr;
  std::string path; ///< as messages show it
  VariedKind kind = VariedKind::Other;
};

/// A choice: a path, and those that are bound to it.
struct VariedGroup {
  std::vector<VariedLine> lines;
  SourceRange range;
};

struct SearchLines {
  std::vector<VariedGroup> groups;
  std::optional<Symbol> fill;
  SourceRange fillRange;
  int64_t top = 10;
  SourceRange topRange; ///< where the block says it
  std::vector<const syntax::WhereItem*> conditions;
  std::vector<const syntax::GoalItem*> goals;
};

/// The lines that hold, each checked by itself; `elab.ok` is false after a report.
SearchLines searchLines(Elaboration& elab, MergedPlan& merged, Scope& scope);

} // namespace planc::frontend
