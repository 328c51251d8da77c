// `planc search --largest PATH` and `--fewest PATH`: finds the largest or smallest value at which a plan fits.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/files/InputFile.h"

namespace planc::driver {

/// Returns whether one of the two options is given.
bool asksForLargest(const Arguments& arguments);
/// Runs the search and prints the answer; returns the exit code. `words`: the other search options.
int searchLargest(Console& console, const Arguments& arguments, InputFile& file, const ir::SearchWords& words);

} // namespace planc::driver
