// The run of an estimate: its time by use, and its totals.
// SPDX-License-Identifier: Apache-2.0
#include "ir/facts/ClusterFacts.h"
#include "report/estimate/EstimateParts.h"
#include "report/estimate/RunParts.h"
#include "report/tables/Cells.h"

#include <fmt/core.h>

namespace planc::report {
namespace {

/// Returns `66.1 d to 78.3 d`; empty without an interval.
std::string betweenText(const cost::Run& run, const verdict::Metric& row) {
  if (!run.low) return {};
  return fmt::format("{} to {}", amountText(*row.ofRun(*run.low), row.unit),
                     amountText(*row.ofRun(*run.high), row.unit));
}

Heading headOf(const PlanReport& report) {
  const cost::Run& run = *report.estimate->run;
  const cost::Confidence& c = report.estimate->totals.confidence;
  std::string about;
  if (run.low)
    about = fmt::format(", {:.0f} % interval {} to {}", 100 * c.coverage,
                        formatQuantity(run.low->times.time(), units::time),
                        formatQuantity(run.high->times.time(), units::time));
  return {fmt::format("run {}", formatQuantity(run.middle.times.time(), units::time)), 3,
          about + ": " + lengthText(report)};
}

/// Returns the numbers behind a part, if it has some.
std::string noteOf(const RunPart& part, const cost::Run& run) {
  const cost::RunTimes& t = run.middle.times;
  if (part.seconds == &cost::RunTimes::productive) return goodputText(run);
  if (part.seconds == &cost::RunTimes::checkpointing && run.terms.segment() < run.terms.every)
    return fmt::format("one of {}, at the end: the run is shorter than the interval of {}",
                       formatQuantity(run.terms.checkpoint, units::time), formatQuantity(run.terms.every, units::time));
  if (part.seconds == &cost::RunTimes::checkpointing && t.checkpoints > 0)
    return fmt::format("{} of {}, one per {} of work", countText(t.checkpoints),
                       formatQuantity(run.terms.checkpoint, units::time), formatQuantity(run.terms.every, units::time));
  if (part.seconds == &cost::RunTimes::lost && t.failures > 0)
    return fmt::format("{} failures, one per {}", countText(t.failures), formatQuantity(run.terms.mtbf, units::time));
  return {};
}

} // namespace

Page runPage(const PlanReport& report) {
  if (!report.estimate->run) return {};
  const cost::Run& run = *report.estimate->run;
  const double time = run.middle.times.time();
  Table parts{"lrrl"}, amounts{"lrll"};
  for (const RunPart& part : runParts())
    if (const double seconds = run.middle.times.*part.seconds; seconds > 0)
      parts.add({{std::string(part.metric->label), TextStyle::Gutter},
                 formatQuantity(seconds, units::time),
                 shareText(seconds / time),
                 noteOf(part, run)});
  for (const verdict::Metric* row : runAmounts())
    if (const auto value = row->ofRun(run.middle))
      amounts.add({{std::string(row->label), TextStyle::Gutter},
                   amountText(*value, row->unit),
                   betweenText(run, *row),
                   (row->unit == units::energy || row->unit == units::mass) &&
                           !report.plan->cluster->has(ir::ClusterFact::HostPower)
                       ? "devices only: the cluster gives no `host_power`"
                       : ""});
  return pageOf(headOf(report), std::move(parts), std::move(amounts));
}

} // namespace planc::report
