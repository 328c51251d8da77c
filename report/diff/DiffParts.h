// Words that the forms of a difference share.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "report/diff/DiffReport.h"

namespace planc::report {

/// `plans: 1 broken, 3 changed (1 no longer fits; step -1.2 % to +19.4 %), 8 equal; mesh.tp 8 → 4`.
std::string summaryText(const DiffReport& report);
/// What is to be said of gates where none fails; empty where none was asked, or one fails.
std::string gatesText(const DiffReport& report);
/// What is to be said of its memory beside the numbers; empty where it fits, or never did.
std::string fitText(const PlanDiff& plan);
/// `step 2.488 s   memory 26.1 GB`, of a plan that one side has.
std::string priceText(const diff::Result& result);
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
/// `all`: of a fact that hides others those, too.
std::vector<std::string> reasonLines(const diff::Difference& d, bool all = false);

} // namespace planc::report
