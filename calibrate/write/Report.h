// Reports calibrations as text and JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/fit/Fits.h"

#include <nlohmann/json_fwd.hpp>

namespace planc::calibrate {

/// Returns one table per device: every fit with its held-out error, range and values, then outliers and notes.
std::string reportText(const std::vector<Calibration>& calibrations, const Samples& samples,
                       const SourceManager& sources);
/// Returns the array `devices` of the JSON result.
nlohmann::ordered_json reportJson(const std::vector<Calibration>& calibrations, const SourceManager& sources);

} // namespace planc::calibrate
