// Every collective algorithm against numbers computed apart from it; the inputs stand in the comments.
// SPDX-License-Identifier: Apache-2.0
#include "Fixtures.h"
#include "backends/cost/facts/Facts.h"
#include "backends/cost/price/Collectives.h"
#include "ir/facts/ClusterFacts.h"
#include "ir/facts/StackFacts.h"
#include "ir/program/CollectiveNodes.h"
#include "ir/vocabulary/Algorithms.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace planc::cost::test {
namespace {

using namespace ir;
using Axes = std::vector<std::pair<std::string, int64_t>>;

constexpr double kTensor = 2048. * 12288 * 2; // b·s·h of GPT-3 175B in fp16

class CostCollectives : public ::testing::Test {
protected:
  DiagnosticEngine diagnostics;

  /// A group over axis `g` of a mesh on nodes of eight A100.
  double price(CollectiveKind kind, const Axes& axes, double bytes, double copies = 1, int64_t nodes = 0) {
    int64_t devices = 1;
    for (const auto& [name, size] : axes) devices *= size;
    Builder b(nodes ? nodes : std::max<int64_t>(1, devices / 8), axes);
    Node n = b.collective({}, kind, CollectiveClass::Activation, b.axis("g"), bytes);
    n.collective().copies = copies;
    return b.model(diagnostics)->price(b.program, n).seconds;
  }
  void expect(double actual, double expected, double tolerance = 1e-10) {
    EXPECT_NEAR(actual / expected, 1, tolerance);
  }
};

TEST_F(CostCollectives, InsideANodeBySamples) {
  expect(price(CollectiveKind::AllReduce, {{"g", 8}}, kTensor), 4.858357481763e-04);
  expect(price(CollectiveKind::AllGather, {{"g", 8}}, kTensor), 2.798084440085e-04);
  expect(price(CollectiveKind::ReduceScatter, {{"g", 8}}, kTensor), 2.683814905384e-04);
  expect(price(CollectiveKind::AllToAll, {{"g", 8}}, kTensor), 2.736045149469e-04);
  expect(price(CollectiveKind::AllReduce, {{"g", 2}, {"x", 4}}, kTensor), 3.242364644896e-04);
}

/// All devices of one node of that many.
double inDomain(CollectiveKind kind, int64_t ranks, const Fabric& fabric) {
  DiagnosticEngine diagnostics;
  Builder b(1, {{"g", ranks}});
  edit(b.plan.cluster).levels[0].count = ranks;
  edit(b.plan.cluster).levels[0].fabric = fabric;
  b.program.mesh = mesh(*b.plan.cluster, {{"g", ranks}});
  return b.model(diagnostics)
      ->price(b.program, b.collective({}, kind, CollectiveClass::Activation, b.axis("g"), kTensor))
      .seconds;
}

TEST_F(CostCollectives, TheNearestSampleInLogDistance) {
  expect(inDomain(CollectiveKind::AllGather, 3, nvlink3()), 2.387673356243e-04); // 3 ranks: the sample of 4
  expect(inDomain(CollectiveKind::AllGather, 6, nvlink3()), 2.686494484222e-04); // 6 ranks: the sample of 8
}

TEST_F(CostCollectives, ATableOfTimesInPlaceOfAFit) {
  Fabric fabric = nvlink3();
  Fabric::Sample row;
  row.ranks = 8;
  row.time = {{kTensor / 4, kTensor * 4}, {100e-6, 900e-6}};
  fabric.allGather.rows = {row};
  expect(inDomain(CollectiveKind::AllGather, 8, fabric), 300e-6); // half way in log size: the geometric mean
  expect(inDomain(CollectiveKind::AllGather, 4, fabric), std::pow(9, std::log(24. / 7) / std::log(16)) * 100e-6);
  fabric.allGather.rows[0].time.x = {kTensor / 4, kTensor / 2};
  expect(inDomain(CollectiveKind::AllGather, 8, fabric), 2 * 900e-6); // beyond it: at the rate of its last point
  fabric.allGather.rows[0].time.x = {kTensor * 2, kTensor * 4};
  expect(inDomain(CollectiveKind::AllGather, 8, fabric), 50e-6); // below it: at most in proportion to the bytes
  fabric.allGather.rows[0].time.y = {100e-6, 100e-6 * std::sqrt(2)};
  expect(inDomain(CollectiveKind::AllGather, 8, fabric), 100e-6 / std::sqrt(2)); // as it falls inside
  fabric.allGather.rows[0].time.y = {100e-6, 100e-6};
  expect(inDomain(CollectiveKind::AllGather, 8, fabric), 100e-6); // starting is what takes it
}

TEST_F(CostCollectives, TheStartGrowsBeyondTheSampledGroupsAndTheRanksThatTheFabricNames) {
  Fabric fabric = nvlink3();
  Fabric::Sample row;
  row.ranks = 4;
  row.a = 10e-6, row.b = 200e9;
  fabric.allGather.rows = {row};
  fabric.set(FabricFact::Growth, number(.15));
  const auto start = [&](int64_t ranks) {
    const double wire = kTensor * static_cast<double>(ranks - 1) / static_cast<double>(ranks);
    return inDomain(CollectiveKind::AllGather, ranks, fabric) - wire / 200e9;
  };
  expect(start(8), 10e-6); // beyond the sample, within the default
  expect(start(16), 10e-6 * 1.15);
  fabric.set(FabricFact::GrowthBeyond, number(4));
  expect(start(8), 10e-6 * 1.15);
  expect(start(16), 10e-6 * 1.3);
  fabric.set(FabricFact::GrowthBeyond, number(2)); // the sampled group is larger
  expect(start(8), 10e-6 * 1.15);
}

TEST_F(CostCollectives, SamplesAreScaledByTheRateOfTheLevel) {
  Fabric fabric = nvlink3();
  const double sampled = price(CollectiveKind::AllGather, {{"g", 8}}, kTensor);
  fabric.set(FabricFact::SampledAt, number(300e9)); // as the level has
  expect(inDomain(CollectiveKind::AllGather, 8, fabric), sampled);
  fabric.set(FabricFact::SampledAt,
             number(600e9)); // half of it: what moves bytes takes twice as long, the start of 15.02 us does not
  expect(inDomain(CollectiveKind::AllGather, 8, fabric), 15.02e-6 + 2 * (sampled - 15.02e-6));
  // Of a table the latency is where the line through its first two points meets zero: 100 us - 50 us here.
  Fabric::Sample row;
  row.ranks = 8;
  row.time = {{kTensor / 2, kTensor}, {100e-6, 150e-6}};
  fabric.allGather.rows = {row};
  expect(inDomain(CollectiveKind::AllGather, 8, fabric), 50e-6 + 2 * 100e-6);
}

TEST_F(CostCollectives, LinksMultiplyTheBandwidthOfALevel) {
  Builder b(2, {{"tp", 8}, {"pp", 2}});
  StageKind stage;
  Boundary boundary;
  boundary.bytes = 25e6;
  auto& level = edit(b.plan.cluster).levels[0];
  level.fabric = Fabric();
  level.set(LevelFact::Bandwidth, number(25e9));
  level.set(LevelFact::Links, number(12));
  EXPECT_EQ(level.rate(), 300e9);
  expect(b.model(diagnostics)->price(b.program, transferNode(stage, boundary)).seconds, 2e-6 + 25e6 / 300e9);
}

TEST_F(CostCollectives, LatencyGrowsBeyondEightRanksOfADomain) {
  expect(inDomain(CollectiveKind::AllReduce, 64, nvlink5()), 2.197900349759e-04);
  expect(inDomain(CollectiveKind::AllGather, 16, nvlink5()), 1.197952578674e-04);
}

TEST_F(CostCollectives, AcrossNodesByTheCard) {
  expect(price(CollectiveKind::AllReduce, {{"g", 16}}, 1e9), 9.521859176639e-03);            // 2 nodes of 8: pair bonus
  expect(price(CollectiveKind::AllReduce, {{"g", 64}}, 1e9), 1.179296005646e-02);            // 8 nodes of 8
  expect(price(CollectiveKind::AllReduce, {{"tp", 8}, {"g", 8}}, 1e9), 7.503920056612e-02);  // 8 nodes of 1
  expect(price(CollectiveKind::AllReduce, {{"tp", 8}, {"g", 2}}, 1e9), 4.311394645595e-02);  // 2 nodes of 1: no bonus
  expect(price(CollectiveKind::AllGather, {{"tp", 2}, {"g", 32}}, 1e9), 1.148111089090e-02); // 8 nodes of 4
  expect(price(CollectiveKind::ReduceScatter, {{"g", 1024}}, 1e9), 1.6476238052742e-02);     // 128 nodes of 8
  expect(price(CollectiveKind::AllToAll, {{"g", 32}}, 1e8), 3.165e-03);                      // 4 nodes of 8
}

TEST_F(CostCollectives, RoutedCopiesGoOncePerDistinctDestination) {
  // 5e7 B of tokens per rank, each to 8 experts: the local side is the slots, 8 times as many bytes
  expect(price(CollectiveKind::AllToAll, {{"g", 8}}, 8 * 5e7, 8), 1.184519775479e-03);
  expect(price(CollectiveKind::AllToAll, {{"g", 32}}, 8 * 5e7, 8), 7.249609433055e-03);
  // one copy: the plain exchange
  expect(price(CollectiveKind::AllToAll, {{"g", 8}}, kTensor, 1), price(CollectiveKind::AllToAll, {{"g", 8}}, kTensor));
}

TEST_F(CostCollectives, SendAndReceive) {
  Builder b(2, {{"tp", 8}, {"pp", 2}});
  StageKind stage;
  Boundary boundary;
  boundary.bytes = 6291456; // b·s·h / 8 of GPT-3 175B
  stage.level = 1;
  expect(b.model(diagnostics)->price(b.program, transferNode(stage, boundary)).seconds, 2.996202666667e-04);
  stage.level = 0;
  expect(b.model(diagnostics)->price(b.program, transferNode(stage, boundary)).seconds, 6.095121477162e-05);
}

TEST_F(CostCollectives, ARingPaysItsStartAtEveryStep) {
  Builder b(4, {{"tp", 8}, {"cp", 4}});
  Node ring = b.collective({}, CollectiveKind::SendRecv, CollectiveClass::Ring, b.axis("cp"), 3e8);
  ring.collective().ring = true;
  expect(b.model(diagnostics)->price(b.program, ring).seconds, 3 * 20e-6 + 3e8 / (.9 * 25e9));
  ring.phase = Phase::Backward;
  ring.collective().bytes = 7e8;
  expect(b.model(diagnostics)->price(b.program, ring).seconds, 7 * 20e-6 + 7e8 / (.9 * 25e9));
}

TEST_F(CostCollectives, TransfersWithoutFactsAreNominal) {
  Builder b(2, {{"tp", 8}, {"pp", 2}});
  StageKind stage;
  Boundary boundary;
  boundary.bytes = 25e6;
  for (auto& level : edit(b.plan.cluster).levels) {
    level.fabric.erase(FabricFact::SendRecvStart);
    level.fabric.erase(FabricFact::SendRecvBandwidth);
    level.fabric.erase(FabricFact::SendRecvEfficiency);
  }
  stage.level = 1;
  expect(b.model(diagnostics)->price(b.program, transferNode(stage, boundary)).seconds, 5e-6 + 25e6 / 25e9);
  stage.level = 0;
  expect(b.model(diagnostics)->price(b.program, transferNode(stage, boundary)).seconds, 2e-6 + 25e6 / 300e9);
}

TEST_F(CostCollectives, NothingMovesForFree) {
  EXPECT_EQ(price(CollectiveKind::Slice, {{"g", 8}}, 1e9), 0);
  EXPECT_EQ(price(CollectiveKind::AllReduce, {{"g", 8}}, 0), 0);
  EXPECT_EQ(price(CollectiveKind::AllReduce, {{"tp", 8}, {"g", 1}}, 1e9), 0);
}

// Every device sends 75 MB out of its node, to each of three others a third: three root terms of 25 MB.
TEST_F(CostCollectives, AnExchangeHasARootTermPerRemoteNode) {
  const auto seconds = [&](double root, double copies) {
    Builder b(4, {{"g", 32}});
    if (root > 0) edit(b.plan.cluster).levels[1].fabric.set(FabricFact::ExchangeRoot, number(root));
    Node n = b.collective({}, CollectiveKind::AllToAll, CollectiveClass::Exchange, b.axis("g"), copies * 1e8);
    n.collective().copies = copies;
    return b.model(diagnostics)->price(b.program, n).seconds;
  };
  expect(seconds(0, 1), 3.165e-03);
  expect(seconds(500e-6, 1), 3.165e-03 + 3 * 500e-6 * std::sqrt(25e-3));
  // Copies cross once per distinct node: of eight 4 (1 - (3/4)^8) nodes are reached, three of four of them remote.
  const double across = 1e8 * 4 * (1 - std::pow(.75, 8)) * 3 / 4;
  expect(seconds(500e-6, 8) - seconds(0, 8), 500e-6 * std::sqrt(across * 3 / 1e9));
}

TEST_F(CostCollectives, NominalBandwidthStandsInWithAWarning) {
  Builder b(4, {{"g", 32}});
  edit(b.plan.cluster).levels[1].fabric = Fabric();
  const auto model = b.model(diagnostics);
  const Node n = b.collective({}, CollectiveKind::AllGather, CollectiveClass::Activation, b.axis("g"), 1e9);
  // 3 steps of 5 us between the nodes, 28 of 2 us inside of them; 31/32 GB over eight links of 25 GB/s
  EvidenceList evidence;
  expect(model->price(b.program, n, {.evidence = &evidence}).seconds,
         3 * 5e-6 + 28 * 2e-6 + 1e9 * 31 / 32 / (8 * 25e9));
  EXPECT_TRUE(std::any_of(evidence.begin(), evidence.end(), [](const Evidence& g) { return !g.statistics; }));
  EXPECT_TRUE(model->complete());
  ASSERT_EQ(diagnostics.sorted().size(), 1u);
  EXPECT_EQ(diagnostics.sorted()[0]->kind->id(), "PLAN0806");
}

/// Nodes of eight, in pairs, without samples: a level has a latency of its own.
struct NominalLevels : Builder {
  NominalLevels() : Builder(16, {{"g", 32}}) {
    edit(plan.cluster).levels = {levelOf("node", 8, {}, 100e9, 1e-6), levelOf("site", 4, {}, 100e9, 1e-3)};
    program.mesh = mesh(*plan.cluster, {{"g", 32}});
  }
  double price(DiagnosticEngine& diagnostics, CollectiveKind kind, double copies = 1, double bytes = 1) {
    Node n = collective({}, kind, CollectiveClass::Exchange, axis("g"), bytes);
    n.collective().copies = copies;
    return model(diagnostics)->price(program, n).seconds;
  }
};

TEST_F(CostCollectives, StepsOnNominalLevelsPayTheLatencyOfTheLevelThatTheyCross) {
  NominalLevels b;
  const auto steps = [&](CollectiveKind kind) { return b.price(diagnostics, kind); };
  EXPECT_NEAR(steps(CollectiveKind::AllGather), 3 * 1e-3 + 28 * 1e-6, 1e-9);      // once past every rank
  EXPECT_NEAR(steps(CollectiveKind::AllReduce), 2 * (2 * 1e-3 + 3 * 1e-6), 1e-9); // up and down two trees
  EXPECT_NEAR(steps(CollectiveKind::AllToAll), 24 * 1e-3 + 7 * 1e-6, 1e-9);       // one partner after the other
  const auto asked = [&](std::string_view word) {
    for (CollectiveKind k : {CollectiveKind::AllReduce, CollectiveKind::AllGather})
      edit(b.plan.stack)
          .set(StackFact::Algorithm, k,
               number(static_cast<double>(algorithmWords().indexOf(*algorithmWords().find(word)))));
  };
  asked("ring");
  EXPECT_NEAR(steps(CollectiveKind::AllReduce), 2 * (3 * 1e-3 + 28 * 1e-6), 1e-9);
  asked("tree");
  EXPECT_NEAR(steps(CollectiveKind::AllGather), 2 * 1e-3 + 3 * 1e-6, 1e-9);
}

// Of 8 copies to 32 devices 31 are reached by 32 · (1 - (31/32)^8), which cross to 4 · (1 - (3/4)^8) sites.
TEST_F(CostCollectives, CopiesOverNominalLevelsGoOncePerDistinctDestination) {
  NominalLevels b;
  const double token = 1e9, sites = 4 * (1 - std::pow(.75, 8)), devices = 32 * (1 - std::pow(31. / 32, 8));
  const double moved = token * sites * 3 / 4 / 100e9 + token * devices * 7 / 8 / 100e9;
  expect(b.price(diagnostics, CollectiveKind::AllToAll, 8, 8 * token), 3 * 1e-3 + 7 * 1e-6 + moved);
}

TEST_F(CostCollectives, DistanceBeyondTheConstantsIsAddedToEachStepOverTheLevel) {
  for (CollectiveKind kind : {CollectiveKind::AllReduce, CollectiveKind::AllGather, CollectiveKind::AllToAll}) {
    Builder b(4, {{"g", 32}});
    const auto price = [&] {
      return b.model(diagnostics)
          ->price(b.program, b.collective({}, kind, CollectiveClass::State, b.axis("g"), 1e9))
          .seconds;
    };
    auto& levels = edit(b.plan.cluster).levels;
    const double before = price(), steps = kind == CollectiveKind::AllReduce   ? 4
                                           : kind == CollectiveKind::AllGather ? 3
                                                                               : 1;
    levels[1].set(LevelFact::Latency, number(1.000005));
    EXPECT_EQ(price(), before); // the fabric does not say what it holds
    levels[1].fabric.set(FabricFact::SampledLatency, number(5e-6));
    EXPECT_NEAR(price(), before + steps, 1e-9);
    levels[1].set(LevelFact::Latency, number(1e-6)); // nearer
    EXPECT_EQ(price(), before);
  }
}

/// A third level: racks of four nodes, 400 Gb/s between nodes of a rack, oversubscribed between racks.
struct ThreeLevels : Builder {
  ThreeLevels() : Builder(16, {{"g", 128}}) {
    auto& levels = edit(plan.cluster).levels;
    levels[1].count = 4;
    levels[1].set(LevelFact::Bandwidth, number(50e9));
    levels.push_back(levelOf("pod", 4, hdr(), 50e9, 8e-6, fatTree(2)));
    program.mesh = mesh(*plan.cluster, {{"g", 128}});
  }
};

TEST_F(CostCollectives, TheNarrowestLevelOnTheWayDecides) {
  ThreeLevels b;
  const Node n = b.collective({}, CollectiveKind::AllReduce, CollectiveClass::Activation, b.axis("g"), 1e9);
  ASSERT_EQ(n.collective().level, 2u);
  // between nodes .95·50·8 = 380 GB/s, between racks .95·(50/2)·32 = 760 GB/s, inside the node b = 229.7 GB/s; 16 nodes
  const double x = 2 * 127. / 128 * 1e9;
  expect(b.model(diagnostics)->price(b.program, n).seconds, 40e-6 + 10e-6 * 2 * 4 + x / 229.7e9 + 3e-8 * std::sqrt(x));
  edit(b.plan.cluster).levels[2].topology = fatTree(16);
  expect(b.model(diagnostics)->price(b.program, n).seconds,
         40e-6 + 10e-6 * 2 * 4 + x / (.95 * 50e9 / 16 * 32) + 3e-8 * std::sqrt(x));
}

TEST_F(CostCollectives, DerivationShowsAlgorithmAndSource) {
  Builder b(8, {{"g", 64}});
  Derivation why;
  const Node n = b.collective({}, CollectiveKind::AllReduce, CollectiveClass::Gradient, b.axis("g"), 1e9);
  b.model(diagnostics)->price(b.program, n, {&why});
  ASSERT_TRUE(why.formula);
  EXPECT_EQ(symbols(*why.formula),
            "start + hop · steps + x / min(b, efficiency · NIC · ranks per node) + g of hdr · √(x / 1 GB)");
  EXPECT_TRUE(where(*why.formula).starts_with("x = bytes · 2 · (n - 1) / n, ")) << where(*why.formula);
  EXPECT_TRUE(evaluated(*why.formula).ends_with(" = 11.79 ms")) << evaluated(*why.formula);
  bool sample = false, card = false;
  for (const auto& [name, number] : why.constants) {
    sample |= name == "b = all_reduce of 8 ranks, b" && number->value == 229.7e9;
    card |= name == "efficiency = nic_efficiency" && number->value == .95;
  }
  EXPECT_TRUE(sample && card);
}

// ---- laws (docs/cost-model.md, section 7) --------------------------------------

TEST_F(CostCollectives, MoreBandwidthNeverSlows) {
  for (CollectiveKind kind :
       {CollectiveKind::AllReduce, CollectiveKind::AllGather, CollectiveKind::ReduceScatter, CollectiveKind::AllToAll})
    for (const Axes& axes : {Axes{{"g", 8}}, Axes{{"g", 16}}, Axes{{"tp", 4}, {"g", 16}}, Axes{{"tp", 8}, {"g", 8}}})
      for (double bytes : {1e3, 1e6, 1e9}) {
        int64_t devices = 1;
        for (const auto& [name, size] : axes) devices *= size;
        Builder slow(std::max<int64_t>(1, devices / 8), axes), fast(std::max<int64_t>(1, devices / 8), axes);
        edit(fast.plan.cluster).levels[1].set(LevelFact::Bandwidth, number(40e9));
        for (auto* s :
             {&edit(fast.plan.cluster).levels[0].fabric.allReduce, &edit(fast.plan.cluster).levels[0].fabric.allGather})
          for (auto& row : s->rows) row.b *= 1.5;
        auto time = [&](Builder& b) {
          return b.model(diagnostics)
              ->price(b.program, b.collective({}, kind, CollectiveClass::Activation, b.axis("g"), bytes))
              .seconds;
        };
        EXPECT_LE(time(fast), time(slow)) << ir::name(kind) << " " << bytes;
      }
}

TEST_F(CostCollectives, MoreBytesNeverTakeLess) {
  for (CollectiveKind kind : {CollectiveKind::AllReduce, CollectiveKind::AllGather, CollectiveKind::AllToAll})
    for (const Axes& axes : {Axes{{"g", 8}}, Axes{{"g", 64}}}) {
      double last = 0;
      for (double bytes = 1; bytes < 1e11; bytes *= 3) {
        const double t = price(kind, axes, bytes);
        EXPECT_GT(t, last);
        last = t;
      }
    }
}

} // namespace
} // namespace planc::cost::test
