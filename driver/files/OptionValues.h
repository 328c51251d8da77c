// What the values of options say, where commands share how they are read: whole numbers, times, metrics, quantities.
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

/// A whole number of an option, `otherwise` where it is not given; nothing, after a report, if it is none, too small or
/// too large.
std::optional<int64_t> countOf(Console& console, const Arguments& arguments, std::string_view option, int64_t least,
                               int64_t most, int64_t otherwise);

/// `--jobs`: how many threads work on files. As many as there are cores, if not said; nothing after a report.
inline const Option kJobsOption{
    "--jobs", "N", {}, "threads that work on files: the cores, if not said; output is the same"};
std::optional<size_t> jobsOf(Console& console, const Arguments& arguments);

/// Seconds of an option; nothing where it is not given. `bad`: it is no time above 0, which was stated.
std::optional<double> timeOf(Console& console, const Arguments& arguments, std::string_view option, bool& bad);

/// `--date`: the day that is written into what is made: today, if not said. So that the same input makes the same
/// bytes, `SOURCE_DATE_EPOCH` of the environment goes before today. Nothing after a report.
inline const Option kDateOption{
    "--date", "DAY", {}, "the day that the records name: 2026-11-28; that of SOURCE_DATE_EPOCH or today, if not said"};
std::optional<std::string> dayOf(Console& console, const Arguments& arguments);

/// A metric that is a number of the whole plan; null after saying that it is none.
const verdict::Metric* metricNamed(Console& console, std::string_view option, const std::string& name);

/// A word that the shell leaves as it is, in quotes. There are no line breaks in it.
std::string shellWord(const std::string& word);

/// Without blanks at either end.
std::string trimmed(std::string_view text);

/// Whether the files of these options may be written: none that was read, no store, no two of them one. kClean, or the
/// exit code after a report. `read`: what the command was given to read.
int checkOutputs(Console& console, const Arguments& arguments, const std::vector<std::string_view>& options,
                 const SourceManager& read);
/// Writes a picture, new or in place of another; false after saying why it cannot be.
bool writePicture(Console& console, const std::string& path, std::string_view picture);

} // namespace planc::driver
