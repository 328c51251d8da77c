// The formulas of topologies: how a group lies in a level, and how the wiring limits its collectives.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/layout/Layout.h"
#include "ir/machine/Topology.h"
#include "ir/vocabulary/Vocabulary.h"

#include <vector>

namespace planc::cost {

/// How a group lies along one dimension of a level.
struct TopologySpan {
  int64_t members = 1; ///< members of the group along this dimension
  double gap = 1;      ///< units per member; also the number of groups that share the links between neighbours
  bool wraps = false;  ///< the group spans the whole dimension, so the ring closes
};

/// A group of ranks at one level.
struct TopologyGroup {
  ir::CollectiveKind collective = ir::CollectiveKind::AllReduce;
  double ranks = 1; ///< ranks of the whole group
  double nodes = 1; ///< sampled domains that the group spans; the steps of a tree depend on this number
  double units = 1; ///< units of the level that the group spans
  double each = 1;  ///< ranks of the group in one unit
  double count = 1; ///< units in the level
  std::vector<TopologySpan> spans;
};

/// The limits that a level sets for a collective.
struct TopologyFactors {
  double bandwidth = 1; ///< share of a device's nominal bandwidth that carries its bytes
  double steps = 1;     ///< sequential hops, each with the latency of the level
  bool ring = false;    ///< the steps belong to one ring over all ranks
};

/// The formula of one word of `ir::topologyWords()`.
struct TopologyFormula {
  const ir::Word* word = nullptr;
  bool anyAlgorithm = false; ///< all pairs of units are connected alike: any ring or tree runs on it
  TopologyFactors (*factors)(const ir::Topology& topology, const TopologyGroup& group) = nullptr;
};
/// The table of topologies, one row per word.
ir::Implementations<TopologyFormula>& topologies();

/// Returns how the group over `axes` lies along each dimension of a level. A topology without `dims` has one dimension.
std::vector<TopologySpan> spansOf(const ir::Mesh& mesh, ir::AxisMask axes, size_t level, const ir::Topology& topology);
/// Returns the factors of the level's topology; one step at full bandwidth if the word is unknown.
TopologyFactors factorsOf(const ir::Topology& topology, const TopologyGroup& group);

} // namespace planc::cost
