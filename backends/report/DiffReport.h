// What became of the plans of one version in another, as text, Markdown, annotations and JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/diff/Changes.h"
#include "backends/report/Report.h"

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace planc::report {

/// What became of a plan. Broken ones have errors after, mended ones had them before.
enum class Fate { Changed, Added, Removed, Broken, Mended };

struct PlanDiff {
  Fate fate = Fate::Changed;
  std::string id;                               ///< after, if it is there
  std::string was{};                            ///< its id before, where that is another
  std::optional<diff::Difference> difference{}; ///< Changed
  const diff::Result* result = nullptr;         ///< the one there is, else
  std::string error{};                          ///< Broken, Mended: the first error
};

/// A metric that changed by more than is allowed.
struct GateFailure {
  std::string id, gate; ///< `step_time > +3%`
  std::string what;     ///< `2.488 s to 2.671 s, +7.4 %`
  std::string where;    ///< the place of the plan's first changed fact: `plans/run.plan:20`; may be empty
};

struct DiffReport {
  std::string before, after; ///< the two versions, as they were asked for
  size_t equal = 0;          ///< plans without any difference
  std::vector<PlanDiff> plans;
  size_t gates = 0; ///< how many were asked
  std::vector<GateFailure> failures;
};

/// Worst first: broken plans, then those whose step becomes longest; what became faster behind them.
void sortWorstFirst(DiffReport& report);

std::string diffText(const DiffReport& report, const TextOptions& options);
/// For a comment of a pull request: below GitHub's 65,536 characters, however many plans there are. Its first line is
/// always the same, by which a script finds the comment again.
std::string diffMarkdown(const DiffReport& report);
/// Annotations, the worst ten.
std::string diffGithub(const DiffReport& report);
nlohmann::ordered_json diffJson(const DiffReport& report);

} // namespace planc::report
