// Finds the dimensions that a plan's rules put on each axis.
// SPDX-License-Identifier: Apache-2.0
#include "ir/plan/MeshUse.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace planc::ir {

namespace {

bool targetsReach(const Mesh& mesh, const std::vector<Symbol>& targets, AxisId axis) {
  return std::any_of(targets.begin(), targets.end(), [&](Symbol target) {
    const auto axes = mesh.resolve(target);
    return axes && std::find(axes->begin(), axes->end(), axis) != axes->end();
  });
}

} // namespace

int64_t devicesOver(const Plan& plan, Symbol dim) {
  int64_t devices = 1;
  for (const PlacementRule& r : plan.placements)
    if (r.dim == dim) devices = std::max(devices, plan.mesh.size(resolveTargets(plan.mesh, r.targets)));
  return devices;
}

std::string targetText(const std::vector<Symbol>& axes, bool host) {
  std::string text;
  for (Symbol axis : axes) text += (text.empty() ? "" : ", ") + axis.str();
  if (host) text += (text.empty() ? "" : ", ") + std::string(kHost);
  if (text.empty()) return "replicate";
  return text.find(',') == std::string::npos ? text : "[" + text + "]";
}

std::string effectText(const PlacementRule& rule) {
  return fmt::format("{}{}{}{}{}", targetText(rule.targets, false), rule.ring ? " via ring" : "",
                     rule.uneven ? " uneven" : "", rule.contiguous ? " contiguous" : "",
                     rule.optional ? " optional" : "");
}

std::string effectText(const StateRule& rule) {
  return fmt::format("{}{}{}", targetText(rule.targets, rule.host), rule.optional ? " optional" : "",
                     rule.regather ? "" : " { regather = false }");
}

AxisList namedAxes(const Mesh& mesh, const std::vector<Symbol>& targets) {
  AxisList axes;
  for (Symbol t : targets)
    if (auto list = mesh.resolve(t)) axes.insert(axes.end(), list->begin(), list->end());
  return axes;
}

AxisList resolveTargets(const Mesh& mesh, const std::vector<Symbol>& targets) {
  AxisList axes;
  for (AxisId a : namedAxes(mesh, targets))
    if (mesh.axes[a].size > 1) axes.push_back(a);
  return axes;
}

bool holds(const Mesh& mesh, const PlacementRule& rule) {
  return rule.targets.empty() || !resolveTargets(mesh, rule.targets).empty();
}

bool holds(const Mesh& mesh, const StateRule& rule) {
  return rule.host || rule.targets.empty() || !resolveTargets(mesh, rule.targets).empty();
}

std::vector<const PlacementRule*> heldPlacements(const Plan& plan, const Mesh& mesh) {
  std::vector<const PlacementRule*> rules;
  rules.reserve(plan.placements.size());
  for (const PlacementRule& rule : plan.placements)
    if (holds(mesh, rule)) rules.push_back(&rule);
  return rules;
}

const Pipeline* pipelineOf(const Plan& plan) {
  return plan.pipeline && !resolveTargets(plan.mesh, plan.pipeline->axes).empty() ? &*plan.pipeline : nullptr;
}

std::vector<std::pair<AxisId, AxisUse>> axisUses(const Plan& plan) {
  const Mesh& mesh = plan.mesh;
  std::vector<std::pair<AxisId, AxisUse>> out;
  for (AxisId axis : mesh.order) {
    if (mesh.axes[axis].size <= 1) continue;
    AxisUse& use = out.emplace_back(axis, AxisUse{mesh.axes[axis].size, {}, {}, false}).second;
    for (size_t level = 0; level < mesh.levelSizes.size(); ++level)
      use.within.push_back(mesh.ranksWithin(maskOf(axis), level));
    std::set<std::string> dims;
    for (const PlacementRule& rule : plan.placements)
      if (targetsReach(mesh, rule.targets, axis)) dims.insert(rule.dim.str());
    use.splits.assign(dims.begin(), dims.end());
    use.stages = plan.pipeline && targetsReach(mesh, plan.pipeline->axes, axis);
  }
  return out;
}

} // namespace planc::ir
