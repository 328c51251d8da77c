// Lists everything that the price of a plan depends on, as facts by path, so that two plans compare independent of
// their texts.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/plan/Plan.h"

#include <string>
#include <vector>

namespace planc::ir {

/// A fact and its value: `mesh.tp` and `8 within node`. The value is empty for a statement without one, such as
/// `recompute decoder.attn`.
struct PlanFact {
  std::string path, value;
  SourceRange range{};
  /// The fact follows from other facts: reported only if no other fact differs.
  bool derived = false;
};

/// The facts of a plan, each path once. A fact has its path of the plan language if it has one. Numbers are exact:
/// their texts read back as the same value. Order: arguments, model, machine, software, then the plan's own blocks.
std::vector<PlanFact> planFacts(const Plan& plan);

} // namespace planc::ir
