// The rows of a run as the report calls them: parts of its time, and what it takes.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "report/Report.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace planc::report {

/// A part of the run's time. The parts add up to it.
struct RunPart {
  const verdict::Metric* metric;
  double cost::RunTimes::*seconds;
  std::string_view equation; ///< docs/cost-model.md, section 8
};
const std::vector<RunPart>& runParts();
/// The costs of a run besides time: metrics of `run`.
const std::vector<const verdict::Metric*>& runAmounts();

/// Returns the amount as people read counts: `28.36 M device-h`, `71.2 M USD`.
std::string amountText(double value, const Unit& unit);
/// `15 T tokens in 953.7 k steps`.
std::string lengthText(const PlanReport& report);
/// Returns the meaning of the productive share, with the losses that it does not count.
std::string goodputText(const cost::Run& run);

} // namespace planc::report
