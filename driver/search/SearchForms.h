// The forms of `planc search`, and which of its options goes with which of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/words/Command.h"

namespace planc::driver {

/// Bits of `Option::use` of `planc search`: the forms of the command, and what else an option may be.
enum SearchUse : unsigned {
  kOfTable = 1u << 0,    ///< a search, of which a table is printed
  kOfPlan = 1u << 1,     ///< `--apply` without `-o`: a plan is printed in its place
  kOfReport = 1u << 2,   ///< `planc search report`
  kOfRows = 1u << 3,     ///< `--rows`
  kOfMerge = 1u << 4,    ///< `planc search merge`
  kOfJob = 1u << 5,      ///< `--emit-sbatch`: the shards take it, too
  kOfExtreme = 1u << 6,  ///< `--largest`, `--fewest`
  kOfCount = 1u << 7,    ///< `--count`
  kOfList = 1u << 8,     ///< `--list`
  kOfQuestion = 1u << 9, ///< says what is searched: stores keep it, so that a report can ask again
};
/// A search, however its answer is printed.
inline constexpr unsigned kOfSearch = kOfTable | kOfPlan;
/// All that has to do with the choices of a plan.
inline constexpr unsigned kOfSpace = kOfSearch | kOfJob | kOfCount | kOfList;

/// A plan that options name in place of a file: it stands on no disk, so no store and no job can ask for it again.
inline constexpr unsigned kOfWords = kOfSearch | kOfCount | kOfList | kOfExtreme;

/// An option that commands share, with what it is good for in this one.
inline Option usedFor(Option option, unsigned use) {
  option.use = use;
  return option;
}

/// Whether all that was given goes with the form of the command that the words ask for; kClean, or the exit code after
/// a report.
int checkForm(Console& console, const Arguments& arguments);

} // namespace planc::driver
