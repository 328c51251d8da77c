// The valid ranges of facts, in base units. Each range is named by the measured quantity; each fact's row names a
// range.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Quantity.h"

#include <limits>
#include <string_view>

namespace planc::ir {

/// The valid values, both ends included unless `open`.
struct FactRange {
  double least, most;
  std::string_view text; ///< completes "it takes …"
  bool open = false;     ///< excludes `least` itself

  bool holds(double v) const { return (open ? v > least : v >= least) && v <= most; }
};

// Ranges of quantities end a factor of 10^4 or more beyond the largest value of the standard library, which each
// comment names. A value beyond that is a wrong unit or prefix. Products of a few such facts stay far below the largest
// double (1.8e308). Ranges of ratios detect a forgotten `%`, a factor of 100: ratios are about 1, and the limit of 10
// lies midway between 1 and 100.
namespace ranges {
inline constexpr double kExa = 1e18, kDay = 24 * kHour;

inline constexpr FactRange kAny{-std::numeric_limits<double>::max(), std::numeric_limits<double>::max(), "any number"};
/// A share of something: none (0) to all (1).
inline constexpr FactRange kShare{0, 1, "0 to 1"};
/// Years between releases of a software.
inline constexpr FactRange kYears{0, 100, "0 to 100"};
/// A Gini coefficient: none (0), or a few hold nearly all.
inline constexpr FactRange kInequality{0, 0.9, "0 to 0.9"};
/// The reached share of a nominal rate. More than 1 means a forgotten `%`.
inline constexpr FactRange kEfficiency{0, 1, "more than 0 and at most 1 (100 %)", true};
/// An efficiency relative to another measurement. It may exceed 1, because the reference is not a hardware limit. A
/// ratio: 0.38 to 2.1 in the library.
inline constexpr FactRange kRelative{0, 10, "more than 0 and at most 10", true};
/// A factor between the times or amounts of kernels that do different work, so no `%` is expected. 1.25 to 3.4 in the
/// library.
inline constexpr FactRange kFactor{0, 1000, "more than 0 and at most 1000", true};
/// A factor of 1 or slightly more. A ratio: 1.14 in the library.
inline constexpr FactRange kSurcharge{1, 10, "1 to 10"};
/// Extra copies of a tensor: an eager cross-entropy makes 2 copies of the logits, in fp32.
inline constexpr FactRange kCopies{0, 10, "0 to 10"};
/// Passes over memory: 0 for a kernel that is fused into another one; 53 for a norm of elementwise operators (stack
/// `neox`).
inline constexpr FactRange kPasses{0, 1e4, "0 to 10000"};
/// A relative error. A ratio: 25 % in the library.
inline constexpr FactRange kError{0, 10, "0 to 10 (1000 %)"};
/// Ranks, nodes, links, runs: a product of two is below 2^63.
inline constexpr FactRange kCount{0, 1e9, "0 to 1e9"};
inline constexpr FactRange kSome{1, 1e9, "1 to 1e9"};
/// Starting kernels and collectives: 3.2 ms (fabric of Ethernet).
inline constexpr FactRange kTime{0, kDay, "0 s to 1 d"};
/// Memory of a device: 8 TB/s (B200). The minimum is one base unit, so that times stay finite.
inline constexpr FactRange kBandwidth{1, kExa, "1 B/s to 1000 PB/s"};
/// Peak rates: 10 PFLOP/s in fp4 (GB200).
inline constexpr FactRange kRate{1, 1000 * kExa, "1 FLOP/s to 1000 EFLOP/s"};
/// Memory: 480 GB of a host's share (GH200).
inline constexpr FactRange kBytes{0, kExa, "0 B to 1000 PB"};
inline constexpr FactRange kSize{1, kExa, "1 B to 1000 PB"};
/// Power of a device: 1.2 kW (GB200).
inline constexpr FactRange kPower{0, 1e9, "0 W to 1 GW"};
/// Power that decides clock rates, so it cannot be 0.
inline constexpr FactRange kDraw{0, 1e9, "more than 0 W and at most 1 GW", true};
/// Energy per FLOP: 1.2 pJ (H100).
inline constexpr FactRange kEnergyPerFlop{0, 1e-6, "more than 0 and at most 1e6 pJ/FLOP", true};
/// Price of a device: 14.24 USD/h (B200).
inline constexpr FactRange kPrice{0, 1e6 / kHour, "0 USD/h to 1e6 USD/h"};
/// Amount of work in a run: 15e12 tokens (Llama 3).
inline constexpr FactRange kAmount{1, kExa, "1 to 1e18"};
/// Time until a device fails, or between two checkpoints: 50000 h.
inline constexpr FactRange kLife{1, 1e9 * kHour, "1 s to 1e9 h"};
/// Emissions of electricity: 1 kg/kWh (lignite).
inline constexpr FactRange kIntensity{0, 1e7 / (1e3 * kHour), "0 g/kWh to 1e7 g/kWh"};
} // namespace ranges

} // namespace planc::ir
