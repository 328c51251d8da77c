// How a plan uses its mesh, independent of axis names: where each axis lies, and what is split over it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/plan/Plan.h"

#include <compare>

namespace planc::ir {

/// One axis of more than one device.
struct AxisUse {
  int64_t size = 1;
  std::vector<int64_t> within;     ///< its ranks in one unit of each cluster level, innermost first
  std::vector<std::string> splits; ///< dimensions that rules put on it, sorted
  bool stages = false;             ///< a pipeline runs along it
  auto operator<=>(const AxisUse&) const = default;
};

/// The axes that a rule's targets name, major first, including axes of one device. Empty for `replicate`.
AxisList namedAxes(const Mesh& mesh, const std::vector<Symbol>& targets);
/// The axes over which a rule's targets split something. Leaves out axes of one device.
AxisList resolveTargets(const Mesh& mesh, const std::vector<Symbol>& targets);

/// Returns whether a rule has an effect in this mesh. A rule that names only axes of one device has none; `replicate`
/// and `host` always have.
bool holds(const Mesh& mesh, const PlacementRule& rule);
bool holds(const Mesh& mesh, const StateRule& rule);
/// The rules of a plan that have an effect in `mesh`, in plan order. `mesh`: the plan's mesh, or a copy of it with
/// refined axes.
std::vector<const PlacementRule*> heldPlacements(const Plan& plan, const Mesh& mesh);
/// The pipeline of a plan. Returns null if it has none, or if the pipeline's axes have one device (one stage).
const Pipeline* pipelineOf(const Plan& plan);

/// Returns the devices over which the plan's rules split a dimension of this name; 1 without such a rule.
int64_t devicesOver(const Plan& plan, Symbol dim);

/// Targets as a rule writes them: `tp`, `[cp, tp]`, `[dp, host]`, `replicate`.
std::string targetText(const std::vector<Symbol>& targets, bool host);
/// The effect of a rule on its subject, as written: `[cp, tp] via ring`, `dp { regather = false }`.
std::string effectText(const PlacementRule& rule);
std::string effectText(const StateRule& rule);

/// The axes in mesh order, innermost first.
std::vector<std::pair<AxisId, AxisUse>> axisUses(const Plan& plan);

} // namespace planc::ir
