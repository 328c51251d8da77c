// Names of states, text of statements, and the number of replicas of a plan.
// SPDX-License-Identifier: Apache-2.0
#include "ir/plan/Plan.h"

#include "ir/plan/MeshUse.h"

#include <array>

namespace planc::ir {

std::string_view name(StateKind k) {
  static constexpr std::array<std::string_view, 3> kNames{"params", "grads", "optimizer"};
  return kNames[static_cast<size_t>(k)];
}

const PlacementRule* ruleOfSamples(const Plan& plan) {
  for (const PlacementRule& rule : plan.placements)
    if (rule.selector.steps.empty() && rule.dim == plan.workload.samples) return &rule;
  return nullptr;
}

std::vector<std::pair<Symbol, int64_t>> Workload::extents() const {
  std::vector<std::pair<Symbol, int64_t>> all;
  for (const WorkloadPhase& phase : phases) all.insert(all.end(), phase.extents.begin(), phase.extents.end());
  return all;
}

int64_t replicas(const Plan& plan) {
  const PlacementRule* rule = ruleOfSamples(plan);
  return rule ? plan.mesh.size(resolveTargets(plan.mesh, rule->targets)) : 1;
}

std::string Recompute::str() const {
  auto list = [](const std::vector<Selector>& all) {
    std::string text;
    for (const Selector& s : all) text += (text.empty() ? "" : ", ") + s.str();
    return text;
  };
  std::string facts;
  auto add = [&](const std::string& fact) { facts += (facts.empty() ? "" : "; ") + fact; };
  if (!saves.empty()) add("save = [" + list(saves) + "]");
  if (outputs) add("outputs = true");
  if (first) add("first = " + std::to_string(*first));
  return list(selectors) + (facts.empty() ? "" : " { " + facts + " }");
}

} // namespace planc::ir
