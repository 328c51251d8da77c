// Collects outcomes and keeps the best of them.
// SPDX-License-Identifier: Apache-2.0
#include "search/Answer.h"

#include <algorithm>

namespace planc::search {

namespace {

void keepBetter(std::optional<Outcome>& known, const Outcome& outcome) {
  if (!known || before(outcome, *known)) known = outcome;
}

void addCounted(Counted& to, const Counted& more) {
  if (more.count) to.add(more.first, more.count);
}

} // namespace

void Counted::add(ir::CandidateId id, uint64_t more) {
  first = count ? std::min(first, id) : id;
  count += more;
}

Answer::Answer(const ir::Space& space, size_t conditions, size_t top)
    : space_(&space), top_(top), without_(conditions), unmet_(conditions) {
  for (const ir::Choice& choice : space.choices) values_.emplace_back(choice.values.size());
}

Answer::Answer(const ir::Space& space, size_t top, AnswerParts parts)
    : space_(&space), top_(top), best_(std::move(parts.best)), front_(std::move(parts.front)),
      values_(std::move(parts.values)), without_(std::move(parts.without)), unfit_(std::move(parts.unfit)),
      leastPeak_(std::move(parts.leastPeak)), unlawful_(std::move(parts.unlawful)), unmet_(std::move(parts.unmet)) {
  std::copy(std::begin(parts.fates), std::end(parts.fates), std::begin(fates_));
}

void Answer::keepOnFront(const Outcome& outcome) {
  const auto covers = [&](const Outcome& known) {
    return dominates(known, outcome) || (known.goals == outcome.goals && known.id < outcome.id);
  };
  const auto covered = [&](const Outcome& known) { return dominates(outcome, known) || known.goals == outcome.goals; };
  // In this order, a candidate stands after those that dominate it and before those that it dominates; with two goals
  // they are its direct neighbours.
  const bool beside = outcome.goals.size() <= 2;
  const auto at = std::lower_bound(front_.begin(), front_.end(), outcome, before);
  if (std::any_of(beside && at != front_.begin() ? at - 1 : front_.begin(), at, covers)) return;
  const auto end = beside ? std::find_if_not(at, front_.end(), covered) : front_.end();
  const auto place = at - front_.begin();
  front_.erase(std::remove_if(at, end, covered), end);
  front_.insert(front_.begin() + place, outcome);
}

void Answer::addWorse(ir::CandidateId first, uint64_t count) {
  if (count) fates_[static_cast<size_t>(Fate::Worse)].add(first, count);
}

void Answer::keep(const Outcome& outcome) {
  if (best_.size() < top_ || (top_ > 0 && before(outcome, best_.back()))) {
    best_.insert(std::lower_bound(best_.begin(), best_.end(), outcome, before), outcome);
    if (best_.size() > top_) best_.pop_back();
  }
  keepOnFront(outcome);
  const std::vector<uint32_t> digits = space_->digits(outcome.id);
  for (size_t i = 0; i < digits.size(); ++i) keepBetter(values_[i][digits[i]], outcome);
}

void Answer::add(const Outcome& outcome) {
  if (outcome.fate == Fate::None) return;
  fates_[static_cast<size_t>(outcome.fate)].add(outcome.id);
  if (outcome.fate == Fate::Unlawful) unlawful_[outcome.code].add(outcome.id);
  if (outcome.fate == Fate::Cut || outcome.fate == Fate::Unmet) unmet_[outcome.condition].add(outcome.id);
  if (outcome.fate == Fate::Unmet && outcome.alone) keepBetter(without_[outcome.condition], outcome);
  if (outcome.fate == Fate::Unfit) {
    keepBetter(unfit_, outcome);
    const auto needsLess = [](const Outcome& a, const Outcome& b) {
      return a.peak != b.peak ? a.peak < b.peak : a.id < b.id;
    };
    if (!leastPeak_ || needsLess(outcome, *leastPeak_)) leastPeak_ = outcome;
  }
  if (outcome.fate == Fate::Met) keep(outcome);
}

void Answer::add(const Answer& other) {
  for (size_t i = 0; i < kFates; ++i) addCounted(fates_[i], other.fates_[i]);
  for (const auto& [code, counted] : other.unlawful_) addCounted(unlawful_[code], counted);
  for (size_t i = 0; i < unmet_.size(); ++i) {
    addCounted(unmet_[i], other.unmet_[i]);
    if (other.without_[i]) keepBetter(without_[i], *other.without_[i]);
  }
  if (other.unfit_) keepBetter(unfit_, *other.unfit_);
  if (const auto& least = other.leastPeak_; least)
    if (!leastPeak_ || least->peak < leastPeak_->peak ||
        (least->peak == leastPeak_->peak && least->id < leastPeak_->id))
      leastPeak_ = least;
  for (const Outcome& outcome : other.best_)
    if (best_.size() < top_ || before(outcome, best_.back())) {
      best_.insert(std::lower_bound(best_.begin(), best_.end(), outcome, before), outcome);
      if (best_.size() > top_) best_.pop_back();
    }
  for (const Outcome& outcome : other.front_) keepOnFront(outcome);
  for (size_t i = 0; i < values_.size(); ++i)
    for (size_t v = 0; v < values_[i].size(); ++v)
      if (other.values_[i][v]) keepBetter(values_[i][v], *other.values_[i][v]);
}

bool Answer::excludes(std::span<const double> floors) const {
  if (top_ == 0 || best_.size() < top_ || floors[0] <= best_.back().goals[0]) return false;
  const auto covers = [&](const Outcome& known) {
    for (size_t i = 0; i < floors.size(); ++i)
      if (known.goals[i] > floors[i]) return false;
    return !std::equal(floors.begin(), floors.end(), known.goals.begin()); // the first of equal candidates is kept
  };
  return std::any_of(front_.begin(), front_.end(), covers);
}

bool Answer::excludesUnfit(std::span<const double> floors) const {
  // Without any answer, the report shows the candidate that comes nearest to fitting, so none is excluded.
  return !best_.empty() && unfit_ && floors[0] > unfit_->goals[0];
}

const Outcome* Answer::bestOf(size_t choice, uint32_t value) const {
  const std::optional<Outcome>& found = values_[choice][value];
  return found ? &*found : nullptr;
}

const Outcome* Answer::bestWithout(size_t condition) const {
  return without_[condition] ? &*without_[condition] : nullptr;
}

uint64_t Answer::candidates() const {
  uint64_t sum = 0;
  for (const Counted& counted : fates_) sum += counted.count;
  return sum;
}

uint64_t Answer::priced() const {
  return of(Fate::Unmet).count + of(Fate::Unfit).count + of(Fate::Met).count;
}

} // namespace planc::search
