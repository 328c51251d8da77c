// The numeric constants that a plan stands on, by path: each can be scaled in a copy of the plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/facts/Ranges.h"
#include "ir/plan/Plan.h"

#include <functional>
#include <string>
#include <vector>

namespace planc::search {

/// A number of a plan's machine, software or own text that may be any real one. A table and the samples of a
/// collective are one for each of their columns: all of its values are scaled together.
struct Constant {
  std::string path;        ///< `cluster.node.bandwidth`, `cluster.node.link.all_reduce.a`
  Unit unit{};             ///< of the value
  double value = 0;        ///< in base units; of a table or samples the last
  size_t values = 1;       ///< that are scaled together
  std::string record = {}; ///< what it was measured in, as `cost::widthParts` calls it; empty: in none
  double least = 0;        ///< factors between which all values
  double most = 0;         ///< stay within the range of the fact
  std::function<void(ir::Plan&, double)> scale =
      {}; ///< multiplies it by a factor; parts that plans share are copied first
};

/// What is found of a plan.
struct Constants {
  std::vector<Constant> scaled;
  std::vector<std::string> zeros;  ///< that no factor changes
  std::vector<std::string> counts; ///< whole numbers: axes of a derivative that are none
};
Constants constantsOf(const ir::Plan& plan);

} // namespace planc::search
