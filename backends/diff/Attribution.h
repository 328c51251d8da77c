// What the difference of two steps is made of: the parts of one beside those of the other.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/diff/Account.h"

namespace planc::diff {

/// A part of both steps, in seconds per step; 0 where a step has no such part.
struct Part {
  Cause cause = Cause::Layers;
  Subject what = {};
  double a = 0, b = 0;
  std::string because = {}; ///< of its largest row, in the second step where that has it
  double difference() const { return b - a; }
};

/// All parts: `a` adds up to the one step, `b` to the other, the differences to the difference.
struct Attribution {
  std::vector<Part> parts; ///< by cause; in a cause as the accounts have them, those of the first before others
  double a = 0, b = 0;
};

/// Pairs the rows of two accounts by what they are. The steps count `scaleA` and `scaleB` times: what they do may
/// differ (a step of twice the tokens counts half).
Attribution attribute(const Account& a, const Account& b, double scaleA = 1, double scaleB = 1);
/// Of the critical stages of two estimates.
inline Attribution attribute(const cost::Estimate& a, const cost::Estimate& b, double scaleA = 1, double scaleB = 1) {
  return attribute(accountOf(a), accountOf(b), scaleA, scaleB);
}

} // namespace planc::diff
