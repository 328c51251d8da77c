// The measured step beside the predicted one, as a document.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/compare/Compare.h"
#include "report/document/Document.h"

#include <string>

namespace planc::report {

/// The answer of `planc compare`.
struct TraceReport {
  std::string plan = {}, trace = {};   ///< title of the plan, path of the trace
  std::string device = {}, stack = {}; ///< names in the library, for the call of `planc calibrate`
  calibrate::TraceComparison found = {};
  size_t top = 0; ///< rows of a table; 0: all
};

Document traceDocument(const TraceReport& report);

} // namespace planc::report
