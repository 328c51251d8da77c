// The lists of a search as values that can be set: elements as written, or computed ones as literals.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/plan/SearchLines.h"

namespace planc::frontend {

/// A value of a list: as `--set` takes it, and what stands for it.
struct VariedValue {
  std::string text;
  const syntax::Expr* expr = nullptr;
};

/// The values of a line's list; nothing after a report. Names are those of `scope`. What has to be made for them is
/// kept in `out`.
std::optional<std::vector<VariedValue>> variedValues(Elaboration& elab, const VariedLine& line, Scope& scope,
                                                     SearchedSpace& out);

} // namespace planc::frontend
