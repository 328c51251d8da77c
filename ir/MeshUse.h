// What a plan makes of its mesh, whatever its axes are called: what lies where, and what is split over it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/Plan.h"

#include <compare>

namespace planc::ir {

/// One axis of more than one device.
struct AxisUse {
  int64_t size = 1;
  std::vector<int64_t> within;     ///< its ranks in one unit of each level of the cluster, from the inside out
  std::vector<std::string> splits; ///< dimensions that rules put on it, sorted
  bool stages = false;             ///< a pipeline lies along it
  auto operator<=>(const AxisUse&) const = default;
};

/// The axes that a rule's targets stand for now, axes of size one included; empty for `replicate`.
AxisList resolveTargets(const Mesh& mesh, const std::vector<Symbol>& targets);

/// Targets as a rule writes them: `tp`, `[cp, tp]`, `[dp, host]`, `replicate`.
std::string targetText(const std::vector<Symbol>& targets, bool host);
/// What a rule says of its subject, as it is written: `[cp, tp] via ring`, `dp { regather = false }`.
std::string effectText(const PlacementRule& rule);
std::string effectText(const StateRule& rule);

/// Of the axes as they lie, from the inside out.
std::vector<std::pair<AxisId, AxisUse>> axisUses(const Plan& plan);

} // namespace planc::ir
