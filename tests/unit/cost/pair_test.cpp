// A forward and a backward pass together: communication of each beside the computing of the other, within what both
// need.
// SPDX-License-Identifier: Apache-2.0
#include "Fixtures.h"
#include "KeptSlices.h"
#include "backends/cost/simulate/Pair.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace planc::cost::test {
namespace {

using namespace ir;

/// `count` layers that compute, exchange, and compute what depends on the exchange, in both directions.
struct Exchanging {
  Builder b{8, {{"ep", 64}}};
  std::vector<ClassCost> costs;
  StagePass forward, backward;

  Exchanging(int64_t count, double computes, double exchanges, CollectiveClass cls = CollectiveClass::Exchange) {
    const LayerClassId id = b.unit("layer", count, true);
    const OpId op = b.op("work", OpKind::Memory, "work");
    for (const bool back : {false, true}) {
      auto& nodes = (back ? b.body(id).backward : b.body(id).forward).edit();
      nodes = {b.lasting(op, 1, back), b.collective(op, CollectiveKind::AllToAll, cls, b.axis("ep"), 1e9),
               b.lasting(op, 1, back)};
      nodes[1].deps = {0};
      nodes[2].deps = {1};
    }
    b.stages(1, 1, {{count}});
    b.finish();
    DiagnosticEngine diagnostics;
    costs = b.classCosts(diagnostics);
    for (SegmentCost* cost : {&costs[0].forward.edit(), &costs[0].backward.edit()}) {
      cost->nodes[0].seconds = cost->nodes[2].seconds = computes;
      cost->nodes[1].seconds = exchanges;
      cost->seconds = 2 * computes + exchanges;
      cost->nodes[0].spent = cost->nodes[2].spent = {computes, 0, 0, 0};
      cost->nodes[1].spent = {0, 0, exchanges, 0};
      cost->host = 0;
    }
    forward = runStagePass(b.schedule, costs, b.program.kindOf(0), false);
    backward = runStagePass(b.schedule, costs, b.program.kindOf(0), true);
  }
  double apart() const { return forward.seconds + backward.seconds; }
  Pair pair(Strides strides = Strides::Taken) const {
    const StageKind& stage = b.program.kindOf(0);
    const Pair ran = runPair(b.schedule, costs, stage, forward, stage, backward, strides);
    EXPECT_NEAR(ran.account.sum().sum(), ran.cost.seconds, 1e-9 * std::max(1.0, ran.cost.seconds));
    for (const bool backwardPass : {false, true})
      EXPECT_LE(ran.account.find(LayerClassId(0))->nodes(backwardPass)[1].exposed,
                costs[0].of(backwardPass).nodes[1].seconds *
                        static_cast<double>(b.program.kindOf(0).classes[0].second) +
                    1e-9);
    return ran;
  }
  double together() const { return pair().cost.seconds; }
};

TEST(CostPair, ComputingHidesTheExchangeOfTheOther) {
  // Each layer: 2 + 2 of computing and 1 + 1 of exchange; only the ends of the pass find nothing to hide under.
  const Exchanging e(10, 1, 1);
  EXPECT_NEAR(e.apart(), 60, 1e-9);
  EXPECT_NEAR(e.together(), 40, 1 + 1e-9);
}

TEST(CostPair, AnObserverIsToldTheTasksOfBothPasses) {
  const Exchanging e(10, 1, 1);
  KeptSlices slices;
  observePair(e.b.schedule, e.costs, e.b.program.kindOf(0), e.b.program.kindOf(0), slices);
  EXPECT_FALSE(slices.overlaps());
  EXPECT_EQ(slices.all.size(), 2u * 10 * 3);
  EXPECT_NEAR(slices.seconds(0), 2 * 10 * 2, 1e-9);
  EXPECT_NEAR(slices.end(), e.together(), 1e-9);
  EXPECT_NEAR(slices.spentAs(SliceKind::Task), 2 * 10 * 2, 1e-9);
  EXPECT_NEAR(slices.spentAs(SliceKind::Waits), e.together() - 2 * 10 * 2, 1e-9);
}

TEST(CostPair, LiesBetweenItsBounds) {
  for (int64_t count : {1, 3, 8})
    for (double computes : {.2, 1., 2.5})
      for (double exchanges : {0., .5, 3.}) {
        const Exchanging e(count, computes, exchanges);
        const double n = static_cast<double>(count);
        EXPECT_LE(e.together(), e.apart() + 1e-9);
        EXPECT_GE(e.together(), n * std::max(4 * computes, 2 * exchanges) - 1e-9); // either stream
        EXPECT_GE(e.together(), n * (2 * computes + exchanges) - 1e-9);            // either pass
      }
}

/// Gathers of states take turns with the exchanges of both passes.
TEST(CostPair, IsNoShorterThanItsBusiestPort) {
  Exchanging e(6, .1, .5);
  const AxisMask ep = e.b.axis("ep");
  e.b.body(LayerClassId(0)).states.edit() = {
      e.b.state(CollectiveKind::AllGather, CollectiveClass::State, Phase::Forward, ep, 1e9),
      e.b.state(CollectiveKind::AllGather, CollectiveClass::State, Phase::Backward, ep, 1e9)};
  e.costs[0].states = {2, 3};
  e.b.schedule.blockingShare[CollectiveClass::State] = 0;
  const StageKind& stage = e.b.program.kindOf(0);
  const StagePass forward = runStagePass(e.b.schedule, e.costs, stage, false),
                  backward = runStagePass(e.b.schedule, e.costs, stage, true);
  const Pair ran = runPair(e.b.schedule, e.costs, stage, forward, stage, backward);
  EXPECT_NEAR(ran.cost.seconds, std::min(6 * (2 * .5 + 2 + 3), forward.seconds + backward.seconds), 1e-9);
  EXPECT_LT(6 * (2 * .5 + 2 + 3), forward.seconds + backward.seconds);
}

TEST(CostPair, StatisticsStandInsideTheirOperator) {
  const Exchanging e(4, 1, 1, CollectiveClass::Statistic);
  EXPECT_NEAR(e.together(), e.apart(), 1e-9);
}

TEST(CostPair, CommunicationSlowsTheComputingBesideIt) {
  Exchanging e(10, 1, 1);
  const double free = e.together();
  e.b.schedule.slowdown = .1;
  EXPECT_NEAR(e.together(), free + .1 * (60 - free), 1e-9); // what runs at the same time
  e.b.schedule.besides = {.5, .5};
  EXPECT_NEAR(e.together(), free + .05 * (60 - free), 1e-9);
}

TEST(CostPair, ResultsLeaveWhenTheyAreMade) {
  const Exchanging e(10, 1, 1);
  const PairCost pair = e.pair().cost;
  EXPECT_GE(std::min(pair.forward, pair.backward), 30 - 1e-9); // neither is faster than alone
  EXPECT_NEAR(std::max(pair.forward, pair.backward), pair.seconds, 1e-9);
}

TEST(CostPair, PeriodsThatAreLeftOutCountAsIfTheyRan) {
  std::mt19937 random(5);
  const auto seconds = [&] { return std::uniform_int_distribution<>(0, 12)(random) * .25 + .01; };
  for (int i = 0; i < 300; ++i) {
    Exchanging e(std::uniform_int_distribution<int64_t>(9, 300)(random), 1, 1);
    for (SegmentCost* cost : {&e.costs[0].forward.edit(), &e.costs[0].backward.edit()}) {
      cost->seconds = 0;
      for (size_t n = 0; n < 3; ++n) {
        const double s = cost->nodes[n].seconds = seconds();
        cost->nodes[n].spent = {n == 1 ? 0 : s, 0, n == 1 ? s : 0, 0};
        cost->seconds += s;
      }
    }
    e.forward = runStagePass(e.b.schedule, e.costs, e.b.program.kindOf(0), false);
    e.backward = runStagePass(e.b.schedule, e.costs, e.b.program.kindOf(0), true);
    const Pair left = e.pair(), ran = e.pair(Strides::Off);
    const double rounding = 1e-9 * ran.cost.seconds;
    EXPECT_NEAR(left.cost.seconds, ran.cost.seconds, rounding) << i;
    EXPECT_NEAR(left.cost.forward, ran.cost.forward, rounding) << i;
    EXPECT_NEAR(left.cost.backward, ran.cost.backward, rounding) << i;
    for (const bool back : {false, true})
      for (size_t n = 0; n < 3; ++n) {
        const Spent &a = left.account.find(LayerClassId(0))->nodes(back)[n],
                    &b = ran.account.find(LayerClassId(0))->nodes(back)[n];
        EXPECT_NEAR(a.computing, b.computing, rounding) << i;
        EXPECT_NEAR(a.exposed, b.exposed, rounding) << i;
      }
  }
}

TEST(CostPair, ManyLayersTakeNoLonger) {
  const Exchanging e(48'000'000, 1, 1);
  EXPECT_NEAR(e.together(), 4 * 48e6, 2);
}

TEST(CostPair, TheHostStillLaunchesBoth) {
  Exchanging e(10, 1, 1);
  e.costs[0].forward.edit().host = 3, e.costs[0].backward.edit().host = 2;
  EXPECT_NEAR(e.together(), 50, 1e-9);
}

/// Kernels of both are launched in turn: the pass with fewer of them is through when the host has launched as many of
/// the other. What the device does meanwhile, in whichever order, moves neither result.
TEST(CostPair, TheHostSaysWhenTheResultsOfAPairThatItBoundsAreMade) {
  for (const double exchanges : {.1, 1., 3.}) {
    Exchanging e(10, 1, exchanges);
    e.costs[0].forward.edit().host = 7, e.costs[0].backward.edit().host = 9;
    for (SegmentCost* cost : {&e.costs[0].forward.edit(), &e.costs[0].backward.edit()}) cost->seconds = 20;
    e.forward = runStagePass(e.b.schedule, e.costs, e.b.program.kindOf(0), false, false);
    e.backward = runStagePass(e.b.schedule, e.costs, e.b.program.kindOf(0), true, false);
    const PairCost pair = e.pair().cost;
    EXPECT_NEAR(pair.seconds, 160, 1e-9);
    EXPECT_NEAR(pair.forward, 140, 1e-9);
    EXPECT_NEAR(pair.backward, 160, 1e-9);
  }
}

} // namespace
} // namespace planc::cost::test
