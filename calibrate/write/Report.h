// What calibration found, for people and as JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/fit/Fits.h"

#include <nlohmann/json_fwd.hpp>

namespace planc::calibrate {

/// One table per device: every fit with its held-out error, its range and what it found; outliers; notes.
std::string reportText(const std::vector<Calibration>& calibrations, const Samples& samples,
                       const SourceManager& sources);
/// The array `devices` of the JSON result.
nlohmann::ordered_json reportJson(const std::vector<Calibration>& calibrations, const SourceManager& sources);

} // namespace planc::calibrate
