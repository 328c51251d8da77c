// What comes of a search: the best candidates, and what became of all others. Answers about parts of a space add up to
// the one about all of it, in whatever order they are added.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "search/Outcome.h"

#include <map>
#include <optional>
#include <span>

namespace planc::search {

/// Candidates of one fate: how many, and the first of them.
struct Counted {
  uint64_t count = 0;
  ir::CandidateId first = 0;
  void add(ir::CandidateId id, uint64_t more = 1);
};

/// What an answer consists of, so that one can be made again of what was written down.
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
  /// `top`: how many of the best are kept.
  Answer(const ir::Space& space, size_t conditions, size_t top);

  /// Of what the accessors of another one said; lists by choice, value and condition have the lengths of the space.
  Answer(const ir::Space& space, size_t top, AnswerParts parts);

  void add(const Outcome& outcome);
  /// Adds an answer about other candidates of the same space.
  void add(const Answer& other);

  /// The best by the first goal, then the others, then by number; at most `top`.
  const std::vector<Outcome>& best() const { return best_; }
  /// Candidates that no other one dominates, in the order of the first goal; of those equal in all goals the first.
  /// With one goal the best one.
  const std::vector<Outcome>& front() const { return front_; }
  /// The best candidate with a value of a choice; null if none is an answer. Of all candidates only where all were
  /// priced.
  const Outcome* bestOf(size_t choice, uint32_t value) const;
  /// The best of those that miss this condition alone; null if there is none.
  const Outcome* bestWithout(size_t condition) const;
  /// The best of those that do not fit and miss nothing else, and the one that comes nearest to fitting.
  const Outcome* bestUnfit() const { return unfit_ ? &*unfit_ : nullptr; }
  const Outcome* leastPeak() const { return leastPeak_ ? &*leastPeak_ : nullptr; }

  /// Whether a candidate with no less in any goal is neither among the best nor on the front, whatever is found yet.
  bool excludes(std::span<const double> floors) const;
  /// Whether one that does not fit, with no less in any goal, changes nothing of what is known of those.
  bool excludesUnfit(std::span<const double> floors) const;
  /// So many candidates that were not priced because they are certainly worse.
  void addWorse(ir::CandidateId first, uint64_t count);

  /// By fate; those that are no candidates are not counted.
  const Counted& of(Fate fate) const { return fates_[static_cast<size_t>(fate)]; }
  /// Unlawful ones by the code of the law.
  const std::map<int, Counted>& unlawful() const { return unlawful_; }
  /// Cut and unmet ones by the first condition that does not hold.
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
