// `planc calibrate --steps`: one factor per software stack from the measured step times of a plan file.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/words/Command.h"

#include <string>

namespace planc::driver {

/// Prices every plan of a file with a `measured` line that determines its step time, fits the factors, and prints a
/// table per stack or JSON. Writes the stacks to the file of `-o`; if that is stdout, the table goes to stderr. Returns
/// the exit code.
int scaleSteps(Console& console, const std::string& path, const Arguments& arguments);

} // namespace planc::driver
