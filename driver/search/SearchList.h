// Lists the candidates of a space without pricing them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/Searches.h"
#include "driver/words/Command.h"
#include "driver/words/Console.h"

namespace planc::driver {

/// `--count`: prints how many candidates there are and, for small spaces, how many are legal. Returns the exit code.
int printCount(Console& console, const Arguments& arguments, api::Search& search);
/// `--list`: prints each candidate with its number and choices, and whether it is legal. Returns the exit code.
int printCandidates(Console& console, const Arguments& arguments, api::Search& search);

} // namespace planc::driver
