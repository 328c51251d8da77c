// The parts of a plan that passes read. Plans that agree in the parts that a pass reads can share its results.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/plan/Plan.h"

#include <cstdint>
#include <initializer_list>

namespace planc::passes {

/// A part of a plan that passes read.
enum class PlanPart : uint8_t {
  Model,
  Machine,    ///< cluster and stack
  Mesh,       ///< including its relation to the cluster's levels
  Workload,   ///< including batches, optimizers and `freeze`
  Placements, ///< `place`
  Precision,
  Recompute,
  Keeps,
  SlicedStates, ///< `states` rules for some instances of a repeat, which then get classes of their own
  Opened,       ///< instances of a repeat of which a stage line takes only a part
  StageCut,     ///< ends of stages, if layers depend on them: `recompute … { first = … }` counts per stage
};
inline constexpr int kPlanParts = static_cast<int>(PlanPart::StageCut) + 1;

/// A set of plan parts.
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

/// Returns whether a part has the same content in two plans, at the same places of the text. Models, clusters and
/// stacks must be one object.
bool agree(PlanPart part, const ir::Plan& a, const ir::Plan& b);
bool agree(PlanParts parts, const ir::Plan& a, const ir::Plan& b);

/// Returns whether layers depend on the number of stages and their ends.
bool dependOnStages(const ir::Plan& plan);

/// Returns whether the rule names only some instances of a repeat.
bool isSliced(const ir::StateRule& rule);

} // namespace planc::passes
