// `planc search --apply N [-o FILE]`: one of the best, written down as a plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/Searches.h"
#include "driver/files/InputFile.h"
#include "driver/words/Command.h"

#include <optional>
#include <string>

namespace planc::driver {

/// What the words of the command line ask for; nothing, after a report, where they cannot be.
struct Applying {
  size_t rank = 0;                 ///< 1 is the best; 0: nothing is written
  std::optional<std::string> file; ///< without it the plan is the result
};
std::optional<Applying> applyingOf(Console& console, const Arguments& arguments);
/// A file that is there and no plan is not overwritten. kClean, or the exit code after a usage error.
int checkApplied(Console& console, const Applying& applying);

/// Writes the candidate whose rank is asked for. `found`: the numbers of the candidates that have a rank, the best
/// first; `stopped`: not all were decided, which the text says. Returns the exit code.
int writeRanked(Console& console, const Applying& applying, const InputFile& file, api::Search& search,
                const std::vector<ir::CandidateId>& found, bool stopped);

} // namespace planc::driver
