// Plans with measured step times, as calibration takes them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/Compilation.h"
#include "calibrate/fit/Scale.h"

#include <optional>

namespace planc::api {

/// Prices a plan and finds how its step moves with its stack's factor; nothing after errors, which are reported, or
/// without a measured line that tells its step.
std::optional<calibrate::StepRun> stepRun(Compilation& plan);

} // namespace planc::api
