// Rules as statements of a plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/plan/Plan.h"

#include <string>

namespace planc::format {

/// `[override] place decoder { seq -> tp }`, the selector left out where it is the whole model.
std::string ruleText(const ir::PlacementRule& rule, bool isOverride);
/// The same with `states`.
std::string ruleText(const ir::StateRule& rule, bool isOverride);

} // namespace planc::format
