// Prices the `measured` lines of a plan with the library's records and with calibrated records.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/Compilation.h"

#include <optional>

namespace planc::api {

/// Calibrated records, and the names of the library records that they replace.
struct CalibratedRecords {
  std::string device, stack;              ///< `h200_sxm_141gb`, `torchtitan_eager`; empty: no record is replaced
  std::optional<ir::Device> measured;     ///< empty if no sample was taken on the device
  std::optional<ir::Stack> measuredStack; ///< empty if no sample measured software
};

/// One `measured` line of a plan. Errors are predicted / measured - 1.
struct CheckedLine {
  std::string plan, metric;
  double measured = 0, before = 0, after = 0;
  Unit unit;
  bool percent = false;
  SourceRange range;
  double errorBefore() const { return before / measured - 1; }
  double errorAfter() const { return after / measured - 1; }
};

/// Which of the calibrated records apply to a plan. A device record and a stack record that were calibrated together
/// must be used together, because their numbers are relative to each other.
struct TakenRecords {
  bool device = false, stack = false;
  bool half = false; ///< only one of two records applies
};
TakenRecords takenRecords(const ir::Plan& plan, const CalibratedRecords& records);

/// Prices a plan as written and with the calibrated records. Returns an empty list if no `measured` line has a
/// predicted value with both sets of records, if no record or only one of two records applies, or if the plan has
/// errors, which are in its diagnostics.
std::vector<CheckedLine> checkedLines(Compilation& plan, const CalibratedRecords& records);

} // namespace planc::api
