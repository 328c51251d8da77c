// The constants that the numbers of a plan depend on, and the values of constants that reach a target.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "report/document/Document.h"
#include "search/sensitivity/Sensitivity.h"

#include <string>
#include <vector>

namespace planc::report {

/// The answer of `planc sensitivity` for one plan.
struct SensitivityReport {
  struct Reach {
    search::Target target;
    std::vector<search::ReachedTarget> by;
  };
  std::string plan = {};
  search::Sensitivity found = {};
  size_t top = 0; ///< rows of a table; 0: all
  std::vector<Reach> reaches = {};
};

/// The constants with the largest elasticities. `sources`: with the texts that say where they are from.
Table elasticityTable(const SensitivityReport& report, bool sources = false);
Document sensitivityDocument(const SensitivityReport& report);

} // namespace planc::report
