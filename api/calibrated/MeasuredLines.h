// The measured lines of a plan, priced on the library's records and on calibrated ones.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/Compilation.h"

#include <optional>

namespace planc::api {

/// Calibrated records, and the names of the library's records that they replace.
struct CalibratedRecords {
  std::string device, stack;              ///< `h200_sxm_141gb`, `torchtitan_eager`; empty: none is replaced
  std::optional<ir::Device> measured;     ///< null if no sample was of the device
  std::optional<ir::Stack> measuredStack; ///< null if no sample was of software
};

/// One measured line of a plan; errors are predicted over measured, less 1.
struct CheckedLine {
  std::string plan, metric;
  double measured = 0, before = 0, after = 0;
  Unit unit;
  bool percent = false;
  SourceRange range;
  double errorBefore() const { return before / measured - 1; }
  double errorAfter() const { return after / measured - 1; }
};

/// Which of the calibrated records a plan takes. Numbers of one are relative to those of the other, so that a plan
/// which takes one of two is priced by numbers that do not go together.
struct TakenRecords {
  bool device = false, stack = false;
  bool half = false; ///< one of two
};
TakenRecords takenRecords(const ir::Plan& plan, const CalibratedRecords& records);

/// Prices a plan as it stands and with the calibrated records. Empty if no measured line has a value under both prices,
/// if the plan takes none of the records or half of them, or if it has errors, which are among its diagnostics.
std::vector<CheckedLine> checkedLines(Compilation& plan, const CalibratedRecords& records);

} // namespace planc::api
