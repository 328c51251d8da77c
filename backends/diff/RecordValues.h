// The values of a record of a machine or a stack as numbers. Records are compared by values, not by names.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/result/Estimate.h"
#include "ir/facts/FactTable.h"
#include "ir/plan/Plan.h"

#include <functional>
#include <vector>

namespace planc::diff {

using FactFilter = std::function<bool(const ir::FactRow&, const ir::Number&)>;

/// The facts of a record that pass a filter, in the order of their table. Without a filter: all facts except those
/// about the making of the record. Each fact has its index in the table, the step that replaces the `*` of its path,
/// and its number or the points of its table.
struct RecordValues {
  std::vector<std::string> facts;
  std::vector<double> numbers;
  bool operator==(const RecordValues&) const = default;
};
/// Returns the values of the facts that pass the filter.
RecordValues recordValues(const ir::Device& device, const FactFilter& filter = {});
RecordValues recordValues(const ir::Stack& stack, const FactFilter& filter = {});

/// Returns the values of the record behind a term of a plan's interval: its facts and, for a device, the facts on which
/// its measurements depend.
RecordValues recordValues(const ir::Plan& plan, const cost::RecordShare& term);

/// Returns the distance of two records: the largest natural logarithm of the ratio of two of their numbers. Returns 0
/// if they are equal and infinity if they hold different facts.
double farness(const RecordValues& a, const RecordValues& b);

} // namespace planc::diff
