// Groups of collectives by the units that network cards serve, which are what fabrics are written in.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/fit/Fits.h"

namespace planc::calibrate {

/// Logs count the hosts of a group. A unit of the part may hold several hosts (18 trays of a rack behind one NVLink
/// switch): replaces `nodes` of every collective of `device` by the number of units, as if ranks fill one unit after
/// the other, and says so in a note. No unit of the part: hosts are units. Marks groups whose units hold different
/// numbers of ranks: no row of a fabric says that.
void countUnits(Samples& samples, const std::string& device, const Part& part);

} // namespace planc::calibrate
