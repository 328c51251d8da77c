// All that the price of a plan stands on, as facts by path: what two plans are told apart by, whatever their texts look
// like.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/plan/Plan.h"

#include <string>
#include <vector>

namespace planc::ir {

/// `mesh.tp` and `8 within node`; of a statement that is there or not, as `recompute decoder.attn`, no value.
struct PlanFact {
  std::string path, value;
  SourceRange range{};
  /// It follows from others: told where nothing else is different.
  bool derived = false;
};

/// Paths are those of the plan language, where it has one; each stands once. Numbers are read back from their texts as
/// they are. In the order: arguments, model, machine, software, then the plan's own blocks.
std::vector<PlanFact> planFacts(const Plan& plan);

} // namespace planc::ir
