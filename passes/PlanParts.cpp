// Compares two plans part by part.
// SPDX-License-Identifier: Apache-2.0
#include "passes/PlanParts.h"

#include "ir/plan/MeshUse.h"

#include <algorithm>

namespace planc::passes {
using namespace ir;

namespace {

/// Returns whether the stage lines open a repeat. A line that names a part of an instance opens it; then all other
/// lines count too, because they number the neighbouring instances.
bool opens(const Plan& plan) {
  const Pipeline* pipeline = pipelineOf(plan);
  return pipeline && std::any_of(pipeline->stages.begin(), pipeline->stages.end(), [](const auto& line) {
           return std::any_of(line.selectors.begin(), line.selectors.end(),
                              [](const Selector& s) { return s.steps.size() > 1; });
         });
}

bool slices(const Plan& plan) {
  return std::any_of(plan.states.begin(), plan.states.end(), isSliced);
}

bool countsOnStages(const Plan& plan) {
  return std::any_of(plan.recompute.begin(), plan.recompute.end(), [](const Recompute& r) { return r.first; });
}

} // namespace

bool agree(PlanPart part, const Plan& a, const Plan& b) {
  switch (part) {
  case PlanPart::Model:
    return a.model == b.model;
  case PlanPart::Machine:
    return a.cluster == b.cluster && a.stack == b.stack;
  case PlanPart::Mesh:
    return a.mesh == b.mesh && a.axisPlaces == b.axisPlaces;
  case PlanPart::Workload:
    return a.workload == b.workload;
  case PlanPart::Placements:
    return a.placements == b.placements;
  case PlanPart::Precision:
    return a.precision == b.precision && a.precisionRules == b.precisionRules;
  case PlanPart::Recompute:
    return a.recompute == b.recompute;
  case PlanPart::Keeps:
    return a.keeps == b.keeps;
  case PlanPart::SlicedStates:
    return (!slices(a) && !slices(b)) || a.states == b.states;
  case PlanPart::Opened:
    return opens(a) == opens(b) && (!opens(a) || a.pipeline == b.pipeline);
  case PlanPart::StageCut:
    return (!countsOnStages(a) && !countsOnStages(b)) || a.pipeline == b.pipeline;
  }
  return false;
}

bool agree(PlanParts parts, const Plan& a, const Plan& b) {
  for (int p = 0; p < kPlanParts; ++p)
    if (const auto part = static_cast<PlanPart>(p); parts.holds(part) && !agree(part, a, b)) return false;
  return true;
}

bool isSliced(const StateRule& rule) {
  return std::any_of(rule.selector.steps.begin(), rule.selector.steps.end(),
                     [](const LayerStep& step) { return step.slice.has_value(); });
}

bool dependOnStages(const Plan& plan) {
  return opens(plan) || countsOnStages(plan);
}

} // namespace planc::passes
