// Priced plans of files beside each other.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/files/InputFile.h"
#include "report/estimate/Compare.h"

#include <optional>
#include <string>
#include <vector>

namespace planc::driver {

/// The inputs of reports on a priced plan.
report::PlanReport reportOf(InputFile& file, const api::Compilation& plan);
/// Appends the reports of plans with an estimate, and the sides to compare. `oneFile`: all plans are of one file, so
/// that diagnostics can show their places.
void addReports(InputFile& file, const Plans& plans, bool oneFile, std::vector<report::PlanReport>& out,
                std::vector<diff::ComparedEstimate>& sides);
/// Returns a comparison of these plans; nothing, after a remark, if there is none.
std::optional<report::ComparisonReport> compared(Console& console, InputFile& file, std::string name,
                                                 std::vector<report::PlanReport> plans,
                                                 const std::vector<diff::ComparedEstimate>& sides,
                                                 std::vector<std::string> failed);

} // namespace planc::driver
