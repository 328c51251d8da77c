// The answer of a search: the best candidates, and counts of all others by fate. Answers about parts of a space add up
// to the answer about the whole space, in any order.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "search/Outcome.h"

#include <map>
#include <optional>
#include <span>

namespace planc::search {

/// Candidates of one fate: how many, and the lowest number among them.
struct Counted {
  uint64_t count = 0;
  ir::CandidateId first = 0;
  void add(ir::CandidateId id, uint64_t more = 1);
};

/// The parts of an answer, from which a store rebuilds it.
struct AnswerParts {
  std::vector<Outcome> best, front;
  std::vector<std::vector<std::optional<Outcome>>> values; ///< by choice and value
  std::vector<std::optional<Outcome>> without;             ///< by condition
  std::optional<Outcome> unfit, leastPeak;
  Counted fates[kFates];
  std::map<int, Counted> unlawful;
  std::vector<Counted> unmet; ///< by condition
};

class Answer {
public:
  /// `top`: how many of the best candidates are kept. `conditions`: how many conditions the search has.
  Answer(const ir::Space& space, size_t conditions, size_t top);

  /// Rebuilds an answer from its parts. The lists by choice, value and condition must have the lengths of the space.
  Answer(const ir::Space& space, size_t top, AnswerParts parts);

  void add(const Outcome& outcome);
  /// Adds an answer about other candidates of the same space.
  void add(const Answer& other);

  /// The best candidates, at most `top`, ordered by the goals in their order and then by candidate number.
  const std::vector<Outcome>& best() const { return best_; }
  /// Candidates that no other candidate dominates, in the order of the first goal. Of candidates equal in all goals
  /// only the first is kept. With one goal, the front is the best candidate.
  const std::vector<Outcome>& front() const { return front_; }
  /// The best candidate with this value of a choice; null if no answer has the value. If candidates were skipped by
  /// bounds, it is the best of the priced ones only.
  const Outcome* bestOf(size_t choice, uint32_t value) const;
  /// The best candidate among those that miss only this condition; null if there is none.
  const Outcome* bestWithout(size_t condition) const;
  /// The best candidate among those that meet all conditions but do not fit in memory, and the candidate with the least
  /// peak memory among those that do not fit. Null if there is none.
  const Outcome* bestUnfit() const { return unfit_ ? &*unfit_ : nullptr; }
  const Outcome* leastPeak() const { return leastPeak_ ? &*leastPeak_ : nullptr; }

  /// Returns whether a candidate whose goals are at least `floors` can neither be among the best nor on the front,
  /// whatever is added later.
  bool excludes(std::span<const double> floors) const;
  /// Returns whether a candidate that does not fit, with goals of at least `floors`, cannot change `bestUnfit`.
  bool excludesUnfit(std::span<const double> floors) const;
  /// Counts `count` candidates from number `first` on as not priced, because they are certainly worse.
  void addWorse(ir::CandidateId first, uint64_t count);

  /// Counts by fate; numbers that are no candidates are not counted.
  const Counted& of(Fate fate) const { return fates_[static_cast<size_t>(fate)]; }
  /// Unlawful candidates by the code of the law.
  const std::map<int, Counted>& unlawful() const { return unlawful_; }
  /// Cut and unmet candidates by the first condition that does not hold.
  const std::vector<Counted>& unmet() const { return unmet_; }
  uint64_t candidates() const;
  uint64_t priced() const;

private:
  void keep(const Outcome& outcome);
  void keepOnFront(const Outcome& outcome);

  const ir::Space* space_;
  size_t top_;
  std::vector<Outcome> best_, front_;
  std::vector<std::vector<std::optional<Outcome>>> values_; ///< by choice and value
  std::vector<std::optional<Outcome>> without_;
  std::optional<Outcome> unfit_, leastPeak_;
  Counted fates_[kFates];
  std::map<int, Counted> unlawful_;
  std::vector<Counted> unmet_;
};

} // namespace planc::search
