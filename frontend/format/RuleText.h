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

/// The text of a rule that replaces `before`; null: it replaces none. Returns nullopt if both have the same text.
template <class Rule> std::optional<std::string> ruleChange(const Rule& rule, const Rule* before) {
  if (before && ruleText(*before, false) == ruleText(rule, false)) return std::nullopt;
  return ruleText(rule, before != nullptr);
}

/// The lines of `recompute` statements. `stated`: the plan has such statements, which the lines override. Without
/// `statements`, the line is `recompute none`.
std::vector<std::string> recomputeLines(std::vector<std::string> statements, bool stated);

} // namespace planc::format
