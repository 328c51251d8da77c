// The text of a file of measurements, unpacked.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/words/Console.h"
#include "support/Diagnostics.h"
#include "support/Source.h"

#include <optional>
#include <string>

namespace planc::driver {

struct SampleText {
  bool found = true;        ///< false: the file cannot be read, which the console was told
  std::optional<FileId> id; ///< the text in the sources; nothing after a report that it cannot be unpacked
  std::string digest;       ///< of the file as read
};
/// Reads a file, or stdin for `-`, of at most 1 GiB packed and unpacked.
SampleText readSampleText(Console& console, const std::string& path, SourceManager& sources,
                          DiagnosticEngine& diagnostics);

} // namespace planc::driver
