// What the forms of a comparison share.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/diff/Comparison.h"
#include "backends/report/Report.h"

namespace planc::report {

/// The titles of the plans; with their files where two are called the same.
std::vector<std::string> comparedNames(const std::vector<PlanReport>& plans);
/// `step time`, `time per token`, `device time per token`.
std::string measureText(const diff::Comparison& comparison);

} // namespace planc::report
