// What a plan makes of its mesh, whatever its axes are called: what lies where, and what is split over it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/plan/Plan.h"

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

/// The axes that a rule's targets name now, major first, also those of one device; empty for `replicate`.
AxisList namedAxes(const Mesh& mesh, const std::vector<Symbol>& targets);
/// The axes that a rule's targets split something over: an axis of one device is no axis, and is left out.
AxisList resolveTargets(const Mesh& mesh, const std::vector<Symbol>& targets);

/// Does a rule hold in this mesh? A rule that names only axes of one device is no rule; `replicate` and `host` are.
bool holds(const Mesh& mesh, const PlacementRule& rule);
bool holds(const Mesh& mesh, const StateRule& rule);
/// The rules of a plan that hold in its mesh, or in one whose axes are refined; in the plan's order.
std::vector<const PlacementRule*> heldPlacements(const Plan& plan, const Mesh& mesh);
/// The pipeline of a plan; null without one, and for a pipeline over axes of one device, which has one stage.
const Pipeline* pipelineOf(const Plan& plan);

/// Targets as a rule writes them: `tp`, `[cp, tp]`, `[dp, host]`, `replicate`.
std::string targetText(const std::vector<Symbol>& targets, bool host);
/// What a rule says of its subject, as it is written: `[cp, tp] via ring`, `dp { regather = false }`.
std::string effectText(const PlacementRule& rule);
std::string effectText(const StateRule& rule);

/// Of the axes as they lie, from the inside out.
std::vector<std::pair<AxisId, AxisUse>> axisUses(const Plan& plan);

} // namespace planc::ir
