// The uncertainty of the ratio of two step times. Errors that both share cancel (docs/cost-model.md, section 5).
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/result/Estimate.h"
#include "ir/plan/Plan.h"

namespace planc::diff {

/// A plan with its estimate. `scale`: weight of its step if steps do different work.
struct ComparedEstimate {
  const ir::Plan* plan = nullptr;
  const cost::Estimate* estimate = nullptr;
  double scale = 1;
  SourceRange range = {}; ///< place of its name, for reports; invalid if the plans come from several files
};

/// The ratio of two step times.
struct Ratio {
  double value = 1;
  double coverage = 0;              ///< probability of the interval; 0: one of the stacks does not state its accuracy
  double low = 1, high = 1;         ///< ends of the interval
  double terms = 0;                 ///< half-width from the facts that the plans use differently, in logarithms
  double runsLow = 1, runsHigh = 1; ///< interval without terms, from runs alone, as multiples of the value
  double unshared = 0;              ///< share of the two steps that only one of them has; limits the width from runs
};

/// Returns `b` over `a`. The ratio of two plans with equal prices in every part is exactly 1. Names of plans, models,
/// records and axes do not matter, and neither does writing out a default.
Ratio ratio(const ComparedEstimate& a, const ComparedEstimate& b);

} // namespace planc::diff
