// Reads and unpacks files of measurements.
// SPDX-License-Identifier: Apache-2.0
#include "driver/calibrate/SampleText.h"

#include "calibrate/read/Gzip.h"
#include "driver/files/Files.h"
#include "support/files/Digest.h"

namespace planc::driver {

PLANC_ERROR(BrokenArchive, 829, "this compressed file cannot be read: it {why}")

namespace {

/// Largest input file, packed or unpacked. Profiles of training take some hundred MB.
constexpr size_t kMostText = 1u << 30;

} // namespace

SampleText readSampleText(Console& console, const std::string& path, SourceManager& sources,
                          DiagnosticEngine& diagnostics) {
  std::string error;
  std::optional<std::string> text = readFile(path, error, kMostText);
  if (!text) {
    console.usageError(path + ": " + error);
    return {false, std::nullopt, {}};
  }
  const std::string shown = path == "-" ? "<stdin>" : path;
  SampleText out{true, std::nullopt, digestOf(*text)};
  if (calibrate::isGzip(*text) && !(text = calibrate::gunzip(*text, kMostText, error))) {
    diagnostics.report(BrokenArchive, {sources.add(shown, ""), 0, 0}, {{"why", error}})
        .help("compress the whole file again, or pass it uncompressed; `gzip -t FILE` checks it");
    return out;
  }
  if (constexpr std::string_view kMark = "\xEF\xBB\xBF"; text->starts_with(kMark)) // spreadsheets write it
    text->erase(0, kMark.size());
  out.id = sources.add(shown, std::move(*text));
  return out;
}

} // namespace planc::driver
