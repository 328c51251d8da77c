// What pricing one node gives: seconds and what bounds them, where they go, and how they came about.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/Machine.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace planc::cost {

enum class Bound { Compute, Memory, Network, Launch };
std::string_view name(Bound b);

/// How the time of one compute node or collective came about: what `planc explain FILE PATH` prints.
struct Derivation {
  std::string equation;                                             ///< the formula with symbols
  std::string substituted;                                          ///< the same with numbers and units
  std::vector<std::pair<std::string, const ir::Number*>> constants; ///< each with its source
  std::vector<std::pair<std::string, std::string>> notes;           ///< algorithm, levels and phases of a collective
  std::vector<std::shared_ptr<const ir::Number>> read; ///< owns those constants that were read off a curve or a sample
};

struct Priced {
  double seconds = 0;
  Bound bound = Bound::Compute;
  double launches =
      1; ///< what the host does, in launches of an operator (0 passes: fused into a neighbour, no time, no launch)
  double flops = 0; ///< executed, no mask
  double bytes = 0; ///< that the equation moves
};

/// A part of the time of a collective, and what it is spent on.
struct LimitPart {
  std::string what; ///< `nodes: card`
  double seconds = 0;
};
/// The largest of them; empty if there are none.
LimitPart narrowest(const std::vector<LimitPart>& parts);

} // namespace planc::cost
