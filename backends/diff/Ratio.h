// How sure the ratio of two step times is: errors that both share cancel (docs/cost-model.md, section 5).
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/result/Estimate.h"
#include "ir/plan/Plan.h"

namespace planc::diff {

/// A plan with its price. `scale`: how often its step counts where steps do different work.
struct Side {
  const ir::Plan* plan = nullptr;
  const cost::Estimate* estimate = nullptr;
  double scale = 1;
  SourceRange range = {}; ///< where it is named, for reports; none where the plans stand in several files
};

/// The time of one plan over that of another.
struct Ratio {
  double value = 1;
  double coverage = 0; ///< of the interval; 0: one of the stacks does not say how far its runs lie from predictions
  double low = 1, high = 1; ///< its ends
  double terms = 0; ///< half-width of what the plans spend differently on facts that may be wrong, in logarithms
  double runsLow = 1, runsHigh = 1; ///< the same as multiples of the value, without terms: what runs alone say
  double unshared = 0; ///< share of the two steps that only one of them takes: what runs say is at most twice as wide
};

/// `b` over `a`. Two plans that are priced alike in every part are one plan: the ratio is 1 without doubt. What plans,
/// models, records and axes are called, and where a default is written out, means nothing.
Ratio ratio(const Side& a, const Side& b);

} // namespace planc::diff
