// Evaluates conditions and goals, which are expression trees over metrics.
// SPDX-License-Identifier: Apache-2.0
#include "search/Goals.h"

#include "backends/verdict/Verdict.h"

#include <algorithm>
#include <limits>

namespace planc::search {

cost::Wanted wantedBy(const ir::SearchTerms& terms) {
  cost::Wanted wanted = cost::Wanted::totals();
  const auto ask = [&](const ir::ExprTree& tree) {
    const cost::Wanted asked = verdict::wantedBy(tree);
    wanted.rows |= asked.rows, wanted.confidence |= asked.confidence;
  };
  for (const ir::Condition& condition : terms.conditions) ask(condition.tree);
  for (const ir::Goal& goal : terms.goals) ask(goal.tree);
  return wanted;
}

double goalOf(const ir::Goal& goal, const ir::Plan& plan, const cost::Estimate& estimate) {
  constexpr double kWorst = std::numeric_limits<double>::infinity();
  const auto value = verdict::valueOf(goal.tree, plan, estimate);
  if (!value || value->isBool) return kWorst;
  return goal.maximize ? -value->quantity.value : value->quantity.value;
}

bool followFloors(const ir::SearchTerms& terms) {
  return std::all_of(terms.goals.begin(), terms.goals.end(), [](const ir::Goal& goal) {
    return verdict::followed(goal.tree) == (goal.maximize ? verdict::Follows::Falls : verdict::Follows::Rises);
  });
}

} // namespace planc::search
