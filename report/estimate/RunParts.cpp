// The rows of a run as the report calls them: parts of its time, and what it takes.
// SPDX-License-Identifier: Apache-2.0
#include "report/estimate/RunParts.h"

#include "report/tables/Cells.h"

#include <fmt/core.h>

namespace planc::report {

const std::vector<RunPart>& runParts() {
  using cost::RunTimes;
  using verdict::findMetric;
  static const std::vector<RunPart> kParts = {
      {findMetric("run.productive"), &RunTimes::productive, "steps · step time"},
      {findMetric("run.checkpointing"), &RunTimes::checkpointing, "productive / every · checkpoint"},
      {findMetric("run.lost"), &RunTimes::lost,
       "productive / every · (M · (e^((every + checkpoint) / M) - 1) - every - checkpoint), M = mtbf / devices"},
      {findMetric("run.restarting"), &RunTimes::restarting,
       "productive / every · (e^((every + checkpoint) / M) - 1) · M · (e^(restart / M) - 1), M = mtbf / devices"},
      {findMetric("run.unused"), &RunTimes::unused, "(1 / utilisation - 1) · the rest of the run"},
  };
  return kParts;
}

const std::vector<const verdict::Metric*>& runAmounts() {
  using verdict::findMetric;
  static const std::vector<const verdict::Metric*> kAmounts = {findMetric("run.device_hours"), findMetric("run.cost"),
                                                               findMetric("run.energy"), findMetric("run.emissions")};
  return kAmounts;
}

std::string amountText(double value, const Unit& unit) {
  if (unit == units::deviceTime) return countText(value / kHour) + " device-h";
  if (unit == units::money) return countText(value) + " USD";
  return formatQuantity(value, unit);
}

std::string lengthText(const PlanReport& report) {
  const ir::Run& run = *report.plan->run;
  return fmt::format("{} {} in {} steps", countText((run.tokens ? run.tokens : run.samples)->value),
                     run.tokens ? "tokens" : "samples", countText(report.estimate->run->steps));
}

std::string goodputText(const cost::Run& run) {
  if (run.terms.mtbf > 0) return "goodput";
  return run.terms.every > 0 ? "goodput; without `mtbf` no failures are counted"
                             : "goodput is `utilisation` alone: without `mtbf` no failures are counted";
}

} // namespace planc::report
