// Comparisons with words in the conditions of a search: which paths allow them, and how they are stored in trees.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/model/Selectors.h"
#include "frontend/plan/Merged.h"

#include <optional>
#include <string>

namespace planc::frontend {

/// Returns whether a value can be compared as a word: a name, a text or a record, but no number and no condition.
bool isWord(const Value& value);
/// Returns whether a path is not a fact but compares with a word in the syntax of `vary`: `recompute`,
/// `pipeline.schedule`.
bool isWordPath(std::string_view path);
/// Returns whether `root` names a block of a plan whose paths no expression can read: `pipeline`, `states`.
bool isOfBlocks(Symbol root);

/// The word in the form that `ir::factAt` compares; nothing after a report. `paths`: the paths of the model; may be
/// null.
std::optional<std::string> wordText(Elaboration& elab, PathTree* paths, std::string_view path,
                                    const syntax::Expr& value, Scope& scope);

} // namespace planc::frontend
