// What a step is made of on one of its stages: rows that add up to it, each with what it is.
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

/// What of a cause a part is: a layer, or collectives of one operation and class; neither where the cause says all.
/// Axis and layer of a collective are said where accounts are held beside each other so finely.
struct Subject {
  std::string layer = {};      ///< its path: `decoder.attn`
  std::string collective = {}; ///< `all_gather`
  std::string cls = {};        ///< `state`
  std::string axis = {};       ///< `dp`
  auto operator<=>(const Subject&) const = default;
  /// `decoder.attn`; `all_gather, state`; `all_gather, state over dp, decoder`; empty if it is nothing of these.
  std::string str() const;
};

/// Seconds per step of a device of the stage.
struct AccountRow {
  Cause cause = Cause::Layers;
  Subject what = {};
  double seconds = 0;
  std::string because = {}; ///< where a collective comes from: `plans/run.plan:20`
};

/// Every second of a step once.
struct Account {
  std::vector<AccountRow> rows;
  double step = 0;
};

/// Of the critical stage; collectives by operation and class.
Account accountOf(const cost::Estimate& estimate);

} // namespace planc::diff
