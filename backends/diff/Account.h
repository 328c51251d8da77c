// The account of a step on one stage: rows that add up to the step, each with its cause and subject.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/result/Estimate.h"

#include <string>
#include <string_view>
#include <vector>

namespace planc::diff {

/// The cause on which a part of a step is spent.
enum class Cause { Layers, Slowed, Launches, Collectives, Bubble, Optimizer, Overhead, Straggler };
inline constexpr int kCauses = 8;
/// Returns the word of a cause in reports and field names: `layers`, `collectives`, …
std::string_view name(Cause cause);

/// The subject of a part within its cause: a layer, or collectives of one operation and class. Empty if the cause has
/// one part. `axis`, and `layer` of a collective, are set only in accounts that are split that finely.
struct Subject {
  std::string layer = {};      ///< its path: `decoder.attn`
  std::string collective = {}; ///< `all_gather`
  std::string cls = {};        ///< `state`
  std::string axis = {};       ///< `dp`
  auto operator<=>(const Subject&) const = default;
  /// Returns the text: `decoder.attn`; `all_gather, state`; `all_gather, state over dp, decoder`; empty without a
  /// subject.
  std::string str() const;
};

/// Seconds per step of one device of the stage.
struct AccountRow {
  Cause cause = Cause::Layers;
  Subject what = {};
  double seconds = 0;
  std::string because = {}; ///< source of a collective: `plans/run.plan:20`
};

/// An account that counts every second of a step once.
struct Account {
  std::vector<AccountRow> rows;
  double step = 0;
};

/// Returns the account of the critical stage, with collectives by operation and class.
Account accountOf(const cost::Estimate& estimate);

} // namespace planc::diff
