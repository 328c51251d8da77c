// The last words of a crash.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Step.h"

namespace planc::driver {

/// Turns crashes (terminate, signals) into an internal error with exit code 3.
void installCrashHandlers();

} // namespace planc::driver
