// Topologies: what each makes of bandwidth and steps, and how groups lie along dimensions.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/price/collectives/Topologies.h"
#include "ir/vocabulary/Topologies.h"
#include "tests/unit/support/Build.h"

#include <cmath>
#include <gtest/gtest.h>

namespace planc::cost {
namespace {

using namespace ir;
using planc::test::mesh;

Topology torus(std::vector<int64_t> dims, const char* kind = "torus") {
  return {Symbol(kind), {}, std::move(dims)};
}

/// A group over axis `g` of a mesh on one level that is wired as stated.
TopologyFactors factors(CollectiveKind kind, const Topology& t,
                        const std::vector<std::pair<std::string, int64_t>>& axes) {
  int64_t devices = 1;
  for (const auto& [name, size] : axes) devices *= size;
  const Mesh m = mesh(axes, {{"pod", devices}});
  const AxisMask g = maskOf(*m.findAxis(Symbol("g")));
  TopologyGroup group;
  group.collective = kind;
  group.ranks = group.nodes = group.units = static_cast<double>(m.size(g));
  group.count = static_cast<double>(devices);
  group.spans = spansOf(m, g, 0, t);
  return factorsOf(t, group);
}

TEST(Topology, SpansFollowStridesAndSizes) {
  const Mesh m = mesh({{"x", 4}, {"y", 8}, {"z", 2}}, {{"pod", 64}});
  auto spans = [&](const char* axis, std::vector<int64_t> dims) {
    return spansOf(m, maskOf(*m.findAxis(Symbol(axis))), 0, torus(std::move(dims)));
  };
  const auto x = spans("x", {8, 8}); // four neighbours of the eight in the first dimension
  EXPECT_EQ(x[0].members, 4);
  EXPECT_EQ(x[0].gap, 1);
  EXPECT_FALSE(x[0].wraps);
  EXPECT_EQ(x[1].members, 1);
  const auto y = spans("y", {8, 8}); // two of the first dimension, four apart, and half of the second
  EXPECT_EQ(y[0].members, 2);
  EXPECT_EQ(y[0].gap, 4);
  EXPECT_TRUE(y[0].wraps);
  EXPECT_EQ(y[1].members, 4);
  EXPECT_EQ(y[1].gap, 1);
  EXPECT_FALSE(y[1].wraps);
  const auto z = spans("z", {8, 8}); // every fourth of the second
  EXPECT_EQ(z[1].members, 2);
  EXPECT_EQ(z[1].gap, 4);
}

TEST(Topology, ATorusUsesAllItsLinks) {
  using K = CollectiveKind;
  const auto all = std::vector<std::pair<std::string, int64_t>>{{"g", 256}};
  EXPECT_DOUBLE_EQ(factors(K::AllGather, torus({16, 16}), all).bandwidth, 1); // V / (W · axes): both axes at once
  EXPECT_DOUBLE_EQ(factors(K::AllGather, torus({16, 16}), all).steps, 2 * 8); // ceil(15 / 2) both ways round, twice
  EXPECT_DOUBLE_EQ(factors(K::AllReduce, torus({16, 16}), all).steps, 2 * 2 * 8);
  const auto row = std::vector<std::pair<std::string, int64_t>>{{"g", 16}, {"other", 16}};
  EXPECT_DOUBLE_EQ(factors(K::ReduceScatter, torus({16, 16}), row).bandwidth, 0.5); // one of two dimensions
  const auto half = std::vector<std::pair<std::string, int64_t>>{{"g", 8}, {"other", 32}};
  EXPECT_DOUBLE_EQ(factors(K::AllGather, torus({16, 16}), half).bandwidth, 0.25); // a line has one way
  EXPECT_DOUBLE_EQ(factors(K::AllGather, torus({16, 16}), half).steps, 7);
  const auto apart = std::vector<std::pair<std::string, int64_t>>{{"other", 4}, {"g", 4}, {"more", 16}};
  EXPECT_DOUBLE_EQ(factors(K::AllGather, torus({16, 16}), apart).bandwidth, 0.125); // four groups share the ring
  EXPECT_DOUBLE_EQ(factors(K::AllGather, torus({16, 16}, "grid"), all).bandwidth, 0.5);
  EXPECT_DOUBLE_EQ(factors(K::SendRecv, torus({16, 16, 16}), {{"g", 4096}}).bandwidth, 1. / 6); // one link of six
}

TEST(Topology, AnExchangeOnATorusIsHeldUpByItsCut) {
  // n devices on a ring send bytes / n each over n/4 hops: bytes · n / (4 W). Relative to (n - 1)/n · bytes:
  for (int64_t n : {4, 8, 16}) {
    const double f = factors(CollectiveKind::AllToAll, {Symbol("ring"), {}, {}}, {{"g", n}}).bandwidth;
    const double nn = static_cast<double>(n);
    EXPECT_NEAR((nn - 1) / nn / f, nn / 4, 1e-12);
  }
  // 16 x 16: half of the devices send half of their bytes over the 2 · 16 links of the cut, W / 4 each: bytes · 8 / W
  const double f = factors(CollectiveKind::AllToAll, torus({16, 16}), {{"g", 256}}).bandwidth;
  EXPECT_NEAR(255. / 256 / f, 8, 1e-12);
}

TEST(Topology, AFullMeshHasALinkPerPeer) {
  const Topology t{Symbol("full_mesh"), {}, {}};
  EXPECT_DOUBLE_EQ(factors(CollectiveKind::AllGather, t, {{"g", 8}}).bandwidth, 1);
  EXPECT_DOUBLE_EQ(factors(CollectiveKind::AllReduce, t, {{"g", 8}}).steps, 2);
  EXPECT_DOUBLE_EQ(factors(CollectiveKind::AllGather, t, {{"g", 2}, {"other", 4}}).bandwidth, 1. / 7);
  EXPECT_DOUBLE_EQ(factors(CollectiveKind::SendRecv, t, {{"g", 8}}).bandwidth, 1. / 7);
}

TEST(Topology, RailsCarryRingsAndOnlyExchangesClimb) {
  TopologyGroup g;
  g.ranks = 64, g.nodes = g.units = 8, g.each = 8, g.count = 8;
  const Topology rails{Symbol("rail_optimized"), {{Symbol("oversubscription"), 4}}, {}};
  const Topology tree{Symbol("fat_tree"), {{Symbol("oversubscription"), 4}}, {}};
  EXPECT_DOUBLE_EQ(factorsOf(rails, g).bandwidth, 1);
  EXPECT_DOUBLE_EQ(factorsOf(tree, g).bandwidth, 0.25);
  g.collective = CollectiveKind::AllToAll;
  EXPECT_DOUBLE_EQ(factorsOf(rails, g).bandwidth, 1 / (4 * 7. / 8)); // 7 of 8 partners are on other rails
  g.each = 1;                                                        // one rank per node: all on the same rail
  EXPECT_DOUBLE_EQ(factorsOf(rails, g).bandwidth, 1);
  const Topology fly{Symbol("dragonfly"), {{Symbol("global"), 0.5}}, {}};
  EXPECT_DOUBLE_EQ(factorsOf(fly, g).bandwidth, 0.5);
  g.collective = CollectiveKind::AllGather;
  EXPECT_DOUBLE_EQ(factorsOf(fly, g).bandwidth, 1);
}

TEST(Topology, NeverMoreThanTheLink) {
  for (const Word* word : topologyWords().words()) {
    const Topology t =
        word->find("dims") ? torus({4, 4}, std::string(word->name).c_str()) : Topology{Symbol(word->name), {}, {}};
    for (CollectiveKind kind :
         {CollectiveKind::AllReduce, CollectiveKind::AllGather, CollectiveKind::AllToAll, CollectiveKind::SendRecv})
      for (int64_t size : {2, 4, 16}) {
        const TopologyFactors f = factors(kind, t, {{"g", size}, {"other", 16 / size}});
        // A ring's exchange takes the shorter way: of two devices both links, of four 3/4 of the bytes one hop.
        EXPECT_LE(f.bandwidth, kind == CollectiveKind::AllToAll ? 2 : 1) << word->name;
        EXPECT_GT(f.bandwidth, 0) << word->name;
        EXPECT_GE(f.steps, 1) << word->name;
      }
  }
}

TEST(Topology, ACallerAddsAWordForAsLongAsItLives) {
  const size_t words = topologyWords().words().size();
  {
    static constexpr Parameter kBy[] = {{.name = "by", .doc = "parts", .least = 1, .most = 10, .standard = 2}};
    const AddedWord<TopologyFormula> added(topologies(), {"halved", "half of everything", "made up", kBy},
                                           {.factors = [](const Topology& t, const TopologyGroup&) {
                                             return TopologyFactors{1 / t.number("by"), 3};
                                           }});
    EXPECT_EQ(topologyWords().words().size(), words + 1);
    EXPECT_EQ(factorsOf({Symbol("halved"), {}, {}}, {}).bandwidth, 0.5);
    EXPECT_EQ(factorsOf({Symbol("halved"), {{Symbol("by"), 4}}, {}}, {}).bandwidth, 0.25);
  }
  EXPECT_EQ(topologyWords().find("halved"), nullptr);
}

} // namespace
} // namespace planc::cost
