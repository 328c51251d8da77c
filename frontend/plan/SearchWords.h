// Words that conditions of a search compare: which paths have them, and how they are written in trees.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/model/Selectors.h"
#include "frontend/plan/Merged.h"

#include <optional>
#include <string>

namespace planc::frontend {

/// A value that is neither a number nor a condition, and that another one may equal: a name, a text, a record.
bool isWord(const Value& value);
/// `recompute`, `pipeline.schedule`: no fact of the plan, and compared with a word as `vary` takes it.
bool isWordPath(std::string_view path);
/// Blocks of a plan whose paths no expression can read: `pipeline`, `states`.
bool isOfBlocks(Symbol root);

/// The word as `ir::factAt` compares it; nothing after a report. `paths`: of the model, null if there is none.
std::optional<std::string> wordText(Elaboration& elab, PathTree* paths, std::string_view path,
                                    const syntax::Expr& value, Scope& scope);

} // namespace planc::frontend
