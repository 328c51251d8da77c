// An edit written down: the plan that extends another one by what the edit changes.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/PlanEdit.h"

#include <optional>
#include <string>
#include <string_view>

namespace planc::format {

/// `plan NAME extends BASE { … }`, and before it the stack and the cluster that it derives, to stand in the file of
/// `plan`, the plan that the edit is of. `base`: how the file names it, with its arguments. Statements that would
/// change nothing are left out. Nothing where an edit has what plan text cannot say of a derived plan: a fact of a
/// device, of a fabric, or of a plan's text.
std::optional<std::string> planText(const ir::PlanEdit& edit, const ir::Plan& plan, std::string_view name,
                                    std::string_view base);

} // namespace planc::format
