// The fate and the price of one candidate.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/plan/Space.h"

#include <vector>

namespace planc::search {

/// The fate of a candidate.
enum class Fate {
  None,     ///< not a candidate: a value is not in the list that the other values allow
  Cut,      ///< a condition on choices alone does not hold; `condition` is the first one
  Rest,     ///< the remaining devices do not give a whole number of ranks on the filled axis
  Unlawful, ///< a law forbids it; `code` names the law
  Unmet,    ///< priced, but a condition on metrics does not hold; `condition` is the first one
  Unfit,    ///< priced, but it does not fit in memory
  Met,      ///< an answer: it meets all conditions and fits
  Worse,    ///< not priced: it is certainly worse than every candidate that is kept
};
inline constexpr int kFates = 8;

/// The code of candidates without a value for a goal: the diagnostic for a metric without meaning.
inline constexpr int kNoValue = 903;

/// A candidate with its price. Smaller is better in every goal: maximized goals have their sign changed.
struct Outcome {
  ir::CandidateId id = 0;
  Fate fate = Fate::None;
  uint32_t condition = 0;        ///< Cut, Unmet: the first condition that does not hold
  bool alone = false;            ///< Unmet, Unfit: the candidate misses nothing else
  int code = 0;                  ///< Unlawful
  std::vector<double> goals;     ///< only if priced
  double stepTime = 0, peak = 0; ///< s, bytes

  bool priced() const { return fate == Fate::Unmet || fate == Fate::Unfit || fate == Fate::Met; }
};

/// Orders by the goals in their order, then by candidate number.
bool before(const Outcome& a, const Outcome& b);
/// Returns whether `a` is no worse than `b` in any goal, and better in one.
bool dominates(const Outcome& a, const Outcome& b);

} // namespace planc::search
