// The lists of a search as values that can be set: elements as written, or computed ones as literals.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/plan/SearchLines.h"

namespace planc::frontend {

/// A value of a list: as `--set` takes it, and what stands for it.
struct VariedValue {
  std::string text;
  const syntax::Expr* expr = nullptr;
  bool fails = false; ///< it is the list itself, which has a mistake: a candidate with it meets that
};

/// The values of a line's list; nothing after a report. Names are those of `scope`. What has to be made for them is
/// kept in `out`. `mayFail`: a list that cannot be computed is one value that fails, and nothing is reported.
std::optional<std::vector<VariedValue>> variedValues(Elaboration& elab, const VariedLine& line, Scope& scope,
                                                     SearchedSpace& out, bool mayFail);

} // namespace planc::frontend
