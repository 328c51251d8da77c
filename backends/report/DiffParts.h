// Words that the forms of a difference share.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/report/DiffReport.h"

namespace planc::report {

/// `1 of 12 plans differs: mesh.tp 8 → 4, mesh.dp 8 → 16`.
std::string summaryText(const DiffReport& report);
/// `2.488 s → 2.671 s (+7.4 %)`; `-` where neither has a value.
std::string metricChange(const diff::Difference& d, std::string_view metric);
/// What a pull request is read for: step time, memory, cost by whatever is known of it.
struct Headline {
  std::string head; ///< `step`
  std::string_view metric;
};
/// Of these plans; cost by the run, the tokens or the step, whichever both have.
std::vector<Headline> headlines(const diff::Difference& d);

/// A part of the difference that is worth a line.
struct PartLine {
  std::string time; ///< `+141.2 ms`
  std::string what; ///< `all_gather, state over dp, decoder`
  std::string because;
};
/// Largest first; what is not worth a line together, so that the lines add up.
std::vector<PartLine> partLines(const diff::Difference& d, bool all);
/// `+141.2 ms`.
std::string signedTime(double seconds);
/// `critical stage 3 → 5: both steps are taken apart on stage 5`; empty where it did not move.
std::string stageText(const diff::Difference& d);
/// What changed, in a few words: of several owners each with what it does to the step.
std::vector<std::string> reasonLines(const diff::Difference& d);

} // namespace planc::report
