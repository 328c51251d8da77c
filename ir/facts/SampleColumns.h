// The columns of a fabric's samples: what a row of `all_reduce = [{ranks, a, b, g}]` may say.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/facts/FactTable.h"
#include "ir/machine/Machine.h"

namespace planc::ir {

/// A number of a row, or of what is known about it.
struct SampleColumn {
  std::string_view name;
  FactType type;
  double Fabric::Sample::*field;
  bool fitted = false; ///< a part of the closed form, which `time` may take the place of
  std::string_view meaning;
};
/// In the order in which they are written.
std::span<const SampleColumn> sampleColumns();

/// The column of a table of measured times, by bytes of the full tensor.
inline constexpr std::string_view kSampledTimes = "time";

} // namespace planc::ir
