// Functions that the page and the data of a sweep share.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "report/search/SweepReport.h"

#include <string>
#include <vector>

namespace planc::search {

nlohmann::ordered_json sweepJson(const SweepReport& report);
/// A row per point, in the units that its heads say.
report::Sheet sweepSheet(const SweepReport& report);
/// A table for people, its heads first: a row per point.
std::vector<std::vector<std::string>> sweepRows(const SweepReport& report);
/// How many of its columns stand for what was chosen: the axes, and the one that is filled.
size_t choiceColumns(const Sweep& sweep);
/// The value of an axis at a point by itself: `25 GB/s`.
std::string axisText(const Sweep& sweep, const SweepAxis& axis, uint32_t value);
/// Returns the fate of a point: `yes` if it fits in memory, `no`, or the law that forbids it.
std::string fateText(const SweepPoint& point);
/// `7.18 GB/s turns from slope -0.70 to -0.04, collectives all_gather, state: hidden from here on`
std::string kneeText(const SweepAxis& axis, const NamedKnee& named);

} // namespace planc::search
