// Turns plans with measured step times into input for calibration.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/Compilation.h"
#include "calibrate/fit/Scale.h"

#include <optional>

namespace planc::api {

/// Prices a plan and finds how its step time depends on the factor of its stack. Returns nothing after errors, which
/// are reported, or if no `measured` line determines the step time.
std::optional<calibrate::StepRun> stepRun(Compilation& plan);

} // namespace planc::api
