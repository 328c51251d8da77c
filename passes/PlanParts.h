// The parts of a plan that passes read: what two plans must agree in to share what is made of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/plan/Plan.h"

#include <cstdint>
#include <initializer_list>

namespace planc::passes {

enum class PlanPart : uint8_t {
  Model,
  Machine,    ///< cluster and stack
  Mesh,       ///< with what it says of the cluster's levels
  Workload,   ///< with batches, optimizers and what is frozen
  Placements, ///< `place`
  Precision,
  Recompute,
  Keeps,
  SlicedStates, ///< `states` of some instances of a repeat: they make classes
  Opened,       ///< instances of a repeat that stage lines cut
  StageCut, ///< where stages end, as far as layers depend on it: `recompute … { first = … }` counts on each stage
};
inline constexpr int kPlanParts = static_cast<int>(PlanPart::StageCut) + 1;

/// A set of them.
class PlanParts {
public:
  constexpr PlanParts() = default;
  constexpr PlanParts(std::initializer_list<PlanPart> parts) {
    for (PlanPart part : parts) bits_ |= bit(part);
  }
  constexpr bool holds(PlanPart part) const { return bits_ & bit(part); }
  constexpr PlanParts without(PlanPart part) const {
    PlanParts rest = *this;
    rest.bits_ &= ~bit(part);
    return rest;
  }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr PlanParts& operator|=(PlanParts other) {
    bits_ |= other.bits_;
    return *this;
  }

private:
  static constexpr uint32_t bit(PlanPart part) { return uint32_t(1) << static_cast<int>(part); }
  uint32_t bits_ = 0;
};

/// Do the plans say the same there, in the same places of the text? Of models, clusters and stacks: is it one object?
bool agree(PlanPart part, const ir::Plan& a, const ir::Plan& b);
bool agree(PlanParts parts, const ir::Plan& a, const ir::Plan& b);

/// Do layers depend on how many stages there are and where they end?
bool dependOnStages(const ir::Plan& plan);

/// Does the rule name some instances of a repeat?
bool isSliced(const ir::StateRule& rule);

} // namespace planc::passes
