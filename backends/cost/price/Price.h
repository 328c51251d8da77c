// What pricing gives: seconds and what bounds them, where they go, and how they came about.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/price/Formula.h"
#include "ir/machine/Machine.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace planc::cost {

enum class Bound { Compute, Memory, Network, Launch };
std::string_view name(Bound b);

/// How the time of one compute node or collective came about: what `planc explain FILE PATH` prints.
struct Derivation {
  Formulas formulas;                ///< owns what `formula` points into
  const Formula* formula = nullptr; ///< of the seconds; null: nothing takes any, as `reason` says
  std::string reason;
  std::vector<std::pair<std::string, const ir::Number*>> constants; ///< each with its source
  std::vector<std::pair<std::string, std::string>> notes;           ///< algorithm, levels and phases of a collective
  std::vector<std::shared_ptr<const ir::Number>> read; ///< owns those constants that were read off a curve or a sample
};

/// The result of pricing; of a collective the seconds alone, bound by the network.
struct Priced {
  double seconds = 0;
  Bound bound = Bound::Compute;
  double launches =
      1; ///< what the host does, in launches of an operator (0 passes: fused into a neighbour, no time, no launch)
  double flops = 0; ///< executed; what a kernel skips of a masked operator is not
  double bytes = 0; ///< that the equation moves
};

/// A part of the time of a collective, and what it is spent on.
struct LimitPart {
  std::string what; ///< `nodes: card`
  double seconds = 0;
};
/// The largest of them; empty if there are none.
LimitPart narrowest(const std::vector<LimitPart>& parts);

struct Evidence;
using EvidenceList = std::vector<Evidence>;

/// Where a price writes down what else is asked of it; null: it is not.
struct Sinks {
  Derivation* derivation = nullptr;
  EvidenceList* evidence = nullptr; ///< the calibrated records that it stands on
  /// What the algorithm of a collective spends its time on, each with its seconds, in order of appearance: the latency,
  /// a card or the links of a level. What goes on at the same time has all of its own.
  std::vector<LimitPart>* limits = nullptr;
  bool any() const { return derivation || evidence || limits; }
};

/// The optimizer's step of a device: device, host and link work at once, so it takes as long as the longest of them. An
/// optimizer that works on whole matrices deals them out over the axes that its states are stored over: a device has
/// its share of them, at least one.
struct StageUpdate {
  double device = 0;               ///< seconds of updates on the device
  double host = 0;                 ///< seconds of updates on the host
  double toDevice = 0, toHost = 0; ///< bytes over the host's link
  double link = 0;                 ///< seconds of the larger direction
  double memory = 0;               ///< seconds of the host's memory: its updates, and what crosses the link
  double seconds() const { return std::max({device, link, memory}); }
};

} // namespace planc::cost
