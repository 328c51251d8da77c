// Algorithms over several levels, topologies and shared cards against closed forms, and the laws that hold for all of
// them.
// SPDX-License-Identifier: Apache-2.0
#include "Fixtures.h"
#include "backends/cost/facts/Facts.h"
#include "backends/cost/price/Collectives.h"
#include "backends/cost/price/collectives/Topologies.h"
#include "ir/facts/ClusterFacts.h"
#include "ir/facts/StackFacts.h"
#include "ir/vocabulary/Algorithms.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace planc::cost::test {
namespace {

using namespace ir;
using Axes = std::vector<std::pair<std::string, int64_t>>;
using Kind = CollectiveKind;

constexpr Kind kKinds[] = {Kind::AllReduce, Kind::AllGather, Kind::ReduceScatter, Kind::AllToAll};

/// The fact that asks for an algorithm.
Number asked(std::string_view word) {
  return number(static_cast<double>(algorithmWords().indexOf(*algorithmWords().find(word))));
}

/// Nodes of eight, and what a test changes.
struct Machine : Builder {
  DiagnosticEngine diagnostics;

  explicit Machine(int64_t nodes, const Axes& axes) : Builder(nodes, axes) {}
  /// One level of `units` without samples: 100 GB/s and 1 us.
  Machine(int64_t units, const Axes& axes, Topology topology) : Builder(1, axes) {
    edit(plan.cluster).levels = {levelOf("pod", units, Fabric(), 100e9, 1e-6, std::move(topology))};
    program.mesh = mesh(*plan.cluster, axes);
  }
  std::vector<ClusterLevel>& levels() { return edit(plan.cluster).levels; }
  void choose(std::string_view word) {
    for (Kind k : kKinds) edit(plan.stack).set(StackFact::Algorithm, k, asked(word));
  }
  double price(Kind kind, const std::vector<std::string>& axes, double bytes, Derivation* why = nullptr) {
    AxisMask mask = 0;
    for (const std::string& a : axes) mask |= axis(a);
    return model(diagnostics)
        ->price(program, collective({}, kind, CollectiveClass::Gradient, mask, bytes), {why})
        .seconds;
  }
};

/// What limits a collective, of 1e9 bytes or as many as given.
std::string limit(Machine& m, Kind kind, const std::vector<std::string>& axes, double bytes = 1e9) {
  AxisMask mask = 0;
  for (const std::string& a : axes) mask |= m.axis(a);
  std::vector<LimitPart> parts;
  m.model(m.diagnostics)
      ->price(m.program, m.collective({}, kind, CollectiveClass::Gradient, mask, bytes), {.limits = &parts});
  return narrowest(parts).what;
}

double root(double s, double x) {
  return s * std::sqrt(x); // s/√B, as the fixtures have it
}

void expect(double actual, double expected) {
  EXPECT_NEAR(actual / expected, 1, 1e-10);
}

TEST(Algorithms, HierarchicalIsTheSumOfItsPhases) {
  Machine m(8, {{"g", 64}});
  m.choose("hierarchical");
  const double v = 1e9, inside = v * 7 / 8, part = v / 8 * 7 / 8;
  const double scatter = 14.36e-6 + inside / 221.3e9 + root(8.29e-9, inside);
  const double gather = 15.02e-6 + inside / 216.8e9 + root(9.29e-9, inside);
  auto across = [&](double x, double hops) { return 40e-6 + 10e-6 * hops + x / (.95 * 25e9) + root(3e-8, x); };
  expect(m.price(Kind::AllReduce, {"g"}, v), scatter + across(2 * part, 2 * 3) + gather);
  expect(m.price(Kind::ReduceScatter, {"g"}, v), scatter + across(part, 7));
  expect(m.price(Kind::AllGather, {"g"}, v), across(part, 7) + gather);
  const double exchange = 12.8e-6 + inside / 224.2e9 + root(9.7e-9, inside);
  expect(m.price(Kind::AllToAll, {"g"}, v), exchange + across(inside, 7)); // everything moves once per level
}

/// Eight devices of a node share its 8 cards of 25 GB/s, 190 GB/s with what is lost: below the 224 GB/s of the fabric
/// inside, so the cards limit. At ten times that the fabric inside does, of few bytes the latency.
TEST(Algorithms, TheNarrowestPartIsNamed) {
  Machine m(8, {{"tp", 8}, {"dp", 8}});
  const std::string fabric = m.levels()[0].fabric.name.str(), node = m.levels()[0].name.str(),
                    nodes = m.levels()[1].name.str();
  EXPECT_EQ(limit(m, Kind::AllReduce, {"tp"}), node + ": " + fabric);
  EXPECT_EQ(limit(m, Kind::AllReduce, {"tp", "dp"}), nodes + ": card");
  EXPECT_EQ(limit(m, Kind::AllReduce, {"tp", "dp"}, 1e3), nodes + ": latency");
  m.levels()[1].set(LevelFact::Bandwidth, number(250e9));
  EXPECT_EQ(limit(m, Kind::AllReduce, {"tp", "dp"}), node + ": " + fabric);
  EXPECT_EQ(limit(m, Kind::AllToAll, {"dp"}, 1e3), nodes + ": latency");
  m.choose("hierarchical"); // most of the bytes stay inside of the node
  EXPECT_EQ(limit(m, Kind::ReduceScatter, {"tp", "dp"}), node + ": " + fabric);
}

TEST(Algorithms, RingAndTreeDifferInTheirStepsOnly) {
  Machine m(8, {{"g", 64}});
  const double x = 2 * 63. / 64 * 1e6, rest = 40e-6 + x / (.95 * 25e9 * 8) + root(3e-8, x);
  m.choose("ring");
  expect(m.price(Kind::AllReduce, {"g"}, 1e6), rest + 10e-6 * 2 * 63);
  m.choose("tree");
  expect(m.price(Kind::AllReduce, {"g"}, 1e6), rest + 10e-6 * 2 * 6);
}

TEST(Algorithms, SamplesOfGroupsOverSeveralNodes) {
  Machine m(8, {{"tp", 2}, {"g", 32}, {"wide", 1}});
  ir::Fabric::Sample one, four;
  one.ranks = one.nodes = 8, one.a = 1e-4, one.b = 1e9;
  four.ranks = 32, four.nodes = 8, four.a = 2e-4, four.b = 4e9, four.g = 1e-3;
  m.levels()[1].fabric.allReduce.across = {one, four};
  const double x = 2 * 31. / 32 * 1e8;
  expect(m.price(Kind::AllReduce, {"g"}, 1e8), 2e-4 + x / 4e9 + 1e-3 * std::sqrt(x / 1e9)); // four in a node
  // Twice the ranks in a node are twice the cards; inside a node and for other operations nothing changes.
  const double all = 2 * 63. / 64 * 1e8 / 2;
  expect(m.price(Kind::AllReduce, {"tp", "g"}, 1e8), 2e-4 + all / 4e9 + 1e-3 * std::sqrt(all / 1e9));
  Machine plain(8, {{"tp", 2}, {"g", 32}, {"wide", 1}});
  EXPECT_EQ(m.price(Kind::AllReduce, {"tp"}, 1e8), plain.price(Kind::AllReduce, {"tp"}, 1e8));
  EXPECT_EQ(m.price(Kind::AllGather, {"g"}, 1e8), plain.price(Kind::AllGather, {"g"}, 1e8));
}

// Of rows of samples, as many ranks in a node go before as many nodes: they share the cards.
TEST(Algorithms, SamplesOfAsManyRanksInANodeGoBefore) {
  Machine m(8, {{"tp", 2}, {"g", 32}});
  ir::Fabric::Sample few, many;
  few.ranks = 8, few.nodes = 2, few.b = 1e9;     // four in a node, on two nodes
  many.ranks = 64, many.nodes = 8, many.b = 4e9; // eight in a node, on eight
  m.levels()[1].fabric.allReduce.across = {few, many};
  expect(m.price(Kind::AllReduce, {"g"}, 1e8), 2 * 31. / 32 * 1e8 / 1e9);
}

TEST(Algorithms, ATreeOverAnyNumberOfRanks) {
  Machine m(6, {{"g", 48}});
  m.choose("tree");
  const double x = 2 * 47. / 48 * 1e6;
  expect(m.price(Kind::AllReduce, {"g"}, 1e6), 40e-6 + x / (.95 * 25e9 * 8) + root(3e-8, x) + 10e-6 * 2 * 6);
}

// Two nodes exchange the halves of a sum directly; what is only gathered goes no other way than before.
TEST(Algorithms, OnlySumsGainFromAPairOfNodes) {
  Machine m(2, {{"g", 16}}), plain(2, {{"g", 16}});
  plain.levels()[1].fabric.set(FabricFact::PairBonus, number(1));
  EXPECT_EQ(m.price(Kind::AllGather, {"g"}, 1e9), plain.price(Kind::AllGather, {"g"}, 1e9));
  EXPECT_LT(m.price(Kind::AllReduce, {"g"}, 1e9), plain.price(Kind::AllReduce, {"g"}, 1e9));
}

// A slow level that the group does not spread at carries nothing of it.
TEST(Algorithms, LevelsInBetweenMayBeSlow) {
  Machine m(1, {{"tp", 8}, {"skipped", 2}, {"g", 4}});
  const auto level = [](const char* name, int64_t count, double bandwidth) {
    return levelOf(name, count, Fabric(), bandwidth, 0);
  };
  m.levels() = {level("node", 8, 300e9), level("rack", 2, 1e9), level("room", 4, 25e9)};
  m.program.mesh = mesh(*m.plan.cluster, {{"tp", 8}, {"skipped", 2}, {"g", 4}});
  expect(m.price(Kind::AllReduce, {"g"}, 1e9), 2 * 3. / 4 * 1e9 / 25e9);
}

// The latency grows per doubling beyond the largest domain that was sampled.
TEST(Algorithms, LatencyGrowsFromTheLargestSampleOn) {
  Machine m(1, {{"g", 64}});
  m.levels() = {levelOf("domain", 64, nvlink5(), 900e9, 2e-6)};
  m.program.mesh = mesh(*m.plan.cluster, {{"g", 64}});
  ir::Fabric::Samples& samples = m.levels()[0].fabric.allReduce;
  samples.rows.back().ranks = 16;
  const ir::Fabric::Sample& last = samples.rows.back();
  const double x = 2 * 63. / 64 * 1e8;
  expect(m.price(Kind::AllReduce, {"g"}, 1e8), last.a * (1 + .15 * 2) + x / last.b + last.g * std::sqrt(x / 1e9));
}

TEST(Algorithms, AReduceScatterMayBeAnAllReduce) {
  Machine m(8, {{"tp", 2}, {"g", 32}});
  const double whole = m.price(Kind::AllReduce, {"g"}, 1e8), gather = m.price(Kind::AllGather, {"g"}, 1e8);
  m.choose("all_reduce");
  EXPECT_EQ(m.price(Kind::ReduceScatter, {"g"}, 1e8), whole);
  EXPECT_EQ(m.price(Kind::AllReduce, {"g"}, 1e8), whole); // nothing else has such a form
  EXPECT_EQ(m.price(Kind::AllGather, {"g"}, 1e8), gather);
}

TEST(Algorithms, TheFastestIsTheLeastOfAll) {
  for (Kind kind : kKinds)
    for (double bytes : {1e4, 1e6, 1e8, 1e10}) {
      Machine m(16, {{"tp", 2}, {"g", 64}});
      double least = m.price(kind, {"g"}, bytes);
      for (std::string_view a : {"ring", "tree", "hierarchical"}) {
        m.choose(a);
        least = std::min(least, m.price(kind, {"g"}, bytes));
      }
      m.choose("fastest");
      EXPECT_EQ(m.price(kind, {"g"}, bytes), least) << ir::name(kind) << " " << bytes;
    }
}

TEST(Algorithms, AStackGoesBeforeTheFabric) {
  Machine m(8, {{"g", 64}});
  const double usual = m.price(Kind::AllReduce, {"g"}, 1e6);
  m.levels()[1].fabric.set(FabricFact::Algorithm, Kind::AllReduce, asked("ring"));
  EXPECT_GT(m.price(Kind::AllReduce, {"g"}, 1e6), usual);
  edit(m.plan.stack).set(StackFact::Algorithm, Kind::AllReduce, asked("pipelined"));
  EXPECT_EQ(m.price(Kind::AllReduce, {"g"}, 1e6), usual);
}

TEST(Algorithms, AnAxisPartlyInsideANode) {
  Machine m(4, {{"tp", 2}, {"g", 16}}); // four in a node, four nodes
  Derivation why;
  m.choose("hierarchical");
  const double v = 1e8, inside = v * 3 / 4, part = 2 * v / 4 * 3 / 4;
  expect(m.price(Kind::AllReduce, {"g"}, v, &why), 10.46e-6 + inside / 234.4e9 + root(1.168e-8, inside) + 40e-6 +
                                                       10e-6 * 4 + part / (.95 * 25e9) + root(3e-8, part) + 10.7e-6 +
                                                       inside / 227.5e9 + root(1.391e-8, inside));
  bool levels = false;
  int phases = 0;
  for (const auto& [key, text] : why.notes) {
    levels |= key == "levels" && text == "4 in a node x 4 in a nodes";
    phases += key == "phase";
  }
  EXPECT_TRUE(levels);
  EXPECT_EQ(phases, 3);
}

TEST(Algorithms, AGroupThatDoesNotDivideTheLevelsIsRemarked) {
  Machine m(3, {{"g", 6}, {"dp", 4}});
  Derivation why;
  m.price(Kind::AllReduce, {"g"}, 1e8, &why);
  bool remarked = false;
  for (const auto& [key, text] : why.notes) remarked |= key == "levels" && text.find("worst placed") != text.npos;
  EXPECT_TRUE(remarked);
}

TEST(Algorithms, ATorusByItsBuckets) {
  const double v = 1e9;
  Machine whole(256, {{"g", 256}}, {"torus", {}, {16, 16}});
  expect(whole.price(Kind::AllGather, {"g"}, v), 16e-6 + v * 255 / 256 / 100e9);
  expect(whole.price(Kind::AllReduce, {"g"}, v), 32e-6 + 2 * v * 255 / 256 / 100e9);
  expect(whole.price(Kind::AllToAll, {"g"}, v), 16e-6 + v * 8 / 100e9); // the cut through the middle
  Machine row(256, {{"g", 16}, {"other", 16}}, {"torus", {}, {16, 16}});
  expect(row.price(Kind::AllGather, {"g"}, v), 8e-6 + v * 15 / 16 / 50e9);
}

TEST(Algorithms, ATopologyOfTheCallerPricesWithoutAnyOtherChange) {
  const AddedWord<TopologyFormula> added(topologies(), {"star", "one link for all", "made up"},
                                         {.factors = [](const Topology&, const TopologyGroup& g) {
                                           return TopologyFactors{1 / g.units, 2};
                                         }});
  Machine m(8, {{"g", 8}}, {"star", {}, {}});
  expect(m.price(Kind::AllGather, {"g"}, 8e8), 2e-6 + 7e8 / (100e9 / 8));
}

// A ring over 256 ranks in 32 nodes goes 31 times from node to node (docs/cost-model.md, section 2.2).
TEST(Algorithms, StepsOfARingInsideOfNodesAreShorter) {
  const double x = 255. / 256 * 1e6, rest = 40e-6 + x / (.95 * 25e9 * 8) + root(3e-8, x);
  Machine m(32, {{"g", 256}});
  expect(m.price(Kind::AllGather, {"g"}, 1e6), rest + 10e-6 * 255); // all alike where the fabric does not say it
  m.levels()[1].fabric.set(FabricFact::HopInside, number(3e-6));
  expect(m.price(Kind::AllGather, {"g"}, 1e6), rest + 10e-6 * 31 + 3e-6 * 224);
  Derivation why;
  m.price(Kind::AllGather, {"g"}, 1e6, &why);
  ASSERT_TRUE(why.formula);
  EXPECT_NE(symbols(*why.formula).find("hop · steps + hop inside · steps inside"), std::string::npos)
      << symbols(*why.formula);
  // The protocol that waits less, where what it saves is more than what it moves more slowly.
  m.levels()[1].fabric.set(FabricFact::LowLatencyHop, number(4e-6));
  m.levels()[1].fabric.set(FabricFact::LowLatencyHopInside, number(2e-6));
  m.levels()[1].fabric.set(FabricFact::LowLatencyEfficiency, number(.9));
  expect(m.price(Kind::AllGather, {"g"}, 1e6),
         40e-6 + 4e-6 * 31 + 2e-6 * 224 + x / (.9 * .95 * 25e9 * 8) + root(3e-8, x));
  const double much = 255. / 256 * 1e9;
  expect(m.price(Kind::AllGather, {"g"}, 1e9),
         40e-6 + 10e-6 * 31 + 3e-6 * 224 + much / (.95 * 25e9 * 8) + root(3e-8, much));
  // One in each of 256 nodes: the same ring through one card each.
  Machine far(256, {{"tp", 8}, {"g", 256}});
  const double y = 255. / 256 * 1e6;
  expect(far.price(Kind::AllGather, {"g"}, 1e6), 40e-6 + 10e-6 * 255 + y / (.95 * 25e9) + root(3e-8, y));
}

TEST(Algorithms, CopiesAreForwardedOncePerUnitOfEveryLevel) {
  Machine m(16, {{"g", 128}}); // eight in a node, four nodes in a rack, four racks
  m.levels()[1].count = 4;
  m.levels().push_back(levelOf("site", 4, hdr(), 50e9, 8e-6, fatTree(2)));
  m.program.mesh = mesh(*m.plan.cluster, {{"g", 128}});
  Node n = m.collective({}, Kind::AllToAll, CollectiveClass::Exchange, m.axis("g"), 8 * 1e7);
  n.collective().copies = 8; // 1e7 B of tokens, each to eight of 128 ranks
  auto moved = [](double all, double units) {
    return 1e7 * all * (1 - std::pow(1 - 1 / all, 8)) * (units - 1) / units;
  };
  const double inside = moved(128, 8);
  expect(m.model(m.diagnostics)->price(m.program, n).seconds, 40e-6 + moved(4, 4) / (.96 * 50e9 / 2) +
                                                                  moved(16, 4) / (.96 * 25e9) + 12.8e-6 +
                                                                  inside / 224.2e9 + root(9.7e-9, inside));
  n.collective().copies = 1; // each pair for itself: the slowest level counts; 120 of 128 parts leave a node, 96 a rack
  expect(m.model(m.diagnostics)->price(m.program, n).seconds,
         40e-6 + std::max(8e7 * 120 / 128 / (.96 * 25e9), 8e7 * 96 / 128 / (.96 * 25e9)));
}

TEST(Algorithms, CopiesReachNoMoreUnitsThanTheirGroupsAllow) {
  // DeepSeek-V3 (arXiv 2412.19437, section 2.1.2): 8 experts of a token in at most 4 of 8 groups, a group to a node of
  // 8 devices.
  Machine m(8, {{"g", 64}});
  Node n = m.collective({}, Kind::AllToAll, CollectiveClass::Exchange, m.axis("g"), 8 * 1e7);
  n.collective().copies = 8;
  auto price = [&] { return m.model(m.diagnostics)->price(m.program, n).seconds; };
  auto expected = [](double units, double copies) { return units * (1 - std::pow(1 - 1 / units, copies)); };
  auto time = [&](double nodes, double devices) { // distinct nodes, then distinct devices of all of them
    const double across = 1e7 * nodes * 7 / 8, inside = 1e7 * devices * 7 / 8;
    return 40e-6 + across / (.96 * 25e9) + 12.8e-6 + inside / 224.2e9 + root(9.7e-9, inside);
  };
  expect(price(), time(expected(8, 8), expected(64, 8)));
  n.collective().groupLimit = {8, 4}; // 5.25 nodes would be reached: 4 are, with the 32 devices of them
  expect(price(), time(4, expected(32, 8)));
  n.collective().groupLimit = {8, 6}; // 5.25 nodes of 6
  expect(price(), time(expected(8, 8), expected(48, 8)));
  n.collective().groupLimit = {4, 2}; // a group to two nodes, whose experts are as good
  expect(price(), time(expected(4, 8), expected(32, 8)));
  n.collective().groupLimit = {16, 4}; // two groups to a node
  expect(price(), time(4, expected(16, 8)));
  n.collective().groupLimit = {64, 3}; // a group to a device
  expect(price(), time(3, 3));
  n.collective().groupLimit = {8, 8};
  expect(price(), time(expected(8, 8), expected(64, 8)));
}

TEST(Algorithms, NoTwoCopiesOfATokenGoToOneExpert) {
  // Exactly: d · (1 - C(E - E/d, k) / C(E, k)); Monte Carlo of 20,000 tokens gives the same to three digits.
  Machine m(8, {{"g", 8}});
  m.program.mesh = mesh(*m.plan.cluster, {{"g", 8}, {"rest", 8}});
  Node n = m.collective({}, Kind::AllToAll, CollectiveClass::Exchange, m.axis("g"), 8e7);
  auto reached = [&](double experts, double copies) { // of eight devices
    n.collective().copies = copies;
    n.collective().places = experts;
    const double all = m.model(m.diagnostics)->price(m.program, n).seconds;
    const double x = 8e7 / copies * 7 / 8; // to one device
    auto time = [&](double d) { return 12.8e-6 + x * d / 224.2e9 + root(9.7e-9, x * d); };
    double low = 0, high = 8;
    for (int i = 0; i < 60; ++i) (time((low + high) / 2) < all ? low : high) = (low + high) / 2;
    return low;
  };
  EXPECT_NEAR(reached(8, 2), 2, 1e-6); // Mixtral: an expert to a device
  EXPECT_NEAR(reached(64, 6), 4.536, 1e-3);
  EXPECT_NEAR(reached(16, 8), 8 * (1 - 3003. / 12870), 1e-6); // C(14, 8) / C(16, 8)
  EXPECT_NEAR(reached(4, 4), 4, 1e-6);                        // fewer experts than devices: each copy has its own
}

TEST(Algorithms, SoftwareThatSendsARowPerExpertForwardsNothing) {
  for (const int64_t ranks : {8, 128}) { // inside a node by its samples, over several by the card
    Machine m(16, {{"g", 128}});
    m.program.mesh = mesh(*m.plan.cluster, {{"g", ranks}, {"rest", 128 / ranks}});
    Node n = m.collective({}, Kind::AllToAll, CollectiveClass::Exchange, m.axis("g"), 8e7);
    const double pairs = m.model(m.diagnostics)->price(m.program, n).seconds;
    n.collective().copies = 8;
    EXPECT_LT(m.model(m.diagnostics)->price(m.program, n).seconds, pairs);
    edit(m.plan.stack).set(StackFact::ExchangeCopies, number(1));
    expect(m.model(m.diagnostics)->price(m.program, n).seconds, pairs);
  }
}

TEST(Algorithms, SilentNeighboursLeaveTheirCards) {
  // Four stages in a node of eight; the first and the last of sixteen share a parameter.
  Machine m(4, {{"tp", 2}, {"pp", 16}});
  Node tied = m.collective({}, Kind::AllReduce, CollectiveClass::Gradient, m.axis("pp"), 1e9);
  tied.collective().group = 2;
  const double own = m.model(m.diagnostics)->price(m.program, tied).seconds;
  const double fixed = 40e-6 + 10e-6 * 2 + root(3e-8, 1e9);
  expect(own, fixed + 1e9 / (.95 * 25e9));        // two ranks gain nothing by direct exchange
  m.levels()[1].set(LevelFact::Cards, number(4)); // two devices share a card: one alone has all of it, not more
  expect(m.model(m.diagnostics)->price(m.program, tied).seconds, fixed + 1e9 / (.95 * 50e9));
  Machine all(4, {{"g", 32}});
  const double before = all.price(Kind::AllReduce, {"g"}, 1e9);
  all.levels()[1].set(LevelFact::Cards, number(4)); // nobody is silent
  EXPECT_EQ(all.price(Kind::AllReduce, {"g"}, 1e9), before);
}

TEST(Algorithms, OversubscriptionHitsWhatCrossesTheSpine) {
  for (Kind kind : kKinds) {
    Machine tree(8, {{"g", 64}}), rails(8, {{"g", 64}});
    const double free = tree.price(kind, {"g"}, 1e9);
    tree.levels()[1].topology = {"fat_tree", {{"oversubscription", 16}}, {}};
    rails.levels()[1].topology = {"rail_optimized", {{"oversubscription", 16}}, {}};
    EXPECT_GT(tree.price(kind, {"g"}, 1e9), free);
    if (kind == Kind::AllToAll) {
      EXPECT_GT(rails.price(kind, {"g"}, 1e9), free);
      const double direct = rails.price(kind, {"g"}, 1e9);
      rails.choose("hierarchical"); // NVLink first: then every byte is on its rail
      EXPECT_LT(rails.price(kind, {"g"}, 1e9), direct);
    } else {
      EXPECT_EQ(rails.price(kind, {"g"}, 1e9), free);
    }
  }
}

// ---- laws (docs/cost-model.md, section 7) --------------------------------------

/// Device, node, rack and site.
Machine& threeLevels(Machine& m) {
  m.levels()[1].count = 4;
  m.levels().push_back(levelOf("site", 4, hdr(), 25e9, 8e-6, fatTree(3)));
  return m;
}

TEST(AlgorithmLaws, SplittingAnAxisChangesNoPrice) {
  for (std::string_view a : algorithmWords().names())
    for (Kind kind : kKinds) {
      Machine one(16, {{"tp", 2}, {"g", 64}}), parts(16, {{"tp", 2}, {"in", 2}, {"mid", 8}, {"out", 4}});
      for (Machine* m : {&one, &parts}) {
        threeLevels(*m).choose(a);
        m->program.mesh = mesh(*m->plan.cluster, m == &one ? Axes{{"tp", 2}, {"g", 64}}
                                                           : Axes{{"tp", 2}, {"in", 2}, {"mid", 8}, {"out", 4}});
      }
      EXPECT_EQ(one.price(kind, {"g"}, 1e8), parts.price(kind, {"in", "mid", "out"}, 1e8)) << a;
    }
}

TEST(AlgorithmLaws, LevelsThatAGroupDoesNotReachDoNotMatter) {
  for (std::string_view a : algorithmWords().names())
    for (Kind kind : kKinds) {
      Machine fast(16, {{"g", 8}, {"dp", 16}}), slow(16, {{"g", 8}, {"dp", 16}});
      fast.choose(a), slow.choose(a);
      slow.levels()[1].set(LevelFact::Bandwidth, number(1e9));
      slow.levels()[1].topology = {"ring", {}, {}};
      EXPECT_EQ(fast.price(kind, {"g"}, 1e8), slow.price(kind, {"g"}, 1e8));
    }
}

TEST(AlgorithmLaws, MoreBandwidthOrMoreBytes) {
  for (const char* topology : {"switch", "fat_tree", "rail_optimized", "ring", "full_mesh", "dragonfly"})
    for (std::string_view a : algorithmWords().names())
      for (Kind kind : kKinds) {
        Machine slow(16, {{"tp", 4}, {"g", 32}}), fast(16, {{"tp", 4}, {"g", 32}});
        for (Machine* m : {&slow, &fast}) {
          m->choose(a);
          m->levels()[1].topology = {topology, {}, {}};
        }
        fast.levels()[1].set(LevelFact::Bandwidth, number(35e9));
        double last = 0;
        for (double bytes : {1e3, 1e5, 1e7, 1e9}) {
          const double time = slow.price(kind, {"g"}, bytes);
          EXPECT_LE(fast.price(kind, {"g"}, bytes), time) << topology << a << ir::name(kind);
          EXPECT_GT(time, last) << topology << a << ir::name(kind);
          last = time;
        }
      }
}

TEST(AlgorithmLaws, MoreNodesNeverTakeLess) {
  // From four nodes on: two exchange halves directly, with the fabric's bonus.
  for (std::string_view a : {"pipelined", "ring", "tree", "hierarchical"})
    for (Kind kind : kKinds) {
      double last = 0;
      for (int64_t nodes = 4; nodes <= 256; nodes *= 2) {
        Machine m(nodes, {{"g", 8 * nodes}});
        m.choose(a);
        const double time = m.price(kind, {"g"}, 1e8);
        EXPECT_GE(time, last * (1 - 1e-12)) << nodes << a << ir::name(kind);
        last = time;
      }
    }
}

TEST(AlgorithmLaws, OneRankIsFree) {
  for (std::string_view a : algorithmWords().names())
    for (Kind kind : kKinds) {
      Machine m(2, {{"tp", 16}, {"g", 1}});
      m.choose(a);
      EXPECT_EQ(m.price(kind, {"g"}, 1e9), 0);
    }
}

TEST(AlgorithmLaws, EveryFormSaysWhatItIs) {
  for (const CollectiveAlgorithm& form : collectiveForms()) {
    EXPECT_FALSE(form.name.empty());
    EXPECT_TRUE(form.name == "local" || !form.source.empty()) << form.name;
  }
}

// A tool or a test brings an algorithm of its own; nothing else has to know it.
TEST(Algorithms, AWordOfTheCallerPricesForAsLongAsItLives) {
  {
    const AddedWord<CollectiveAlgorithm> added(
        collectiveAlgorithms(), {"by_pigeon", "in a day", "RFC 1149"},
        {.applies = [](const Pricing&, const Route&) { return true; },
         .seconds = [](const Pricing& p, const Route&) { return p.known(86400, "a day", units::time); }});
    Machine m(8, {{"g", 64}});
    Derivation why;
    m.choose("by_pigeon");
    EXPECT_EQ(m.price(Kind::AllReduce, {"g"}, 1e9, &why), 86400);
    EXPECT_EQ(why.notes.front().second, "by_pigeon: RFC 1149");
    m.choose("fastest");
    EXPECT_LT(m.price(Kind::AllReduce, {"g"}, 1e9), 86400);
  }
  EXPECT_EQ(algorithmWords().find("by_pigeon"), nullptr);
  EXPECT_EQ(collectiveAlgorithms().find("by_pigeon"), nullptr);
}

} // namespace
} // namespace planc::cost::test
