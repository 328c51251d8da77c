// Compares the exports of two versions of a library.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/Exports.h"

#include <string>
#include <string_view>
#include <vector>

namespace planc::api {

/// The subject of a change; `name(ChangeKind)` is its word in reports.
enum class ChangeKind {
  Removed,
  Renamed,
  Moved,
  Kind,
  ParameterRemoved,
  ParameterRenamed,
  ParameterAdded, ///< without a default
  ParameterType,
  ParameterDefault,
  ParameterCondition,
  ParameterOrder,
  Result,
  Member, ///< of an enum, gone
  Part,   ///< a layer or level, gone
  Deprecated,
  Base, ///< what it extends
  Fact,
  Value,
  Body,       ///< of what has no facts: what it moves, plans tell
  ModuleGone, ///< a file from which something was exported
  Unreadable, ///< a module with errors of syntax
  Estimate,   ///< of a plan of the package
  PlanGone,
  PlanBroken
};
std::string_view name(ChangeKind kind);

struct ExportChange {
  ChangeKind kind = ChangeKind::Removed;
  bool breaking = true;                ///< else it is worth knowing: nobody's plans stop working by it
  std::string name;                    ///< `acme.clusters.pod.pod2`; of a plan its id, `tests/big.plan#big`
  std::string text;                    ///< a sentence
  std::string before, after;           ///< values; empty: it has none
  std::string beforePlace, afterPlace; ///< `clusters/pod.plan:4`; empty: it is not there
};

/// In the order of `before`. Exports belong together by folder and name: a file is no boundary within a folder. No row
/// says what is new, what comments say, or how bodies are laid out.
std::vector<ExportChange> exportChanges(const std::vector<Export>& before, const std::vector<Export>& after);

} // namespace planc::api
