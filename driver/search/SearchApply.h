// `planc search --apply N [-o FILE]`: writes one of the best candidates as a plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/Searches.h"
#include "driver/files/InputFile.h"
#include "driver/words/Command.h"

#include <optional>
#include <string>

namespace planc::driver {

/// The options `--apply` and `-o`.
struct Applying {
  size_t rank = 0;                 ///< 1 is the best; 0: no plan is written
  std::optional<std::string> file; ///< the file to write; nothing: print the plan
};
/// Parses the options; returns nothing after a report.
std::optional<Applying> applyingOf(Console& console, const Arguments& arguments);
/// Refuses to overwrite a file that is not a plan. Returns kClean, or the exit code after a usage error.
int checkApplied(Console& console, const Applying& applying);

/// Writes the candidate of the requested rank. `found`: ranked candidates, best first. `stopped`: the search did not
/// decide all candidates, which the text says. Returns the exit code.
int writeRanked(Console& console, const Applying& applying, const InputFile& file, api::Search& search,
                const std::vector<ir::CandidateId>& found, bool stopped);

} // namespace planc::driver
