// Writes an edit as plan text: a plan that extends another one with the changes of the edit.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/plan/PlanEdit.h"

#include <optional>
#include <string>
#include <string_view>

namespace planc::format {

/// `plan NAME extends BASE { … }`, preceded by the stack, device, fabrics and cluster that it derives, for the file of
/// `plan`, which is the plan that the edit applies to. `base`: the plan's name in that file, with arguments. Statements
/// that change nothing are left out. Returns nullopt, with a report, if the edit does not apply, or if plan text cannot
/// express it (PLAN0936), because `plan` is a row of a comparison or a record's file does not export the record.
/// `sources`: the texts of the plan and its records; null if unavailable, and then no record of another file is
/// derived.
std::optional<std::string> planText(const ir::PlanEdit& edit, const ir::Plan& plan, std::string_view name,
                                    std::string_view base, const SourceManager* sources, DiagnosticEngine& diagnostics);

/// Reports PLAN0936: what cannot be written as plan text, why, and what to do.
void reportNotWritable(DiagnosticEngine& diagnostics, SourceRange where, std::string what, std::string why,
                       std::string help);

} // namespace planc::format
