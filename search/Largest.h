// Finds the largest or smallest whole value at which a plan is lawful and fits. It bisects, then tries the neighbouring
// values to prove the answer.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace planc::search {

/// A value that was tried.
struct TriedValue {
  enum class Fate {
    Refused, ///< a law forbids it, or the filled axis has no whole number of ranks
    Missed,  ///< a condition does not hold; `condition` is the first one
    Unfit,   ///< it does not fit in memory
    Fits,
  };
  int64_t value = 0;
  Fate fate = Fate::Refused;
  int code = 0; ///< Refused: the code of the law
  uint32_t condition = 0;
  double peak = 0, stepTime = 0; ///< bytes, s; 0 if it was not priced
  bool lawful() const { return fate != Fate::Refused; }
  bool fits() const { return fate == Fate::Fits; }
};

/// Tries values and returns one result for each, in their order. An empty result means that values cannot be tried,
/// which was reported.
using ValueTrial = std::function<std::vector<TriedValue>(const std::vector<int64_t>&)>;

/// Whether the largest or the smallest value that fits is requested.
enum class Extreme { Largest, Fewest };

struct ExtremeFound {
  std::optional<TriedValue> in;       ///< the answer; nothing if no value fits
  std::optional<TriedValue> out;      ///< the next lawful value, which does not fit; nothing if there is none
  std::optional<TriedValue> refused;  ///< the first value beyond `in`, if a law forbids it
  int64_t looked = 0;                 ///< number of values tried beyond `in`; laws forbid all of them before `out`
  bool end = false;                   ///< Fewest: every value below `in` was tried
  std::optional<TriedValue> contrary; ///< does not fit although on the fitting side of `in`: memory is not monotone
  std::optional<TriedValue> nearest;  ///< if none fits: the priced value with the least peak
  size_t tried = 0;
  bool ended = false;  ///< gave up after too many lawful values in a row: larger ones may fit
  bool failed = false; ///< values could not be tried
};

/// How many values beyond the answer are tried if none of them is lawful.
inline constexpr int64_t kLookedBeyond = 4096;
/// The proof ends after this many values if each step finds another lawful value; `looked` says how far it went.
inline constexpr size_t kMostTried = 20'000;
/// Larger values are not tried.
inline constexpr int64_t kMostValue = int64_t(1) << 40;

/// Selects how many values are tried before the bisection.
enum class Probing {
  Dense,  ///< many at once; also finds bands of values that fit
  Sparse, ///< doublings one by one, for slow trials; assumes that the values that fit lie on one side
};

/// `start`: the value that the plan has, if it is known.
ExtremeFound findExtreme(Extreme what, std::optional<int64_t> start, const ValueTrial& trial,
                         Probing probing = Probing::Dense);

} // namespace planc::search
