// Counts the units of collectives. A unit is what network cards serve; fabrics are written per unit.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/fit/Fits.h"

namespace planc::calibrate {

/// Replaces `nodes`, the count of hosts in logs, by the count of units in every collective of `device`, and adds a
/// note. A unit may hold several hosts (18 trays of a rack behind one NVLink switch); ranks are assumed to fill one
/// unit after the other. If the part has no unit, hosts are units. Marks groups whose units hold different numbers of
/// ranks, because no row of a fabric can describe them.
void countUnits(Samples& samples, const std::string& device, const Part& part);

} // namespace planc::calibrate
