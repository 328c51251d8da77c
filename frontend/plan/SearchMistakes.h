// Mistakes in the values of a search that are those of every candidate: told as mistakes of its text, before any is
// made.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/plan/SearchLines.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace planc::frontend {

/// A value as its text, without differences that say nothing: `80GB` and `80e9B`, `dp` and `[dp]` have one.
std::string plainText(std::string_view text);

/// `one_f_one_b`, `interleaved_1f1b(chunks = 2)`: there are such a schedule and its arguments. False after a report.
bool knownSchedule(Elaboration& elab, const syntax::Expr& schedule);

/// Some operator of the model has the dimension that a rule places. False after a report.
bool knownDimension(Elaboration& elab, const ir::Model& model, const ir::PlacementRule& rule);

/// A value of a choice that is set in the text of the plan, and where it is written.
struct WrittenValue {
  Edit edit;
  SourceRange path, value;
  bool pathHolds = true; ///< no other choice decides whether the plan has what the path names
};
/// Elaborates the plan with each of them by itself, and reports what is wrong within it; nothing of what is wrong
/// elsewhere, which other values may set right. False after a report.
bool checkWritten(Elaboration& elab, MergedPlan& merged, const std::vector<WrittenValue>& values);

/// The same report once more, of a run whose reports were put aside.
void reportAgain(Context& context, const Diagnostic& found);

/// Warns of parameters and constants that are varied and that nothing reads but the search. `reads`: what its
/// conditions read.
void warnOfIdle(Elaboration& elab, MergedPlan& merged, const SearchLines& lines, const ir::Space& space,
                const std::set<std::string>& reads);

} // namespace planc::frontend
