// The result of pricing: seconds and what bounds them, how they are spent, and how they were derived.
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
/// Returns `compute`, `memory`, `network` or `launch`.
std::string_view name(Bound b);

/// The derivation of the time of one compute node or collective, which `planc explain FILE PATH` prints.
struct Derivation {
  Formulas formulas;                ///< owns the nodes that `formula` points to
  const Formula* formula = nullptr; ///< equation of the seconds; null: the node takes no time, see `reason`
  std::string reason;
  std::vector<std::pair<std::string, const ir::Number*>> constants; ///< each with its source
  std::vector<std::pair<std::string, std::string>> notes;           ///< algorithm, levels and phases of a collective
  std::vector<std::shared_ptr<const ir::Number>> read; ///< owns the constants that were read from a curve or a sample
};

/// The result of pricing. A collective has only seconds, and its bound is the network.
struct Priced {
  double seconds = 0;
  Bound bound = Bound::Compute;
  double launches = 1; ///< work of the host, in launches of one operator; 0: fused into a neighbour, no launch
  double flops = 0;    ///< executed FLOPs, without those that a kernel skips because of a mask
  double bytes = 0;    ///< bytes that the equation moves
};

/// A part of a collective's time and the resource that it is spent on.
struct LimitPart {
  std::string what; ///< `nodes: card`
  double seconds = 0;
};
/// Returns the part with the most seconds; an empty part if there are none.
LimitPart narrowest(const std::vector<LimitPart>& parts);

struct Evidence;
using EvidenceList = std::vector<Evidence>;

/// Additional outputs of pricing; null: not requested.
struct Sinks {
  Derivation* derivation = nullptr;
  EvidenceList* evidence = nullptr; ///< the calibrated records on which the price depends
  /// The parts of a collective's time in order of appearance: latency, and a card or the links of a level. Parts that
  /// run at the same time each have their full time.
  std::vector<LimitPart>* limits = nullptr;
  bool any() const { return derivation || evidence || limits; }
};

/// The optimizer's step of a device. Device, host and link work at the same time, so the step takes as long as the
/// longest of the three. An optimizer of whole matrices distributes the matrices over the axes that shard its states:
/// a device gets its share of the matrices, at least one.
struct StageUpdate {
  double device = 0;               ///< seconds of updates on the device
  double host = 0;                 ///< seconds of updates on the host
  double toDevice = 0, toHost = 0; ///< bytes over the host's link
  double link = 0;                 ///< seconds of the direction with more bytes
  double memory = 0;               ///< seconds of the host's memory: updates on the host, and the bytes over the link
  double seconds() const { return std::max({device, link, memory}); }
};

} // namespace planc::cost
