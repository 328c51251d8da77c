// Computes the effect of a `recompute` statement as the difference to the plan without it. Both plans go through the
// same passes and backend, so the working set and waits between stages are included.
// SPDX-License-Identifier: Apache-2.0
#include "api/RecomputeEffects.h"

namespace planc::api {

std::unique_ptr<Compilation> withoutRecompute(const Compilation& plan, size_t statement) {
  ir::Plan changed = plan.plan();
  changed.recompute.erase(changed.recompute.begin() + static_cast<std::ptrdiff_t>(statement));
  auto without = plan.beside(std::move(changed));
  return without->priceAlone(cost::Wanted::totals()) ? std::move(without) : nullptr;
}

std::vector<lint::RecomputeEffect> recomputeEffects(const Compilation& plan) {
  std::vector<lint::RecomputeEffect> effects;
  if (!plan.estimate()) return effects;
  for (size_t i = 0; i < plan.plan().recompute.size(); ++i) {
    lint::RecomputeEffect effect;
    effect.statement = plan.plan().recompute[i].str();
    const auto without = withoutRecompute(plan, i);
    if (!without) return {};
    effect.peakWithout = without->estimate()->memory.peak;
    effect.stepWithout = without->estimate()->totals.stepTime;
    effect.freed = effect.peakWithout - plan.estimate()->memory.peak;
    effect.cost = plan.estimate()->totals.stepTime - effect.stepWithout;
    effects.push_back(std::move(effect));
  }
  return effects;
}

} // namespace planc::api
