// Turns the lists of a search into values that can be set: elements as written, computed values as literals.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/plan/SearchLines.h"

namespace planc::frontend {

/// A value of a list: its text in the syntax of `--set`, and its expression.
struct VariedValue {
  std::string text;
  const syntax::Expr* expr = nullptr;
  bool fails = false; ///< the value is a whole list with an error, which candidates with it report
};

/// The values of a line's list; nullopt after a report. Names are looked up in `scope`. `out` keeps the expressions
/// that are created for values. `mayFail`: a list that cannot be computed gives one value that fails, without a report.
std::optional<std::vector<VariedValue>> variedValues(Elaboration& elab, const VariedLine& line, Scope& scope,
                                                     SearchedSpace& out, bool mayFail);

} // namespace planc::frontend
