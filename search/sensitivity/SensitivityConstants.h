// Lists the numeric constants that a plan depends on, by path, each with a function that scales it in a copy of the
// plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/facts/Ranges.h"
#include "ir/plan/Plan.h"

#include <functional>
#include <string>
#include <vector>

namespace planc::search {

/// A real number in the facts of a plan's cluster, device, software or text. A table is one constant, and each column
/// of a collective's samples is one: all of its values are scaled together.
struct Constant {
  std::string path;        ///< `cluster.node.bandwidth`, `cluster.node.link.all_reduce.a`
  Unit unit{};             ///< unit of the value
  double value = 0;        ///< in base units; the last value of a table or column
  size_t values = 1;       ///< count of values that are scaled together
  std::string source = {}; ///< the text behind the value, which says where it is from
  std::string record = {}; ///< the record of measurements it comes from, named as in `cost::widthParts`; empty: none
  double least = 0;        ///< smallest and largest factor that keep
  double most = 0;         ///< all values within the range of the fact
  std::function<void(ir::Plan&, double)> scale =
      {}; ///< multiplies the constant by a factor; shared parts of the plan are copied first
};

/// The constants of a plan, by kind.
struct Constants {
  std::vector<Constant> scaled;
  std::vector<std::string> zeros;  ///< paths of constants that are 0, which no factor changes
  std::vector<std::string> counts; ///< paths of whole numbers, which have no derivative
};
Constants constantsOf(const ir::Plan& plan);

} // namespace planc::search
