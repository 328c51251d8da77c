// Parses the command line of `planc diff`: two sides, and how much metrics may change between them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/diff/DiffSide.h"
#include "driver/diff/Gates.h"
#include "driver/files/WorkFiles.h"
#include "driver/words/Command.h"
#include "support/Diagnostics.h"

#include <string>
#include <vector>

namespace planc::driver {

struct DiffAsked {
  WorkFiles work; ///< files of the newer side
  DiffSide before, after;
  std::vector<Gate> gates;
  std::vector<std::string> project; ///< differences of planc.toml between the sides
  SourceManager words;              ///< the words of the command line, as sources of diagnostics
  DiagnosticEngine problems;

  /// Returns the place of a value of `option`, for diagnostics.
  SourceRange placeOf(const std::string& option, const std::string& word);
};

/// Finds the files of two sides: of files now and at an earlier revision, or of two files, folders or JSON results.
/// Returns kClean, or the exit code after a report.
int readSides(Console& console, const std::optional<std::string>& revision, const std::vector<std::string>& paths,
              DiffAsked& asked);
/// Finds the files of both sides without pricing them. Returns kClean, or the exit code after a report.
int readAsked(Console& console, const Arguments& arguments, DiffAsked& asked);

} // namespace planc::driver
