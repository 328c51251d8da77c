// A comparison of plans as a document.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/diff/Comparison.h"
#include "report/Report.h"
#include "report/document/Document.h"

namespace planc::report {

/// Plans beside each other, as a file declares them or as `--compare` takes them.
struct ComparisonReport {
  std::string name;                ///< of the declaration; empty: there is none
  std::vector<PlanReport> plans;   ///< with their labels, if they are of a declaration
  diff::Comparison comparison;     ///< of these plans, in this order
  std::vector<std::string> failed; ///< labels of the declaration that stand for no price
};

/// One sheet, with a row per plan; the name of a declared comparison is its first column.
Document comparisonDocument(const ComparisonReport& report, Shown shown);
/// The page alone, and the data alone: parts of other documents.
Page comparisonPage(const ComparisonReport& report);
nlohmann::ordered_json comparisonJson(const ComparisonReport& report);

} // namespace planc::report
