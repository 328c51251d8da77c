// The differences of two priced plans: facts, numbers, parts of the step, and the origin of each change.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/diff/Attribution.h"
#include "backends/diff/Result.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace planc::diff {

/// A fact with different values, or a fact of only one plan.
struct FactChange {
  std::string path;
  std::optional<std::string> before, after;
  std::string where = {};             ///< place in the new plan, or in the old plan if the fact is gone
  std::vector<FactChange> below = {}; ///< changed facts below it, such as facts of a device below `cluster.device`

  /// Returns `mesh.tp 8 → 4`, `+ recompute decoder.attn`, `- overlap.prefetch 2`.
  std::string str() const;
};

/// Returns the changed facts in the order of the second plan, then those that only the first plan has. Changes below
/// another changed fact are listed in its `below`. Derived facts are listed only if no other fact differs.
std::vector<FactChange> factChanges(const std::vector<Fact>& before, const std::vector<Fact>& after);

/// The origin of a change. `Together`: several origins that cannot be separated.
enum class Owner { Planc, Libraries, Plan, Together };
/// Returns `planc`, `libraries`, `plan` or `together`.
std::string_view name(Owner owner);

/// The changes of one origin. Their times add up to the difference of the steps.
struct OwnedChange {
  Owner owner = Owner::Plan;
  double stepTime = 0;
  std::vector<FactChange> facts;
};

/// The difference of two results of one plan.
struct Difference {
  const Result* before = nullptr;
  const Result* after = nullptr;
  Attribution parts;                     ///< parts of both steps on one stage
  std::vector<OwnedChange> owned;        ///< in the order planc, libraries, plan; only origins that change something
  std::string unsplit = {};              ///< why libraries and plan are reported together, if they are
  std::vector<std::string> failing = {}; ///< assertions that fail only after the change

  /// Returns whether another stage became the critical one. Both steps are then compared on the new critical stage, if
  /// both have equally many stages.
  bool moved() const { return before->stages.size() == after->stages.size() && before->critical != after->critical; }
  /// Returns whether any fact, number or row differs.
  bool any() const;
  /// Returns the relative change of a metric; null if one side has no value or the first value is 0.
  std::optional<double> relative(std::string_view metric) const;
};

/// The files and programs that changed, as far as this is known without pricing.
struct Origin {
  bool planc = false; ///< the results come from different versions of planc, or from different built-in libraries
  bool libraries = false, plan = false; ///< a file that the plan imports differs; the plan's own file differs
  /// The old plan priced with the new libraries, if both differ; null if it could not be priced (see `unsplit`).
  const Result* between = nullptr;
  std::string unsplit = {};
};

/// Compares two results of one plan. The results must outlive the difference.
Difference difference(const Result& before, const Result& after, const Origin& origin);

} // namespace planc::diff
