// The effect of each wiring on a collective: the share of a device's bandwidth that it reaches, and its steps.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/price/collectives/Topologies.h"

#include "ir/vocabulary/Topologies.h"

#include <algorithm>
#include <cmath>

namespace planc::cost {

using ir::AxisMask;
using ir::CollectiveKind;
using ir::Mesh;
using ir::Topology;

namespace {

/// An all-reduce goes up and down a tree: two hops per doubling (Sanders, Speck, Traeff 2009). This is a property of
/// trees, not a measurement of a library.
constexpr double kTreePasses = 2;

bool sums(const TopologyGroup& g) {
  return g.collective == CollectiveKind::AllReduce;
}

/// Trees for all-reduce, rings for other collectives, as NCCL runs them if every unit reaches every other one.
TopologyFactors switchedBy(double bandwidth, const TopologyGroup& g) {
  if (g.collective == CollectiveKind::SendRecv) return {bandwidth, 1};
  if (sums(g)) return {bandwidth, kTreePasses * std::log2(std::max(1.0, g.nodes))};
  return {bandwidth, g.ranks - 1, true};
}

TopologyFactors switched(const Topology&, const TopologyGroup& g) {
  return switchedBy(1, g);
}

TopologyFactors fatTree(const Topology& t, const TopologyGroup& g) {
  return switchedBy(1 / t.number("oversubscription"), g);
}

/// Equal positions of all nodes share a leaf switch, so rings and trees along one rail never reach the spine. In a
/// direct exchange, traffic to other positions does.
TopologyFactors rails(const Topology& t, const TopologyGroup& g) {
  const double crossing = g.collective == CollectiveKind::AllToAll ? (g.each - 1) / g.each : 0;
  return switchedBy(1 / std::max(1.0, t.number("oversubscription") * crossing), g);
}

/// A ring over consecutive units enters each group once. Uniform traffic is limited by the links between groups.
TopologyFactors dragonfly(const Topology& t, const TopologyGroup& g) {
  const bool uniform = g.collective == CollectiveKind::AllToAll;
  return switchedBy(uniform ? std::min(1.0, t.number("global")) : 1, g);
}

/// Direct algorithms: every member sends to every other member over the link between them.
TopologyFactors fullMesh(const Topology&, const TopologyGroup& g) {
  const double peers = std::max(1.0, g.count - 1);
  const bool single = g.collective == CollectiveKind::SendRecv;
  return {(single ? 1 : g.units - 1) / peers, sums(g) ? 2.0 : 1.0};
}

/// Returns the sum of the distances from one member of a ring to all others along the dimension.
double distances(double members) {
  return std::floor(members * members / 4);
}

/// Bucket algorithms: one phase per dimension, with the data split into as many parts as there are dimensions, so that
/// all links are busy. A device's bandwidth is the sum of its links. One dimension has an equal part of it, a line
/// without wrap-around half of that part, and interleaved groups share it.
TopologyFactors torus(const Topology& t, const TopologyGroup& g) {
  const double links = static_cast<double>(std::max<size_t>(1, t.dims.size()));
  if (g.collective == CollectiveKind::SendRecv) return {1 / (2 * links), 1};
  double rate = 0, steps = 0, load = 0;
  for (const TopologySpan& s : g.spans) {
    if (s.members <= 1) continue;
    const double n = static_cast<double>(s.members), own = (s.wraps ? 1 : 0.5) / links / s.gap;
    rate += own;
    steps += (s.wraps ? std::ceil((n - 1) / 2) : n - 1) * s.gap; // both directions at once
    load = std::max(load, distances(n) / n / own);               // in units of the bytes that one device sends
  }
  if (rate == 0) return {1, 0};
  if (g.collective == CollectiveKind::AllToAll) return {(g.units - 1) / g.units / load, steps};
  return {rate, sums(g) ? 2 * steps : steps};
}

/// A torus without wrap-around links.
TopologyFactors grid(const Topology& t, const TopologyGroup& g) {
  TopologyGroup open = g;
  for (TopologySpan& s : open.spans) s.wraps = false;
  return torus(t, open);
}

constexpr const ir::Word* topology(std::string_view name) {
  return ir::wordOf(ir::kTopologyWords, name);
}
constexpr TopologyFormula kTopologies[] = {
    {.word = topology("switch"), .anyAlgorithm = true, .factors = switched},
    {.word = topology("fat_tree"), .anyAlgorithm = true, .factors = fatTree},
    {.word = topology("rail_optimized"), .anyAlgorithm = true, .factors = rails},
    {.word = topology("ring"), .factors = torus},
    {.word = topology("torus"), .factors = torus},
    {.word = topology("grid"), .factors = grid},
    {.word = topology("full_mesh"), .factors = fullMesh},
    {.word = topology("dragonfly"), .anyAlgorithm = true, .factors = dragonfly},
};
static_assert(ir::complete(ir::kTopologyWords, kTopologies),
              "every word of ir/vocabulary/Topologies.h has one row here, and every row its word");

} // namespace

ir::Implementations<TopologyFormula>& topologies() {
  static ir::Implementations<TopologyFormula> table(ir::topologyWords(), kTopologies);
  return table;
}

std::vector<TopologySpan> spansOf(const Mesh& mesh, AxisMask axes, size_t level, const Topology& topology) {
  const int64_t unit = level == 0 ? 1 : mesh.levelSizes[level - 1];
  std::vector<int64_t> dims = topology.dims;
  if (dims.empty()) dims.push_back(mesh.levelSizes[level] / unit);
  std::vector<TopologySpan> spans;
  int64_t low = unit;
  for (int64_t extent : dims) {
    const int64_t high = low * extent;
    TopologySpan span{mesh.ranksInBlock(axes, high) / mesh.ranksInBlock(axes, low), 1, false};
    const int64_t covered = mesh.reach(axes, low, high);
    span.gap = std::max(1.0, static_cast<double>(covered) / static_cast<double>(span.members));
    span.wraps = covered == extent;
    spans.push_back(span);
    low = high;
  }
  return spans;
}

TopologyFactors factorsOf(const Topology& topology, const TopologyGroup& group) {
  const TopologyFormula* row = topologies().find(topology.kind.view());
  return row ? row->factors(topology, group) : TopologyFactors{};
}

} // namespace planc::cost
