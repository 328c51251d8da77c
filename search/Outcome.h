// What a candidate comes to.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/plan/Space.h"

#include <vector>

namespace planc::search {

/// What became of a candidate.
enum class Fate {
  None,     ///< no candidate: a value is not in the list that the other values leave
  Cut,      ///< a condition on choices alone does not hold: `condition` is the first
  Rest,     ///< what is left of the devices is no whole number of ranks
  Unlawful, ///< a law forbids it: `code`
  Unmet,    ///< it is priced, and a condition on metrics does not hold: `condition` is the first
  Unfit,    ///< it is priced and does not fit in memory
  Met,      ///< it is an answer
  Worse,    ///< not priced: it is certainly worse than all that it could stand beside
};
inline constexpr int kFates = 8;

/// The code of those that have no value for a goal: what the page of a metric without meaning says.
inline constexpr int kNoValue = 903;

/// A candidate with its price. Less is better in every goal: what is maximized has its sign changed.
struct Outcome {
  ir::CandidateId id = 0;
  Fate fate = Fate::None;
  uint32_t condition = 0;        ///< Cut, Unmet: the first that does not hold
  bool alone = false;            ///< Unmet, Unfit: everything else is met
  int code = 0;                  ///< Unlawful
  std::vector<double> goals;     ///< from Unmet on
  double stepTime = 0, peak = 0; ///< s, bytes

  bool priced() const { return fate == Fate::Unmet || fate == Fate::Unfit || fate == Fate::Met; }
};

/// Better by the first goal in which they differ, then by number.
bool before(const Outcome& a, const Outcome& b);
/// No worse in any goal, and better in one.
bool dominates(const Outcome& a, const Outcome& b);

} // namespace planc::search
