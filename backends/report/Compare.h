// A comparison of plans as a table, as JSON and as CSV.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/diff/Comparison.h"
#include "backends/report/Report.h"

namespace planc::report {

/// `plans` are those of the comparison, in its order.
std::string comparisonText(const std::vector<PlanReport>& plans, const diff::Comparison& comparison,
                           const TextOptions& options);
nlohmann::ordered_json comparisonJson(const std::vector<PlanReport>& plans, const diff::Comparison& comparison);
/// One line per plan, with a header line.
std::string comparisonCsv(const std::vector<PlanReport>& plans, const diff::Comparison& comparison);

} // namespace planc::report
