// The rows of a run as the report calls them: parts of its time, and what it takes.
// SPDX-License-Identifier: Apache-2.0
#include "report/estimate/RunParts.h"

#include "report/tables/Cells.h"

#include <fmt/core.h>

namespace planc::report {

const std::vector<RunPart>& runParts() {
  using cost::RunTimes;
  static const std::vector<RunPart> kParts = {
      {"productive", &RunTimes::productive, "steps · step time"},
      {"checkpointing", &RunTimes::checkpointing, "productive / every · checkpoint"},
      {"lost", &RunTimes::lost,
       "productive / every · (M · (e^((every + checkpoint) / M) - 1) - every - checkpoint), M = mtbf / devices"},
      {"restarting", &RunTimes::restarting,
       "productive / every · (e^((every + checkpoint) / M) - 1) · M · (e^(restart / M) - 1), M = mtbf / devices"},
      {"not running", &RunTimes::unused, "(1 / utilisation - 1) · the rest of the run"},
  };
  return kParts;
}

const std::vector<RunAmount>& runAmounts() {
  using cost::RunAmounts;
  using Value = std::optional<double>;
  static const std::vector<RunAmount> kAmounts = {
      {"run device-hours", "run.device_hours", units::deviceTime,
       [](const RunAmounts& a) -> Value { return a.deviceTime; }},
      {"run cost", "run.cost", units::money, [](const RunAmounts& a) -> Value { return a.cost; }},
      {"run energy", "run.energy", units::energy, [](const RunAmounts& a) -> Value { return a.energyJoules; }},
      {"run carbon", "run.emissions", units::mass, [](const RunAmounts& a) -> Value { return a.carbonGrams; }},
  };
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
