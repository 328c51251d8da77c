// `planc calibrate --check`: compares how well the written records and the library's records price measured runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/calibrated/MeasuredLines.h"
#include "driver/words/Command.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace planc::driver {

/// The measured lines of a file of plans, priced with the library's and with the calibrated records. `run` reports
/// errors of the file, an error if no line can be compared, and a warning if the calibrated records do not help.
struct CalibrationCheck {
  std::string file;
  std::vector<api::CheckedLine> lines;

  /// Prices the lines. Returns false after errors, which are written.
  bool run(Console& console, const std::string& path, const api::CalibratedRecords& records);
  /// Returns only the lines about memory, or only the others (times and metrics that follow from them). Their errors
  /// are never averaged together, because no sample changes the memory.
  CalibrationCheck only(bool memory) const;
  /// Mean absolute relative errors with the library's and with the calibrated records.
  double before() const;
  double after() const;
  /// Returns the lines whose error grew by more than two percentage points, the worst first.
  std::vector<const api::CheckedLine*> worse() const;
  /// Returns a table of the lines, and for each kind of line a sentence that says whether the calibrated records help.
  std::string text() const;
  nlohmann::ordered_json json() const;
};

} // namespace planc::driver
