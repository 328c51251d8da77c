// Brackets the answer, bisects over multiples of the common divisor of the lawful values, and proves the answer by
// trying its neighbours.
// SPDX-License-Identifier: Apache-2.0
#include "search/Largest.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace planc::search {

namespace {

class Extremes {
public:
  Extremes(Extreme what, const ValueTrial& trial) : up_(what == Extreme::Largest), trial_(trial) {}

  ExtremeFound run(std::optional<int64_t> start) {
    probe(start.value_or(1));
    lookBetween();
    if (!in()) seek();
    if (up_) climb();
    do {
      while (narrow()) {
      }
    } while (lookBetween());
    prove();
    return finish();
  }

  ExtremeFound runSparsely() {
    constexpr int kFar = 20, kNear = 8; // few, because each trial is a whole search
    endless_ = doubleUp(1, kFar);
    for (const int64_t odd : {3, 5, 7})
      if (!in()) doubleUp(odd, kNear);
    if (!in()) scan(0);
    if (in() && up_ && !endless_) endless_ = doubleUp(*in(), kFar);
    do {
      halve();
    } while (!endless_ && ((up_ && in() && !outBeside(*in()) && scan(*in())) || lookAtRound()));
    return finish();
  }

private:
  using Known = std::map<int64_t, TriedValue>;

  /// Tries the values that were not tried yet. Returns false if values cannot be tried.
  bool tryAll(const std::set<int64_t>& values) {
    std::vector<int64_t> fresh;
    for (const int64_t value : values)
      if (value >= 1 && value <= kMostValue && !known_.count(value)) fresh.push_back(value);
    constexpr size_t kAtOnce = 512;
    for (size_t from = 0; from < fresh.size() && !out_.failed; from += kAtOnce) {
      const std::vector<int64_t> some(fresh.begin() + static_cast<std::ptrdiff_t>(from),
                                      fresh.begin() +
                                          static_cast<std::ptrdiff_t>(std::min(fresh.size(), from + kAtOnce)));
      const std::vector<TriedValue> found = trial_(some);
      out_.failed = found.size() != some.size();
      for (const TriedValue& one : found) known_[one.value] = one;
    }
    return !out_.failed;
  }

  /// Returns a few consecutive values, because lawful values may lie next to round ones.
  static std::set<int64_t> from(int64_t value) {
    std::set<int64_t> out;
    constexpr int64_t kInARow = 8;
    for (int64_t v = value; v < value + kInARow; ++v) out.insert(v);
    return out;
  }
  bool lawfulAmong(const std::set<int64_t>& values) const {
    return std::any_of(values.begin(), values.end(), [&](int64_t v) {
      const auto one = known_.find(v);
      return one != known_.end() && one->second.lawful();
    });
  }

  /// Tries small values, powers of two, and halves and doubles of the plan's own value.
  void probe(int64_t start) {
    std::set<int64_t> values;
    constexpr int64_t kSmall = 64;
    for (int64_t v = 1; v <= kSmall; ++v) values.insert(v);
    constexpr int kDoublings = 20;
    for (const int64_t from : {int64_t(1), start})
      for (int k = 0; k <= kDoublings && from <= kMostValue >> k; ++k) values.insert(from << k);
    for (int64_t v = start; v > 0; v /= 2) values.insert(v);
    tryAll(values);
  }

  /// If no probed value fits, tries all values up to `kLookedBeyond` until one fits. When the largest value is wanted,
  /// values above the smallest lawful one are skipped, because memory grows with the value.
  void seek() {
    int64_t most = kLookedBeyond;
    for (const auto& [value, one] : known_)
      if (up_ && one.lawful()) most = std::min(most, value);
    constexpr int64_t kBlockOfValues = 256;
    for (int64_t from = 1; from <= most && !in(); from += kBlockOfValues) {
      std::set<int64_t> block;
      for (int64_t v = from; v < std::min(from + kBlockOfValues, most + 1); ++v) block.insert(v);
      if (!tryAll(block)) return;
    }
  }

  /// Doubles the largest value that fits until a lawful value does not fit or no value is lawful any more.
  void climb() {
    constexpr int kRefused = 12;
    auto best = in();
    for (int refused = 0; best && refused < kRefused && !outBeside(*best);) {
      const int64_t next = *best << (refused + 1);
      const std::set<int64_t> some = from(next);
      if (next > kMostValue || !tryAll(some)) return;
      refused = lawfulAmong(some) ? 0 : refused + 1;
      best = in();
    }
  }

  std::optional<int64_t> in() const {
    std::optional<int64_t> found;
    for (const auto& [value, one] : known_)
      if (one.fits() && (!found || up_)) found = value;
    return found;
  }
  /// Returns the nearest value beyond `from` that is lawful and does not fit; nothing if none was tried.
  std::optional<int64_t> outBeside(int64_t from) const {
    std::optional<int64_t> found;
    for (const auto& [value, one] : known_) {
      if (!one.lawful() || one.fits()) continue;
      if (up_ && value > from && !found) found = value;
      if (!up_ && value < from) found = value;
    }
    return found;
  }

  /// Returns the next tried value above `from` if a law forbids it. It bounds the bisection if no larger value is
  /// lawful.
  std::optional<int64_t> refusedBeside(int64_t from) const {
    const auto next = known_.upper_bound(from);
    return next != known_.end() && !next->second.lawful() ? std::optional(next->first) : std::nullopt;
  }

  /// Tries values between the answer so far and the nearest value that does not fit. Returns false if none is left.
  bool narrow() {
    const auto inside = in();
    auto outside = inside ? outBeside(*inside) : std::nullopt;
    if (inside && !outside && up_) outside = refusedBeside(*inside);
    return outside && !out_.failed && tryBetween(std::min(*inside, *outside), std::max(*inside, *outside));
  }

  /// Tries multiples of the common divisor of all lawful values, then of that divisor's divisors. Returns false if none
  /// of them is lawful.
  bool tryBetween(int64_t low, int64_t high) {
    int64_t common = 0;
    for (const auto& [value, one] : known_)
      if (one.lawful()) common = std::gcd(common, value);
    for (int64_t step = common; step > 0; step = finer(step)) {
      std::set<int64_t> fresh;
      constexpr int64_t kParts = 8;
      for (int64_t part = 1; part < kParts; ++part) {
        const int64_t value =
            (low + (high - low) / kParts * part + (high - low) % kParts * part / kParts) / step * step;
        for (const int64_t one : step == 1 ? from(value) : std::set{value})
          if (one > low && one < high && !known_.count(one)) fresh.insert(one);
      }
      if (fresh.empty()) continue;
      if (!tryAll(fresh)) return false;
      if (lawfulAmong(fresh)) return true;
    }
    return false;
  }
  /// Tries doublings of `value` until lawful values on both sides of the answer are known, or the laws allow no more of
  /// them. Returns true if the last doubling fits and none beyond it was tried.
  bool doubleUp(int64_t value, int doublings) {
    constexpr int kRefused = 6;
    int refused = 0;
    for (int k = 0; k <= doublings && value <= kMostValue; ++k, value *= 2) {
      if (!tryAll({value})) return false;
      refused = known_[value].lawful() ? 0 : refused + 1;
      if (up_ ? in() && outBeside(*in()) : in().has_value()) return false;
      if (refused >= kRefused) return false;
    }
    return up_ && in() == value / 2;
  }

  /// Tries the values after `behind` until one fits, or until a lawful one follows a value that fits. Returns false if
  /// the answer does not change.
  bool scan(int64_t behind) {
    constexpr int64_t kScanned = 512;
    constexpr int kPriced = 32; // limit of lawful values, each a whole search
    const auto before = in();
    int priced = 0;
    for (int64_t v = behind + 1; v <= behind + kScanned && priced < kPriced; ++v) {
      if (!known_.count(v) && !tryAll({v})) return false;
      priced += known_[v].lawful() ? 1 : 0;
      if (in() != before || (before && known_[v].lawful())) break;
    }
    return in() != before;
  }

  /// Bisects between the answer so far and the next lawful value that does not fit, until every value between them was
  /// tried. If a law refuses the middle, the values towards the answer come next.
  void halve() {
    const int64_t least = 0;
    while (in() && !out_.failed) {
      const int64_t inside = *in();
      const std::optional<int64_t> outside = up_ ? outBeside(inside) : outBeside(inside).value_or(least);
      if (!outside) return;
      const std::optional<int64_t> middle = untriedBetween(inside, *outside);
      if (!middle || known_.size() >= kMostTried || !tryAll({*middle})) return;
    }
  }

  /// Tries the next multiples of powers of two beyond the answer so far, because laws often allow no other values.
  /// Returns false if the answer does not change.
  bool lookAtRound() {
    const auto inside = in();
    if (!inside || out_.failed || known_.size() >= kMostTried) return false;
    std::set<int64_t> values;
    for (int64_t step = 2; step <= *inside; step *= 2) {
      const int64_t below = (*inside - 1) / step * step;
      values.insert(up_ ? *inside / step * step + step : below);
    }
    return tryAll(values) && in() != inside;
  }

  /// Returns the untried value nearest to the middle, first on the side of `inside`; nothing if there is none.
  std::optional<int64_t> untriedBetween(int64_t inside, int64_t outside) const {
    const int64_t sign = inside < outside ? 1 : -1, middle = inside + (outside - inside) / 2;
    for (int64_t v = middle; v != inside; v -= sign)
      if (!known_.count(v)) return v;
    for (int64_t v = middle + sign; v != outside && v * sign < outside * sign; v += sign)
      if (!known_.count(v)) return v;
    return std::nullopt;
  }

  /// Divides by the smallest prime factor; 0 after 1.
  static int64_t finer(int64_t step) {
    for (int64_t prime = 2; prime * prime <= step; ++prime)
      if (step % prime == 0) return step / prime;
    return step > 1 ? 1 : 0;
  }

  /// If two neighbouring lawful values miss different conditions, a narrow band between them may miss none. Tries
  /// values there if they could be the answer. Returns false if the answer does not change.
  bool lookBetween() {
    const auto before = in();
    for (bool more = true; more && known_.size() < kMostTried;) {
      more = false;
      for (const auto& [low, high] : unlikeNeighbours())
        if (!out_.failed && between_.emplace(low, high).second && tryBetween(low, high)) more = true;
    }
    return in() != before;
  }
  std::vector<std::pair<int64_t, int64_t>> unlikeNeighbours() const {
    std::vector<std::pair<int64_t, int64_t>> found;
    const auto inside = in();
    const TriedValue* last = nullptr;
    for (const auto& [value, one] : known_) {
      if (!one.lawful()) continue;
      const bool counts = last && (!inside || (up_ ? last->value > *inside : value < *inside));
      if (counts && !last->fits() && !one.fits() && (last->fate != one.fate || last->condition != one.condition))
        found.emplace_back(last->value, value);
      last = &one;
    }
    return found;
  }

  /// Tries every value beyond the answer up to the next lawful one.
  void prove() {
    auto inside = in();
    int64_t behind = 0;
    if (inside && *inside > kMostValue / 2) return; // no end is in sight
    for (int64_t block = 16; inside && behind < kLookedBeyond && !out_.failed && known_.size() < kMostTried;
         block = std::min<int64_t>({block * 2, 512, kLookedBeyond - behind})) {
      const int64_t sign = up_ ? 1 : -1;
      std::set<int64_t> values;
      for (int64_t i = 1; i <= block; ++i) values.insert(*inside + sign * (behind + i));
      if (!tryAll(values)) return;
      std::optional<int64_t> lawful;
      for (int64_t i = 1; i <= block && !lawful; ++i)
        if (const auto one = known_.find(*inside + sign * (behind + i)); one != known_.end() && one->second.lawful())
          lawful = one->first;
      if (!lawful) {
        behind += block;
        if (!up_ && behind >= *inside - 1) break;
        continue;
      }
      if (!known_[*lawful].fits()) return;
      inside = in(), behind = 0,
      block = 8; // lawful values follow no lattice, so go on from the new answer
    }
  }

  ExtremeFound finish() {
    out_.tried = known_.size();
    const auto inside = in();
    if (!inside) {
      for (const auto& [value, one] : known_)
        if (one.peak > 0 && (!out_.nearest || one.peak < out_.nearest->peak)) out_.nearest = one;
      if (!known_.empty() && !out_.nearest) out_.refused = known_.begin()->second;
      return out_;
    }
    out_.in = known_[*inside];
    const int64_t sign = up_ ? 1 : -1;
    for (int64_t v = *inside + sign; v >= 1; v += sign) {
      const auto one = known_.find(v);
      if (one == known_.end()) break;
      ++out_.looked;
      if (one->second.lawful()) break;
      if (!out_.refused) out_.refused = one->second;
    }
    if (const auto outside = outBeside(*inside)) out_.out = known_[*outside];
    const bool cut = endless_ || known_.size() >= kMostTried || *inside > kMostValue / 2;
    out_.ended = up_ && cut && !out_.out && out_.looked < kLookedBeyond;
    out_.end = !up_ && out_.looked == *inside - 1 && !out_.out;
    for (const auto& [value, one] : known_)
      if (one.lawful() && !one.fits() && (up_ ? value < *inside : value > *inside && !out_.contrary))
        out_.contrary = one;
    return out_;
  }

  bool up_;
  bool endless_ = false; ///< doublings fitted as far as they were tried
  const ValueTrial& trial_;
  Known known_;
  std::set<std::pair<int64_t, int64_t>> between_; ///< pairs between which values were tried already
  ExtremeFound out_;
};

} // namespace

ExtremeFound findExtreme(Extreme what, std::optional<int64_t> start, const ValueTrial& trial, Probing probing) {
  return probing == Probing::Sparse ? Extremes(what, trial).runSparsely() : Extremes(what, trial).run(start);
}

} // namespace planc::search
