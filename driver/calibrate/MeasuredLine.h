// A measured step as a line of the plan that it was measured of.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/plan/Plan.h"
#include "support/Source.h"

#include <string>

namespace planc::driver {

/// Adds `measured step_time = …` at the end of a plan, and replaces its file as a whole if that still checks. A line
/// that the plan has already is not added again. `plan`: of the file `path`, as it was read. Returns why not; empty on
/// success.
std::string addMeasuredStep(const std::string& path, const SourceManager& sources, const ir::Plan& plan, double seconds,
                            const std::string& source);

} // namespace planc::driver
