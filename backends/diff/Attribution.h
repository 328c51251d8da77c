// The parts of the difference of two steps: each part of one step with its counterpart in the other.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/diff/Account.h"

namespace planc::diff {

/// A part of both steps, in seconds per step; 0 if a step has no such part.
struct Part {
  Cause cause = Cause::Layers;
  Subject what = {};
  double a = 0, b = 0;
  std::string because = {}; ///< source of its largest row, in the second step if that has the part
  double difference() const { return b - a; }
};

/// All parts. `a` is the first step, `b` the second, each the sum of its parts.
struct Attribution {
  std::vector<Part> parts; ///< by cause; within a cause in the order of the accounts, the first account first
  double a = 0, b = 0;
};

/// Pairs the rows of two accounts by cause and subject. The steps are multiplied by `scaleA` and `scaleB`, because they
/// may do different work: a step of twice the tokens counts half.
Attribution attribute(const Account& a, const Account& b, double scaleA = 1, double scaleB = 1);
/// Pairs the accounts of the critical stages of two estimates.
inline Attribution attribute(const cost::Estimate& a, const cost::Estimate& b, double scaleA = 1, double scaleB = 1) {
  return attribute(accountOf(a), accountOf(b), scaleA, scaleB);
}

} // namespace planc::diff
