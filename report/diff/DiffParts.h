// Texts that all formats of a difference share.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/verdict/Metric.h"
#include "report/diff/DiffReport.h"

namespace planc::report {

/// Returns the summary: `plans: 1 broken, 3 changed (1 no longer fits; step -1.2 % to +19.4 %), 8 equal; mesh.tp 8 →
/// 4`.
std::string summaryText(const DiffReport& report);
/// Returns the line on gates that hold; empty if there are no gates, or if one fails.
std::string gatesText(const DiffReport& report);
/// Returns the remark on memory if the plan does not fit now, or did not fit before; otherwise empty.
std::string fitText(const PlanDiff& plan);
/// Returns `step 2.488 s   memory 26.1 GB` for a plan of only one side.
std::string priceText(const diff::Result& result);
/// A main number of a difference: step time, memory or cost.
struct Headline {
  std::string head; ///< `step`
  std::string_view metric;
};
/// Returns the main numbers. The cost is per run, per tokens or per step: the first of these that both sides have.
std::vector<Headline> headlines(const diff::Difference& d);

/// A part of the difference that gets a line of its own.
struct PartLine {
  std::string time; ///< `+141.2 ms`
  std::string what; ///< `all_gather, state over dp, decoder`
  std::string because;
};
/// Returns the lines, largest first. Smaller parts share a line, so that the lines add up.
std::vector<PartLine> partLines(const diff::Difference& d, bool all);
/// Returns the time with its sign, `+141.2 ms`.
std::string signedTime(double seconds);
/// Returns `critical stage 3 → 5: both steps are taken apart on stage 5`; empty if the critical stage is the same.
std::string stageText(const diff::Difference& d);
/// Returns the changes in a few words. With several owners, each line names the owner's effect on the step.
/// `all`: also list changed facts that belong to another changed fact, such as the facts of a changed
/// `cluster.device`.
std::vector<std::string> reasonLines(const diff::Difference& d, bool all = false);
/// Returns a metric of a side in the unit of its JSON field; nullopt if the side has no price or the metric no value.
std::optional<double> fieldOf(const diff::Result* result, const verdict::Metric& metric);

} // namespace planc::report
