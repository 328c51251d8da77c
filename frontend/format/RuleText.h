// Writes placement and state rules as statements of a plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/plan/Plan.h"

#include <string>

namespace planc::format {

/// `[override] place decoder { seq -> tp }`. The selector is left out if it is the whole model.
std::string ruleText(const ir::PlacementRule& rule, bool isOverride);
/// As above, with `states` instead of `place`.
std::string ruleText(const ir::StateRule& rule, bool isOverride);

} // namespace planc::format
