// What the words of `planc diff` ask for: two sides, and by how much metrics may change between them.
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
  WorkFiles work; ///< of the newer side
  Side before, after;
  std::vector<Gate> gates;
  std::vector<std::string> project; ///< what planc.toml says otherwise than it did
  SourceManager words;              ///< of the command line, as places of what is wrong with them
  DiagnosticEngine problems;

  /// Where a word stands that `option` takes.
  SourceRange placeOf(const std::string& option, const std::string& word);
};

/// Finds the files of both sides; nothing is priced. kClean, or the exit code after a report.
int readAsked(Console& console, const Arguments& arguments, DiffAsked& asked);

} // namespace planc::driver
