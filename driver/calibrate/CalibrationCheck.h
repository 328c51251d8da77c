// `planc calibrate --check`: do the written records price measured runs better than those of the library?
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/calibrated/MeasuredLines.h"
#include "driver/words/Command.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace planc::driver {

/// The measured lines of a file of plans, priced with the library and with the calibrated records. Reports errors of
/// the file, that no line can be compared (an error), and that the records do not help (a warning).
struct CalibrationCheck {
  std::string file;
  std::vector<api::CheckedLine> lines;

  /// False after errors, which were written.
  bool run(Console& console, const std::string& path, const api::CalibratedRecords& records);
  /// The lines of one kind: bytes of memory, or times and what follows from them. Their errors are never averaged
  /// together: nothing that is sampled moves the memory.
  CalibrationCheck only(bool memory) const;
  /// Means of the absolute relative errors, before and after.
  double before() const;
  double after() const;
  /// Lines whose error grew by more than two points, the worst first.
  std::vector<const api::CheckedLine*> worse() const;
  /// A table of the lines, and a sentence per kind of them that says whether the calibrated records help.
  std::string text() const;
  nlohmann::ordered_json json() const;
};

} // namespace planc::driver
