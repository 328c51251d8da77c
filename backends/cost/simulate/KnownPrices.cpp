// Cached prices that estimates of many schedules share.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/KnownPrices.h"

namespace planc::cost {

namespace {

Reads listsOf(const ir::LayerClass& layerClass) {
  Reads reads;
  reads << reinterpret_cast<uintptr_t>(&*layerClass.forward) << reinterpret_cast<uintptr_t>(&*layerClass.backward);
  return reads;
}

} // namespace

void KnownPrices::prepare(const ir::Schedule& schedule) {
  const ir::Plan& plan = *schedule.program->plan;
  const bool sameMachine = holdFor(plan);
  if (sameMachine && shares_ == schedule.blockingShare && slowdown_ == schedule.slowdown &&
      besides_ == schedule.besides)
    return;
  classes_.clear();
  if (!sameMachine) nodes_.clear(), parts_.clear();
  cluster_ = plan.cluster, stack_ = plan.stack, shares_ = schedule.blockingShare, slowdown_ = schedule.slowdown;
  besides_ = schedule.besides;
}

void KnownPrices::forget() {
  classes_.clear();
  nodes_.clear();
  parts_.clear();
}

const ClassCost* KnownPrices::find(const ir::LayerClass& layerClass) const {
  const Known* known = classes_.find(listsOf(layerClass));
  return known ? &known->cost : nullptr;
}

void KnownPrices::add(const ir::LayerClass& layerClass, const ClassCost& cost) {
  classes_.add(listsOf(layerClass), {layerClass.forward, layerClass.backward, cost});
}

void KnownPrices::addHalves(const ir::LayerClass& layerClass, const std::shared_ptr<const HalfCosts>& halves) {
  if (Known* known = classes_.find(listsOf(layerClass))) known->cost.halves = halves;
}

} // namespace planc::cost
