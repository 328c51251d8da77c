// What a space holds, without pricing any of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/Searches.h"
#include "driver/words/Command.h"
#include "driver/words/Console.h"

namespace planc::driver {

/// `--count`: how many candidates there are and, of spaces that are small enough to look at each, how many are legal.
int printCount(Console& console, const Arguments& arguments, api::Search& search);
/// `--list`: each with its number and choices, legal or not.
int printCandidates(Console& console, const Arguments& arguments, api::Search& search);

} // namespace planc::driver
