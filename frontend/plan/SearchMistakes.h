// Finds errors in single values of a search that every candidate would have. They are reported at the search's text,
// before any candidate is built.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/plan/SearchLines.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace planc::frontend {

/// The normalized text of a value: equal for `80GB` and `80e9B`, and for `dp` and `[dp]`.
std::string plainText(std::string_view text);

/// Checks that the schedule exists and takes its arguments: `one_f_one_b`, `interleaved_1f1b(chunks = 2)`. Returns
/// false after a report.
bool knownSchedule(Elaboration& elab, const syntax::Expr& schedule);

/// Checks that some operator of the model has the dimension that a rule places. Returns false after a report.
bool knownDimension(Elaboration& elab, const ir::Model& model, const ir::PlacementRule& rule);

/// A value of a choice that is set in the text of the plan, and its place.
struct WrittenValue {
  Edit edit;
  SourceRange path, value;
  bool pathHolds = true; ///< no other choice decides whether the path exists in the plan
};
/// Elaborates the plan with each value alone, and reports errors within the value. Ignores errors elsewhere, because
/// other values of the search may remove them. Returns false after a report.
bool checkWritten(Elaboration& elab, MergedPlan& merged, const std::vector<WrittenValue>& values);

/// Repeats a report of an earlier run whose reports were held back.
void reportAgain(Context& context, const Diagnostic& found);

/// Warns of varied parameters and constants that only the search itself reads. `reads`: the paths that its conditions
/// read.
void warnOfIdle(Elaboration& elab, MergedPlan& merged, const SearchLines& lines, const ir::Space& space,
                const std::set<std::string>& reads);

} // namespace planc::frontend
