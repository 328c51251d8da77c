// What is different about two priced plans: facts, numbers, where the time of the step comes from, and whose change it
// is.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/diff/Attribution.h"
#include "backends/diff/Result.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace planc::diff {

/// A fact that is another, or stands in one of the two only.
struct FactChange {
  std::string path;
  std::optional<std::string> before, after;
  std::string where = {};             ///< after, or before where it is gone
  std::vector<FactChange> below = {}; ///< of facts below it, as those of a device behind `cluster.device`

  /// `mesh.tp 8 → 4`, `+ recompute decoder.attn`, `- overlap.prefetch 2`.
  std::string str() const;
};

/// Facts in the order of the second, those that are gone behind them. Facts below one that is changed itself are
/// listed there; derived ones are told where nothing else is different.
std::vector<FactChange> factChanges(const std::vector<Fact>& before, const std::vector<Fact>& after);

/// Whose change it is. `Together`: of several that cannot be told apart.
enum class Owner { Planc, Libraries, Plan, Together };
std::string_view name(Owner owner);

/// What one of them does. The times of all of them add up to the difference of the step.
struct OwnedChange {
  Owner owner = Owner::Plan;
  double stepTime = 0;
  std::vector<FactChange> facts;
};

/// Two results of one plan.
struct Difference {
  const Result* before = nullptr;
  const Result* after = nullptr;
  Attribution parts;              ///< of one stage
  std::vector<OwnedChange> owned; ///< in the order planc, libraries, plan; those that change nothing are left out
  std::string unsplit = {};       ///< why libraries and plan are told together, if they are
  std::vector<std::string> failing = {}; ///< assertions that do not hold after, and held before or were not there

  /// Has another stage become the critical one? Both steps are then taken apart on the one that is it after, if there
  /// was such a stage before.
  bool moved() const { return before->stages.size() == after->stages.size() && before->critical != after->critical; }
  /// Is there any fact, number or row that differs?
  bool any() const;
  /// The relative change of a metric; nothing where one has no value or the first is 0.
  std::optional<double> relative(std::string_view metric) const;
};

/// Who changed it, as far as that is known without pricing.
struct Origin {
  bool planc = false; ///< the results are of programs with other libraries inside, or of other versions
  bool libraries = false, plan = false; ///< what the plan imports differs; its own file does
  /// The old plan with the new libraries, where both differ; null: it could not be priced, as `unsplit` says.
  const Result* between = nullptr;
  std::string unsplit = {};
};

Difference difference(const Result& before, const Result& after, const Origin& origin);

} // namespace planc::diff
