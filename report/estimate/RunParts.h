// The rows of a run as the report calls them: parts of its time, and what it takes.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "report/Report.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace planc::report {

/// They add up to the run's time.
struct RunPart {
  std::string_view label;
  double cost::RunTimes::*seconds;
  std::string_view equation; ///< docs/cost-model.md, section 8
};
const std::vector<RunPart>& runParts();

struct RunAmount {
  std::string_view label;
  std::string_view metric;
  Unit unit;
  std::optional<double> (*read)(const cost::RunAmounts&);
};
const std::vector<RunAmount>& runAmounts();

/// As counts are read: `28.36 M device-h`, `71.2 M USD`.
std::string amountText(double value, const Unit& unit);
/// `15 T tokens in 953.7 k steps`.
std::string lengthText(const PlanReport& report);
/// What the productive share means, and what it leaves out.
std::string goodputText(const cost::Run& run);

} // namespace planc::report
