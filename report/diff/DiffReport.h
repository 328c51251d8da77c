// What became of the plans of one version in another, as text, Markdown, annotations and JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/diff/Changes.h"
#include "report/Report.h"

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace planc::report {

/// What became of a plan. Renamed ones differ in their names alone; broken ones have errors after, mended ones had them
/// before, those that are still broken have them in both.
enum class Fate { Changed, Renamed, Added, Removed, Broken, StillBroken, Mended };
/// `still broken`.
std::string_view name(Fate fate);

struct PlanDiff {
  Fate fate = Fate::Changed;
  std::string id;                               ///< after, if it is there; of a file that is broken as a whole its path
  std::string was{};                            ///< its id before, where that is another
  std::optional<diff::Difference> difference{}; ///< Changed, Renamed
  const diff::Result* result = nullptr;         ///< the one there is, else; null: there is no price on either side
  std::string error{};                          ///< why a side has no price: the first error, or what it waits for
  std::string where{}; ///< its first change or error in a file that is compared: `plans/run.plan:20`; may be empty

  /// Does it need more memory than there is, and did not before, or is it new?
  bool newlyUnfit() const;
};

/// A metric that changed by more than is allowed.
struct GateFailure {
  std::string id, gate; ///< `step_time > +3%`
  std::string what;     ///< `2.488 s → 2.671 s (+7.4 %)`
  std::string where;    ///< as the plan's
};

struct DiffReport {
  std::string before, after;             ///< the two versions, as they were asked for
  std::vector<std::string> project = {}; ///< what planc.toml says otherwise after: `gates.step_time "+3%" → none`
  size_t equal = 0;                      ///< plans without any difference
  std::vector<PlanDiff> plans = {};
  size_t gates = 0;                     ///< how many were asked
  std::vector<std::string> unheld = {}; ///< those whose metric no plan has
  std::vector<GateFailure> failures = {};
};

/// Worst first: broken plans, those that no longer fit, then those whose step becomes longest by its share; what became
/// faster behind them.
void sortWorstFirst(DiffReport& report);
/// A metric before and after: `2.488 s → 2.671 s (+7.4 %)`; `-` where neither has a value.
std::string metricChange(const diff::Difference& d, std::string_view metric);

std::string diffText(const DiffReport& report, const TextOptions& options);
/// For a comment of a pull request: below GitHub's 65,536 characters, however many plans there are. Its first line is
/// always the same, by which a script finds the comment again.
std::string diffMarkdown(const DiffReport& report);
/// Annotations, the worst ten.
std::string diffGithub(const DiffReport& report);
nlohmann::ordered_json diffJson(const DiffReport& report);

} // namespace planc::report
