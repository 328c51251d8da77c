// The forms of `planc search`, and the options that go with each.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/words/Command.h"

namespace planc::driver {

/// Bits of `Option::use` for `planc search`: the forms that an option goes with, and other properties.
enum SearchUse : unsigned {
  kOfTable = 1u << 0,    ///< a search that prints a table
  kOfPlan = 1u << 1,     ///< `--apply` without `-o`: prints a plan instead of a table
  kOfReport = 1u << 2,   ///< `planc search report`
  kOfRows = 1u << 3,     ///< `--rows`
  kOfMerge = 1u << 4,    ///< `planc search merge`
  kOfJob = 1u << 5,      ///< `--emit-sbatch`: passed on to the shards
  kOfExtreme = 1u << 6,  ///< `--largest`, `--fewest`
  kOfCount = 1u << 7,    ///< `--count`
  kOfList = 1u << 8,     ///< `--list`
  kOfQuestion = 1u << 9, ///< defines the search: stores keep it, so that a report can repeat it
};
/// Any search, whatever it prints.
inline constexpr unsigned kOfSearch = kOfTable | kOfPlan;
/// All forms that use the choices of a plan.
inline constexpr unsigned kOfSpace = kOfSearch | kOfJob | kOfCount | kOfList;

/// Forms for a plan that options name in place of a file. Stores and jobs are excluded, because they must find the plan
/// again.
inline constexpr unsigned kOfWords = kOfSearch | kOfCount | kOfList | kOfExtreme;

/// Returns a shared option with its `use` for this command.
inline Option usedFor(Option option, unsigned use) {
  option.use = use;
  return option;
}

/// Checks that all options and words fit the requested form of the command. Returns kClean, or the exit code after a
/// report.
int checkForm(Console& console, const Arguments& arguments);

} // namespace planc::driver
