// The table of topologies: which share of a device's bandwidth a collective reaches, and in how many steps.
// SPDX-License-Identifier: Apache-2.0
#include "ir/Topology.h"

#include <algorithm>
#include <cmath>

namespace planc::ir {

namespace {

/// A ring's steps overlap between nodes after the first 64; a quarter of the rest is seen (docs/cost-model.md,
/// section 2.2).
constexpr double kRingSteps = 64, kRingTail = 0.25;
/// An all-reduce climbs and descends a tree: two hops per doubling (Sanders, Speck, Traeff 2009).
constexpr double kTreePasses = 2;

bool reduces(const TopologyGroup& g) {
  return g.collective == CollectiveKind::AllReduce;
}

/// Trees for all-reduce, rings for the rest: what NCCL runs wherever every unit reaches every other one.
double switchedSteps(const TopologyGroup& g) {
  if (g.collective == CollectiveKind::SendRecv) return 1;
  if (reduces(g)) return kTreePasses * std::log2(std::max(2.0, g.nodes));
  return std::min(g.ranks - 1, kRingSteps + (g.ranks - 1) * kRingTail);
}

TopologyFactors switched(const Topology&, const TopologyGroup& g) {
  return {1, switchedSteps(g)};
}

TopologyFactors fatTree(const Topology& t, const TopologyGroup& g) {
  return {1 / t.number("oversubscription"), switchedSteps(g)};
}

/// Equal positions of all nodes share a leaf, so rings and trees along one rail never climb to the spine; what a direct
/// exchange sends to other positions does.
TopologyFactors rails(const Topology& t, const TopologyGroup& g) {
  const double crossing = g.collective == CollectiveKind::AllToAll ? (g.each - 1) / g.each : 0;
  return {1 / std::max(1.0, t.number("oversubscription") * crossing), switchedSteps(g)};
}

/// A ring over consecutive units enters each group once; uniform traffic is held up by the links between groups.
TopologyFactors dragonfly(const Topology& t, const TopologyGroup& g) {
  const bool uniform = g.collective == CollectiveKind::AllToAll;
  return {uniform ? std::min(1.0, t.number("global")) : 1, switchedSteps(g)};
}

/// Direct algorithms: every member sends to every other one over their own link.
TopologyFactors fullMesh(const Topology&, const TopologyGroup& g) {
  const double peers = std::max(1.0, g.count - 1);
  const bool single = g.collective == CollectiveKind::SendRecv;
  return {(single ? 1 : g.units - 1) / peers, reduces(g) ? 2.0 : 1.0};
}

/// Sum over the other members of their distance along the dimension, for a member of a ring.
double distances(double members) {
  return std::floor(members * members / 4);
}

/// Bucket algorithms: a phase along each dimension, the data cut in as many parts as there are dimensions so that all
/// links are busy. A device's bandwidth is that of all its links; one dimension has its part, a line (no way round)
/// half of that, and groups that interleave share it.
TopologyFactors torus(const Topology& t, const TopologyGroup& g) {
  const double links = static_cast<double>(std::max<size_t>(1, t.dims.size()));
  if (g.collective == CollectiveKind::SendRecv) return {1 / (2 * links), 1};
  double rate = 0, steps = 0, load = 0;
  for (const TopologySpan& s : g.spans) {
    if (s.members <= 1) continue;
    const double n = static_cast<double>(s.members), own = (s.wraps ? 1 : 0.5) / links / s.gap;
    rate += own;
    steps += (s.wraps ? std::ceil((n - 1) / 2) : n - 1) * s.gap; // both ways round at once
    load = std::max(load, distances(n) / n / own);               // of the bytes sent by one device
  }
  if (rate == 0) return {1, 0};
  if (g.collective == CollectiveKind::AllToAll) return {(g.units - 1) / g.units / load, steps};
  return {rate, reduces(g) ? 2 * steps : steps};
}

/// A torus whose ends are not joined.
TopologyFactors grid(const Topology& t, const TopologyGroup& g) {
  TopologyGroup open = g;
  for (TopologySpan& s : open.spans) s.wraps = false;
  return torus(t, open);
}

using Rows = std::vector<std::unique_ptr<const TopologyKind>>;

constexpr double kMost = 1e6;

Rows& rows() {
  static Rows table = [] {
    Rows made;
    for (TopologyKind& kind : std::vector<TopologyKind>{
             {"switch",
              "full bandwidth; 2·log2(nodes) steps for all-reduce, n - 1 for rings",
              "trees: Sanders, Speck, Traeff 2009; rings: Thakur et al. 2005",
              {},
              false,
              true,
              switched},
             {"fat_tree",
              "1 / oversubscription of the bandwidth, steps as a switch",
              "Leiserson 1985",
              {{"oversubscription", 1, kMost, 1}},
              false,
              true,
              fatTree},
             {"rail_optimized",
              "full bandwidth along rails; an exchange crosses them with 1 / oversubscription",
              "Wang et al., arXiv 2307.12169",
              {{"oversubscription", 1, kMost, 1}},
              false,
              true,
              rails},
             {"ring",
              "a torus of one dimension",
              "Chan, Heimlich, Purkayastha, van de Geijn 2007",
              {},
              false,
              false,
              torus},
             {"torus",
              "bucket algorithms on all dimensions at once; an exchange is held up by the cut through the longest one",
              "Chan, Heimlich, Purkayastha, van de Geijn 2007; arXiv 1909.09756; arXiv 2304.01433",
              {},
              true,
              false,
              torus},
             {"grid",
              "a torus whose ends are not joined: half of its bandwidth",
              "Chan, Heimlich, Purkayastha, van de Geijn 2007",
              {},
              true,
              false,
              grid},
             {"full_mesh",
              "(members - 1) / (units - 1) of the bandwidth, a step, two for all-reduce",
              "direct algorithms: Thakur et al. 2005",
              {},
              false,
              false,
              fullMesh},
             {"dragonfly",
              "full bandwidth for rings, an exchange has the share `global`",
              "Kim, Dally, Scott, Abts 2008",
              {{"global", 1e-6, 1, 1}},
              false,
              true,
              dragonfly},
         })
      made.push_back(std::make_unique<const TopologyKind>(std::move(kind)));
    return made;
  }();
  return table;
}

} // namespace

const Rows& topologies() {
  return rows();
}

const TopologyKind* findTopology(Symbol name) {
  for (const auto& row : rows())
    if (row->name == name.view()) return row.get();
  return nullptr;
}

AddedTopology::AddedTopology(TopologyKind kind) {
  rows().push_back(std::make_unique<const TopologyKind>(std::move(kind)));
  row_ = rows().back().get();
}

AddedTopology::~AddedTopology() {
  std::erase_if(rows(), [&](const auto& row) { return row.get() == row_; });
}

double Topology::number(Symbol parameter) const {
  for (const auto& [name, value] : numbers)
    if (name == parameter) return value;
  if (const TopologyKind* row = findTopology(kind))
    for (const TopologyParameter& p : row->numbers)
      if (p.name == parameter.view()) return p.fallback;
  return 1;
}

std::vector<TopologySpan> spansOf(const Mesh& mesh, AxisMask axes, size_t level, const Topology& topology) {
  const int64_t unit = level == 0 ? 1 : mesh.levelSizes[level - 1];
  std::vector<int64_t> dims = topology.dims;
  if (dims.empty()) dims.push_back(mesh.levelSizes[level] / unit);
  std::vector<TopologySpan> spans;
  int64_t low = unit;
  for (int64_t extent : dims) {
    const int64_t high = low * extent;
    TopologySpan span{extent, mesh.ranksInBlock(axes, high) / mesh.ranksInBlock(axes, low), 1, false};
    const int64_t covered = mesh.reach(axes, low, high);
    span.gap = std::max(1.0, static_cast<double>(covered) / static_cast<double>(span.members));
    span.wraps = covered == extent;
    spans.push_back(span);
    low = high;
  }
  return spans;
}

TopologyFactors factorsOf(const Topology& topology, const TopologyGroup& group) {
  const TopologyKind* row = findTopology(topology.kind);
  return row ? row->factors(topology, group) : TopologyFactors{};
}

} // namespace planc::ir
