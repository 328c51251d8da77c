// Writes placement and state rules as statements of a plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/plan/Plan.h"

#include <optional>
#include <string>
#include <vector>

namespace planc::format {

/// `[override] place decoder { seq -> tp }`. The selector is left out if it is the whole model.
std::string ruleText(const ir::PlacementRule& rule, bool isOverride);
/// As above, with `states` instead of `place`.
std::string ruleText(const ir::StateRule& rule, bool isOverride);

/// The rule in the place of `before`, null: of none. Nothing if both say the same.
template <class Rule> std::optional<std::string> ruleChange(const Rule& rule, const Rule* before) {
  if (before && ruleText(*before, false) == ruleText(rule, false)) return std::nullopt;
  return ruleText(rule, before != nullptr);
}

/// Statements in the place of all that there are, if any are `stated`. Nothing is recomputed without any.
std::vector<std::string> recomputeLines(std::vector<std::string> statements, bool stated);

} // namespace planc::format
