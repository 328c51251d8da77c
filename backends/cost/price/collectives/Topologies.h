// The formulas of topologies: how a group lies in a level, and what the wiring of the level makes of its collectives.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/layout/Layout.h"
#include "ir/machine/Topology.h"
#include "ir/vocabulary/Vocabulary.h"

#include <vector>

namespace planc::cost {

/// How a group lies along one dimension of a level.
struct TopologySpan {
  int64_t members = 1; ///< of the group among them
  double gap = 1;      ///< units per member: as many groups share the links between neighbours
  bool wraps = false;  ///< the group reaches round, so that the ring closes
};

/// A group of ranks at one level.
struct TopologyGroup {
  ir::CollectiveKind collective = ir::CollectiveKind::AllReduce;
  double ranks = 1; ///< of the whole group
  double nodes = 1; ///< domains among them: what a tree counts
  double units = 1; ///< units of the level that the group spans
  double each = 1;  ///< ranks of the group in one of them
  double count = 1; ///< units that the level has
  std::vector<TopologySpan> spans;
};

/// What a collective finds at a level.
struct TopologyFactors {
  double bandwidth = 1; ///< share of a device's nominal bandwidth that carries the bytes on its wire
  double steps = 1;     ///< hops one after the other, each with the level's latency
  bool ring = false;    ///< of one ring over all ranks
};

/// What a word of `ir::topologyWords()` means.
struct TopologyFormula {
  const ir::Word* word = nullptr;
  bool anyAlgorithm = false; ///< any two units are connected alike: rings and trees over ranks in any order run on it
  TopologyFactors (*factors)(const ir::Topology& topology, const TopologyGroup& group) = nullptr;
};
ir::Implementations<TopologyFormula>& topologies();

/// How the group over `axes` lies along the dimensions of a level (one dimension where the topology has no `dims`).
std::vector<TopologySpan> spansOf(const ir::Mesh& mesh, ir::AxisMask axes, size_t level, const ir::Topology& topology);
/// Factors of the level's word; one step at full bandwidth where the group does not spread.
TopologyFactors factorsOf(const ir::Topology& topology, const TopologyGroup& group);

} // namespace planc::cost
