// The ranges that facts can have, in base units: one row each, named by what is measured; a row of facts names its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>
#include <string_view>

namespace planc::frontend {

/// The values that make sense, both ends included unless `open`.
struct FactRange {
  double least, most;
  std::string_view text; ///< "it takes …"
  bool open = false;     ///< `least` itself is outside

  bool holds(double v) const { return (open ? v > least : v >= least) && v <= most; }
};

// Ends that no machine reaches: far enough from those of a double that products of a few facts stay inside of them.
namespace ranges {
inline constexpr double kPeta = 1e15, kExa = 1e18, kDay = 86400, kHour = 3600;

inline constexpr FactRange kAny{-std::numeric_limits<double>::max(), std::numeric_limits<double>::max(), "any number"};
/// A part of something: it may be none or all.
inline constexpr FactRange kShare{0, 1, "0 to 1"};
/// What is reached of a rate on paper: more of it than all of it is a forgotten `%`.
inline constexpr FactRange kEfficiency{0, 1, "more than 0 and at most 1 (100 %)", true};
/// The same where the reference is another measurement, and not a limit of the hardware: it may be passed.
inline constexpr FactRange kRelative{0, 10, "more than 0 and at most 10", true};
/// How many times as long, or as much.
inline constexpr FactRange kFactor{0, 1000, "more than 0 and at most 1000", true};
/// One, or a little more.
inline constexpr FactRange kSurcharge{1, 10, "1 to 10"};
/// Passes over memory: 0 is a kernel that another one swallowed.
inline constexpr FactRange kPasses{0, 1e4, "0 to 10000"};
inline constexpr FactRange kError{0, 10, "0 to 10 (1000 %)"};
inline constexpr FactRange kCount{0, 1e9, "0 to 1e9"};
inline constexpr FactRange kSome{1, 1e9, "1 to 1e9"};
inline constexpr FactRange kTime{0, kDay, "0 s to 1 d"};
inline constexpr FactRange kBandwidth{1, kExa, "1 B/s to 1000 PB/s"};
inline constexpr FactRange kRate{1, 1000 * kExa, "1 FLOP/s to 1000 EFLOP/s"};
inline constexpr FactRange kBytes{0, kExa, "0 B to 1000 PB"};
inline constexpr FactRange kSize{1, kExa, "1 B to 1000 PB"};
inline constexpr FactRange kPower{0, 1e9, "0 W to 1 GW"};
inline constexpr FactRange kPrice{0, 1e6 / kHour, "0 USD/h to 1e6 USD/h"};
} // namespace ranges

} // namespace planc::frontend
