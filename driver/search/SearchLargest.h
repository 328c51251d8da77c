// `planc search --largest PATH` and `--fewest PATH`: the most or the least of something with which a plan fits.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/files/InputFile.h"

namespace planc::driver {

/// Whether one of the two is asked for.
bool asksForLargest(const Arguments& arguments);
/// Answers it; returns the exit code. `words`: what else the command line says.
int searchLargest(Console& console, const Arguments& arguments, InputFile& file, const ir::SearchWords& words);

} // namespace planc::driver
