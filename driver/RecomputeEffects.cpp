// What a `recompute` statement changes is the difference to the plan without it, through the same passes and backend:
// exact, with the working set, waits between stages and all else that follows.
// SPDX-License-Identifier: Apache-2.0
#include "driver/RecomputeEffects.h"

#include "backends/cost/Estimator.h"

namespace planc::driver {

std::vector<report::RecomputeEffect> recomputeEffects(const CompiledPlan& plan) {
  std::vector<report::RecomputeEffect> effects;
  if (!plan.estimate) return effects;
  for (size_t i = 0; i < plan.plan->recompute.size(); ++i) {
    report::RecomputeEffect effect;
    effect.statement = plan.plan->recompute[i].str();
    CompiledPlan without;
    without.plan = std::make_unique<ir::Plan>(*plan.plan);
    without.plan->recompute.erase(without.plan->recompute.begin() + static_cast<std::ptrdiff_t>(i));
    if (!without.lower(ir::Level::Comm) || !without.makeSchedule()) return {};
    without.estimate = cost::estimate(*without.schedule, without.diagnostics);
    if (!without.estimate) return {};
    effect.peakWithout = without.estimate->memory.peak;
    effect.stepWithout = without.estimate->totals.stepTime;
    effect.freed = effect.peakWithout - plan.estimate->memory.peak;
    effect.cost = plan.estimate->totals.stepTime - effect.stepWithout;
    effects.push_back(std::move(effect));
  }
  return effects;
}

} // namespace planc::driver
