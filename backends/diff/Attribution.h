// What the difference of two steps is made of: the parts of one beside those of the other.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/result/Estimate.h"

#include <string>
#include <string_view>
#include <vector>

namespace planc::diff {

/// What a part of a step is spent on.
enum class Cause { Layers, Slowed, Launches, Collectives, Bubble, Optimizer, Overhead, Straggler };
inline constexpr int kCauses = 8;
/// `layers`, `collectives`, …: a word of reports and of field names.
std::string_view name(Cause cause);

/// What of a cause a part is: a layer, or the collectives of one operation and class; neither where the cause says all.
struct Subject {
  ir::LayerRef layer = {};
  std::string collective = {}; ///< `all_gather`
  ir::CollectiveClass cls = ir::CollectiveClass::Activation;
  auto operator<=>(const Subject&) const = default;
  /// `decoder.attn`, `all_gather, state`; empty if it is neither.
  std::string str() const;
};

/// A part of both steps, in seconds per step on the critical path; 0 where a step has no such part.
struct Part {
  Cause cause = Cause::Layers;
  Subject what = {};
  double a = 0, b = 0;
  double difference() const { return b - a; }
};

/// All parts: `a` adds up to the one step, `b` to the other, the differences to the difference.
struct Attribution {
  std::vector<Part> parts; ///< by cause; in a cause as the estimates have them, those of the first before others
  double a = 0, b = 0;
  /// The parts of each cause together, causes of which neither step has any left out.
  std::vector<Part> byCause() const;
};

/// Compares two estimates. The steps count `scaleA` and `scaleB` times: what they do may differ (a step of twice the
/// tokens counts half).
Attribution attribute(const cost::Estimate& a, const cost::Estimate& b, double scaleA = 1, double scaleB = 1);

} // namespace planc::diff
