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
  Member, ///< an enum member was removed
  Part,   ///< a layer or level was removed
  Deprecated,
  Base, ///< the extended declaration changed
  Fact,
  Value,
  Body,       ///< the body of a declaration without facts changed; prices of plans show the effect
  ModuleGone, ///< a file that exported declarations was removed
  Unreadable, ///< a module has syntax errors
  Estimate,   ///< the estimate of one of the package's plans changed
  PlanGone,
  PlanBroken
};
std::string_view name(ChangeKind kind);

struct ExportChange {
  ChangeKind kind = ChangeKind::Removed;
  bool breaking = true;                ///< false: worth knowing, but no plan of a user stops working
  std::string name;                    ///< `acme.clusters.pod.pod2`, or the id of a plan: `tests/big.plan#big`
  std::string text;                    ///< one sentence
  std::string before, after;           ///< values in the two versions; empty if there is none
  std::string beforePlace, afterPlace; ///< `clusters/pod.plan:4`; empty if that version lacks it
};

/// Returns the changes in the order of `before`. Exports are paired by folder and name, so moving a declaration to
/// another file of its folder keeps the pair. Additions, comments and formatting are not reported.
std::vector<ExportChange> exportChanges(const std::vector<Export>& before, const std::vector<Export>& after);

} // namespace planc::api
