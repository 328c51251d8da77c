// The differences of the plans of two versions, as text, Markdown, annotations and JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/diff/Changes.h"
#include "report/Report.h"
#include "report/document/Document.h"

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace planc::report {

/// The state of a plan after a change. Renamed plans differ only in their names. Broken plans have errors only after
/// the change, mended plans only before, and plans that are still broken have errors in both versions.
enum class Fate { Changed, Renamed, Added, Removed, Broken, StillBroken, Mended };
/// Returns the text, such as `still broken`.
std::string_view name(Fate fate);

/// The difference of one plan between the two versions.
struct PlanDiff {
  Fate fate = Fate::Changed;
  std::string id;                               ///< id after; path of a file that is broken as a whole
  std::string was{};                            ///< id before the change, if it differs from `id`
  std::optional<diff::Difference> difference{}; ///< Changed, Renamed
  const diff::Result* result = nullptr;         ///< other fates: result of the side with a price; null: no side has one
  std::string error{};                          ///< why a side has no price: the first error, or the missing input
  std::string where{}; ///< place of its first change or error in a compared file: `plans/run.plan:20`; may be empty

  /// The price on a side; null if it has none.
  const diff::Result* before() const;
  const diff::Result* after() const;
  /// Returns whether the plan needs more memory than there is, and is new or did fit before.
  bool newlyUnfit() const;
};

/// A metric that changed by more than its gate allows.
struct GateFailure {
  std::string id, gate; ///< `step_time > +3%`
  std::string what;     ///< `2.488 s → 2.671 s (+7.4 %)`
  std::string where;    ///< place of the plan
};

/// The differences of all plans between two versions.
struct DiffReport {
  std::string before, after;             ///< the two versions, as the user wrote them
  std::vector<std::string> project = {}; ///< changes in planc.toml: `gates.step_time "+3%" → none`
  size_t equal = 0;                      ///< plans without any difference
  std::vector<PlanDiff> plans = {};
  size_t gates = 0;                     ///< number of gates
  std::vector<std::string> unheld = {}; ///< gates whose metric no plan has
  std::vector<GateFailure> failures = {};
};

/// Sorts the plans, worst first: broken plans, plans that no longer fit, then plans by the relative growth of their
/// step, faster ones last.
void sortWorstFirst(DiffReport& report);
/// Returns a metric before and after, `2.488 s → 2.671 s (+7.4 %)`; `-` if neither side has a value.
std::string metricChange(const diff::Difference& d, std::string_view metric);

/// Returns the differences as a document. Its Markdown is that of `diffMarkdown`.
Document diffDocument(const DiffReport& report, Shown shown, const PageOptions& options = {});
/// Returns Markdown for a comment on a pull request, below GitHub's 65,536 characters for any number of plans. Its
/// first line is constant, so that a script can find the comment again.
std::string diffMarkdown(const DiffReport& report);
/// Returns GitHub annotations, worst first, ten at most.
std::string diffGithub(const DiffReport& report);
/// Returns the differences as JSON.
nlohmann::ordered_json diffJson(const DiffReport& report);

} // namespace planc::report
