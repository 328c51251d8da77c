// What a record of a machine or its software holds, as numbers: two records are told apart by them and not by names.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/result/Estimate.h"
#include "ir/facts/FactTable.h"
#include "ir/plan/Plan.h"

#include <functional>
#include <vector>

namespace planc::diff {

using FactFilter = std::function<bool(const ir::FactRow&, const ir::Number&)>;

/// The facts of a record that pass a filter, in the order of their table; without a filter all facts but those that
/// tell of the making of the record. Each has its place in the table, the step that stands for the `*` of its path, and
/// its number or the points of its table.
struct RecordValues {
  std::vector<std::string> facts;
  std::vector<double> numbers;
  bool operator==(const RecordValues&) const = default;
};
RecordValues recordValues(const ir::Device& device, const FactFilter& filter = {});
RecordValues recordValues(const ir::Stack& stack, const FactFilter& filter = {});

/// The values of the record behind a term of a plan's interval: its facts and, for a device, the facts that its
/// measurements stand on.
RecordValues recordValues(const ir::Plan& plan, const cost::RecordShare& term);

/// How far two records are from each other: the largest natural logarithm of the ratio of two of their numbers; 0 if
/// they are one, infinite if they hold different facts.
double farness(const RecordValues& a, const RecordValues& b);

} // namespace planc::diff
