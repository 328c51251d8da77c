// `planc calibrate --steps`: one factor per software stack from the measured step times of a plan file.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/words/Command.h"

#include <string>

namespace planc::driver {

/// Prices every plan of a file that has a `measured` line which tells its step time, fits, prints a table per stack or
/// JSON, and writes the stacks to what `-o` says (`-` is stdout; the table goes to stderr then). Returns the exit code.
int scaleSteps(Console& console, const std::string& path, const Arguments& arguments);

} // namespace planc::driver
