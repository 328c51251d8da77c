// A comparison of plans as a table, as JSON and as CSV.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/diff/Comparison.h"
#include "report/Report.h"

namespace planc::report {

/// Plans beside each other, as a file declares them or as `--compare` takes them.
struct ComparisonReport {
  std::string name;                ///< of the declaration; empty: there is none
  std::vector<PlanReport> plans;   ///< with their labels, if they are of a declaration
  diff::Comparison comparison;     ///< of these plans, in this order
  std::vector<std::string> failed; ///< labels of the declaration that stand for no price
};

std::string comparisonText(const ComparisonReport& report, const TextOptions& options);
nlohmann::ordered_json comparisonJson(const ComparisonReport& report);
/// One line per plan; of a declared comparison its name comes first.
std::string comparisonCsv(const ComparisonReport& report, bool header);

} // namespace planc::report
