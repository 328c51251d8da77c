// What a record of a machine or its software holds, as numbers: two records are told apart by them and not by names.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/result/Estimate.h"
#include "ir/Plan.h"
#include "ir/facts/FactTable.h"

#include <functional>
#include <vector>

namespace planc::diff {

using FactFilter = std::function<bool(const ir::FactRow&, const ir::Number&)>;

/// The facts of a record that a filter takes, in the order of their table: for each its place in the table, what stands
/// for the `*` of its path, and its number or the points of its table. Without a filter all facts.
struct RecordValues {
  std::vector<std::string> facts;
  std::vector<double> numbers;
  bool operator==(const RecordValues&) const = default;
};
RecordValues recordValues(const ir::Device& device, const FactFilter& filter = {});
RecordValues recordValues(const ir::Stack& stack, const FactFilter& filter = {});

/// Of the record that a term of a plan's interval stands on: its facts, and of a device what it was measured on.
RecordValues recordValues(const ir::Plan& plan, const cost::RecordShare& term);

/// How far two records are from each other: the largest natural logarithm of the ratio of two of their numbers; 0 if
/// they are one, infinite if they hold different facts.
double farness(const RecordValues& a, const RecordValues& b);

} // namespace planc::diff
