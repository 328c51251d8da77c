// An edit written down: the plan that extends another one by what the edit changes.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/plan/PlanEdit.h"

#include <optional>
#include <string>
#include <string_view>

namespace planc::format {

/// `plan NAME extends BASE { … }`, and before it the stack, the device, the fabrics and the cluster that it derives, to
/// stand in the file of `plan`, the plan that the edit is of. `base`: how the file names it, with its arguments.
/// Statements that would change nothing are left out. Nothing, with a report, where the edit does not fit, or plan text
/// cannot say it (PLAN0936): of a line of a comparison, and of a record that another file keeps to itself.
/// `sources`: where the plan and its records stand; null: not known, and no record of another file is derived.
std::optional<std::string> planText(const ir::PlanEdit& edit, const ir::Plan& plan, std::string_view name,
                                    std::string_view base, const SourceManager* sources, DiagnosticEngine& diagnostics);

/// PLAN0936: what cannot be written down, why, and what to do.
void reportNotWritable(DiagnosticEngine& diagnostics, SourceRange where, std::string what, std::string why,
                       std::string help);

} // namespace planc::format
