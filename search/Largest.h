// The largest whole value of something at which a plan is lawful and fits, or the least: found by bisection, and proven
// by trying what lies beside it.
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
    Refused, ///< a law forbids it, or what is left of the devices is not whole
    Missed,  ///< a condition does not hold: `condition` is the first
    Unfit,   ///< it does not fit in memory
    Fits,
  };
  int64_t value = 0;
  Fate fate = Fate::Refused;
  int code = 0; ///< Refused: of the law
  uint32_t condition = 0;
  double peak = 0, stepTime = 0; ///< bytes, s; 0 where it was not priced
  bool lawful() const { return fate != Fate::Refused; }
  bool fits() const { return fate == Fate::Fits; }
};

/// Tries values; one result for each, in the order asked for. Empty: they cannot be tried, which was reported.
using ValueTrial = std::function<std::vector<TriedValue>(const std::vector<int64_t>&)>;

/// What is asked for: the largest value that fits, or the least.
enum class Extreme { Largest, Fewest };

struct ExtremeFound {
  std::optional<TriedValue> in;       ///< the value asked for; nothing if none fits
  std::optional<TriedValue> out;      ///< the next lawful value, which does not fit; nothing where there is none
  std::optional<TriedValue> refused;  ///< the first value behind `in`, if no law allows it
  int64_t looked = 0;                 ///< values behind `in` that were tried; all before `out` are refused
  bool end = false;                   ///< Fewest: they are all that there are
  std::optional<TriedValue> contrary; ///< does not fit though it lies on the side of `in`: memory is not monotone
  std::optional<TriedValue> nearest;  ///< where none fits: of those with a price the least peak
  size_t tried = 0;
  bool ended = false;  ///< too many values were lawful one after the other to find an end: there may be more that fit
  bool failed = false; ///< values could not be tried
};

/// How many values behind the one that is found are tried where none of them is lawful.
inline constexpr int64_t kLookedBeyond = 4096;
/// Where every step finds another lawful value, the proof ends after so many; `looked` says how far it went.
inline constexpr size_t kMostTried = 20'000;
/// No larger ones are tried.
inline constexpr int64_t kMostValue = int64_t(1) << 40;

/// How many values are tried before the bisection.
enum class Probing {
  Dense,  ///< many at once: bands of values that fit are found, too
  Sparse, ///< doublings one by one, for trials that take long; what fits is taken to lie on one side
};

/// `start`: the value that the plan has, if that is known.
ExtremeFound findExtreme(Extreme what, std::optional<int64_t> start, const ValueTrial& trial,
                         Probing probing = Probing::Dense);

} // namespace planc::search
