// The columns of a fabric's samples, one row each.
// SPDX-License-Identifier: Apache-2.0
#include "ir/facts/SampleColumns.h"

namespace planc::ir {

std::span<const SampleColumn> sampleColumns() {
  using Row = Fabric::Sample;
  constexpr bool kFitted = true;
  static const std::vector<SampleColumn> columns{
      {"ranks", count(ranges::kSome), &Row::ranks, !kFitted, "ranks of the group"},
      {"nodes", count(ranges::kSome), &Row::nodes, !kFitted,
       "units of the level below over which the group spreads; default one"},
      {"a", number(units::time, ranges::kTime), &Row::a, kFitted, "start"},
      {"b", number(units::bandwidth, ranges::kBandwidth), &Row::b, kFitted, "rate of the bytes x on the wire"},
      {"g", number(units::time, ranges::kTime), &Row::g, kFitted, "factor of √(x / 1 GB)"},
  };
  return columns;
}

} // namespace planc::ir
