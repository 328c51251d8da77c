// Parses option values that several commands share: whole numbers, times, metrics, quantities.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/verdict/Verdict.h"
#include "driver/words/Command.h"
#include "support/Source.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace planc::driver {

/// Returns the whole number of an option, or `otherwise` if the option is not given. Returns nothing, after a report,
/// if it is no whole number from `least` to `most`.
std::optional<int64_t> countOf(Console& console, const Arguments& arguments, std::string_view option, int64_t least,
                               int64_t most, int64_t otherwise);

/// `--jobs`: the number of threads that work on files; by default the number of cores. Nothing after a report.
inline const Option kJobsOption{
    "--jobs", "N", {}, "number of threads; default: all cores; the output does not depend on it"};
std::optional<size_t> jobsOf(Console& console, const Arguments& arguments);

/// Returns the seconds of an option; nothing if it is not given. Sets `bad`, after a report, if it is not a time above
/// 0.
std::optional<double> timeOf(Console& console, const Arguments& arguments, std::string_view option, bool& bad);

/// `--date`: the day that is written into results. The default is the environment variable `SOURCE_DATE_EPOCH`, so that
/// builds are reproducible, or else today. Nothing after a report.
inline const Option kDateOption{
    "--date", "DAY", {}, "the date in the records, as 2026-11-28; default: SOURCE_DATE_EPOCH or today"};
std::optional<std::string> dayOf(Console& console, const Arguments& arguments);

/// Returns a metric of the whole plan that is a number; null after a report if `name` is none.
const verdict::Metric* metricNamed(Console& console, std::string_view option, const std::string& name);

/// Quotes a word for the shell if necessary. The word must not contain line breaks.
std::string shellWord(const std::string& word);

/// Returns the text without blanks at both ends.
std::string trimmed(std::string_view text);

/// Checks that the output files of these options may be written: not a file that was read, not a store, and no file
/// twice. Returns kClean, or the exit code after a report. `read`: the sources of the command.
int checkOutputs(Console& console, const Arguments& arguments, const std::vector<std::string_view>& options,
                 const SourceManager& read);
/// Writes a picture, and replaces an existing file. Returns false after a report if that fails.
bool writePicture(Console& console, const std::string& path, std::string_view picture);

} // namespace planc::driver
