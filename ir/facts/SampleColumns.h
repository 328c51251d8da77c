// The columns of a fabric's samples: the fields that a row of `all_reduce = [{ranks, a, b, g}]` may have.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/facts/FactTable.h"
#include "ir/machine/Machine.h"

namespace planc::ir {

/// One number of a sample row, or of the row's statistics.
struct SampleColumn {
  std::string_view name;
  FactType type;
  double Fabric::Sample::*field;
  bool fitted = false; ///< a coefficient of the closed form, which `time` may replace
  std::string_view meaning;
};
/// The columns in the order in which they are written.
std::span<const SampleColumn> sampleColumns();

/// The column that holds a table of measured times, by bytes of the full tensor.
inline constexpr std::string_view kSampledTimes = "time";

} // namespace planc::ir
