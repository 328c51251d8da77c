// State collectives along a chain of instances: the steady state of FSDP, folding, prefetch and blocking shares.
// SPDX-License-Identifier: Apache-2.0
#include "Fixtures.h"
#include "KeptSlices.h"
#include "backends/cost/simulate/StagePass.h"
#include "ir/facts/StackFacts.h"
#include "ir/program/CollectiveNodes.h"

#include <gtest/gtest.h>
#include <numeric>
#include <tuple>

namespace planc::cost::test {
namespace {

using namespace ir;

/// `count` instances of `forward` and `backward` seconds whose states take `gather` and `reduce` seconds on the wire.
struct Fsdp {
  Builder b{8, {{"dp", 64}}};
  std::vector<ClassCost> costs;
  int64_t count;

  Fsdp(int64_t instances, double forward, double backward, double gather, double reduce, double slowdown,
       double blockingShare = 0)
      : count(instances) {
    const LayerClassId id = b.unit("layer", count, true);
    LayerClass& layerClass = b.body(id);
    const OpId op = b.op("work", OpKind::Memory, "work");
    layerClass.forward.edit() = {b.lasting(op, forward)};
    layerClass.backward.edit() = {b.lasting(op, backward, true)};
    layerClass.states.edit() = {
        b.state(CollectiveKind::AllGather, CollectiveClass::State, Phase::Forward, b.axis("dp"), 1e9),
        b.state(CollectiveKind::AllGather, CollectiveClass::State, Phase::Backward, b.axis("dp"), 1e9),
        b.state(CollectiveKind::ReduceScatter, CollectiveClass::Gradient, Phase::Backward, b.axis("dp"), 1e9)};
    b.stages(1, 1, {{count}});
    b.schedule.slowdown = slowdown;
    b.schedule.blockingShare[static_cast<size_t>(CollectiveClass::State)] = blockingShare;
    b.schedule.blockingShare[static_cast<size_t>(CollectiveClass::Gradient)] = blockingShare;
    b.finish();
    DiagnosticEngine diagnostics;
    costs = b.classCosts(diagnostics);
    costs[0].states = {gather, gather, reduce};
  }
  StagePass run(bool backward) const { return runStagePass(b.schedule, costs, b.program.kindOf(0), backward); }
};

double steady(double c, double comm, double slowdown) {
  return std::max(c + slowdown * std::min(c, comm), comm);
}

TEST(CostStagePass, SteadyStateOfFsdp) {
  for (double c : {.2, .8, .95, 1., 1.3, 3.})
    for (double slowdown : {0., .3}) {
      const Fsdp f(200, c, 2 * c, 1, .7, slowdown);
      EXPECT_NEAR(f.run(false).seconds / (200 * steady(c, 1, slowdown)), 1, .01) << c << " " << slowdown;
      EXPECT_NEAR(f.run(true).seconds / (200 * steady(2 * c, 1.7, slowdown)), 1, .01) << c << " " << slowdown;
    }
}

TEST(CostStagePass, AnObserverIsToldTheTasks) {
  const Fsdp f(4, 1, 2, .5, .7, 0);
  for (const bool backward : {false, true}) {
    KeptSlices slices;
    observeStagePass(f.b.schedule, f.costs, f.b.program.kindOf(0),
                     backward ? ActionKind::Backward : ActionKind::Forward, slices);
    EXPECT_FALSE(slices.overlaps());
    EXPECT_NEAR(slices.spentAs(SliceKind::Task), 4 * (backward ? 2 : 1), 1e-9);
    const StagePass pass = f.run(backward);
    EXPECT_LE(slices.end(), pass.seconds + 1e-9);
    EXPECT_NEAR(slices.spentAs(SliceKind::Task) + slices.spentAs(SliceKind::Waits), pass.seconds, 1e-9);
    EXPECT_NEAR(slices.spent.back().end, pass.seconds, 1e-9);
    double gathers = 0, reductions = 0;
    for (const Slice& s : slices.all) {
      EXPECT_EQ(s.layerClass, 0);
      EXPECT_EQ(s.action, backward ? ActionKind::Backward : ActionKind::Forward);
      (s.state == 2 ? reductions : gathers) += s.state >= 0 ? s.end - s.begin : 0;
    }
    EXPECT_NEAR(gathers, 4 * .5, 1e-9);
    EXPECT_NEAR(reductions, backward ? 4 * .7 - pass.tail : 0, 1e-9);
  }
}

TEST(CostStagePass, TheHostLaunchesWhileTheDeviceWaits) {
  for (const auto& [c, gather, slowdown] : {std::tuple{1., .4, .3}, {1., 1., .3}, {1., 2., 0.}, {2., 1., .5}}) {
    const double host = 1.5;
    Fsdp f(200, c, 2 * c, gather, 0, slowdown);
    SegmentCost& cost = f.costs[0].forward.edit();
    cost.padding = std::max(0., host - c);
    cost.seconds += cost.padding;
    cost.nodes[0].spent.launches = cost.padding;
    const StagePass out = f.run(false);
    EXPECT_NEAR(out.seconds / (200 * std::max(host, steady(c, gather, slowdown))), 1, .01) << c << " " << gather;
    EXPECT_NEAR(out.account.sum().sum(), out.seconds, 1e-9 * out.seconds);
    EXPECT_NEAR(out.account.sum().computing, 200 * c, 1e-9 * out.seconds);
    const double waits = std::max(0., host - steady(c, gather, slowdown));
    EXPECT_NEAR(out.account.sum().launches, 200 * waits, .01 * out.seconds) << c << " " << gather;
  }
}

TEST(CostStagePass, FirstGatherAndLastReductionAreExposed) {
  const Fsdp f(6, 2, 4, 1, .7, 0);
  EXPECT_NEAR(f.run(false).seconds, 1 + 6 * 2, 1e-9);
  EXPECT_NEAR(f.run(false).tail, 0, 1e-9);
  EXPECT_NEAR(f.run(true).seconds, 1 + 6 * 4, 1e-9);
  EXPECT_NEAR(f.run(true).tail, .7, 1e-9);
  const std::vector<double> states = f.run(false).account.find(LayerClassId(0))->states;
  EXPECT_NEAR(std::accumulate(states.begin(), states.end(), 0.), 1, 1e-9);
}

double exposed(const StagePass& p) {
  return p.account.exposedStates();
}

// Exposed is what a pass takes beyond its slowed compute: with equal layers the first gather, and of each further one
// what its predecessor does not hide, max(c + k·min(c, ag), ag) - (c + k·min(c, ag)).
TEST(CostStagePass, Zero3ExposesWhatComputeDoesNotHide) {
  const int64_t n = 12;
  for (double c : {.2, .7, 1.5, 4.}) {
    const Fsdp f(n, c, 2 * c, 1, .7, 0);
    const double forward = 1 + (n - 1) * std::max(0., 1 - c);
    EXPECT_NEAR(f.run(false).seconds, n * c + forward, 1e-9) << c;
    EXPECT_NEAR(exposed(f.run(false)), forward, 1e-9) << c;
  }
  for (double slowdown : {.1, .3}) { // compute hides all: only the first, and the slowdown while the others run
    const Fsdp f(n, 4, 8, 1, .7, slowdown);
    EXPECT_NEAR(f.run(false).seconds, 1 + n * 4 + slowdown * (n - 1) * 1, 1e-9);
    EXPECT_NEAR(exposed(f.run(false)), 1, 1e-9);
  }
}

// ZeRO-2 reduces in every backward pass and gathers nothing: the last reduction follows the pass.
TEST(CostStagePass, Zero2ExposesTheLastReduction) {
  for (double b : {.5, 2.}) {
    Fsdp f(12, 1, b, 0, .8, 0);
    const StagePass backward = f.run(true);
    EXPECT_NEAR(f.run(false).seconds, 12, 1e-9);
    EXPECT_NEAR(backward.seconds, 12 * b, 1e-9); // nothing waits for a reduction but the optimizer
    EXPECT_NEAR(backward.seconds + backward.tail, b + 11 * std::max(b, .8) + .8, 1e-9);
  }
}

// ZeRO-1 communicates once per step: no pass of a micro-batch sees it.
TEST(CostStagePass, Zero1LeavesThePassesAlone) {
  Fsdp f(12, 1, 2, 1, .8, .3);
  for (StateCollective& s : f.b.body(LayerClassId(0)).states.edit()) s.phase = Phase::Step;
  for (bool backward : {false, true}) {
    EXPECT_FALSE(f.run(backward).communicates);
    EXPECT_NEAR(f.run(backward).seconds, backward ? 24 : 12, 1e-9);
    EXPECT_NEAR(exposed(f.run(backward)), 0, 1e-12);
  }
}

// HSDP: inside as ZeRO-3; the all-reduce across replicas is the step's.
TEST(CostStagePass, HsdpIsZero3Inside) {
  const Fsdp inside(12, .7, 1.4, 1, .8, .3);
  Fsdp hsdp(12, .7, 1.4, 1, .8, .3);
  auto& states = hsdp.b.body(LayerClassId(0)).states.edit();
  states.push_back(states.back());
  states.back().collective = CollectiveKind::AllReduce;
  states.back().phase = Phase::Step;
  hsdp.costs[0].states.push_back(50);
  for (bool backward : {false, true}) {
    EXPECT_NEAR(hsdp.run(backward).seconds, inside.run(backward).seconds, 1e-12);
    EXPECT_NEAR(hsdp.run(backward).tail, inside.run(backward).tail, 1e-12);
    EXPECT_NEAR(exposed(hsdp.run(backward)), exposed(inside.run(backward)), 1e-12);
  }
}

TEST(CostStagePass, FoldedRunsEqualUnrolledOnes) {
  // The same chain as many runs of one class, each too short to be folded.
  for (double c : {.3, .9, 1.1, 2.5})
    for (double slowdown : {0., .3})
      for (int64_t prefetch : {0, 1, 3})
        for (double share : {0., .1, 1.})
          for (bool backward : {false, true}) {
            Fsdp f(40, c, 1.7 * c, 1, .6, slowdown, share);
            f.b.schedule.prefetch = prefetch;
            const StagePass folded = f.run(backward);
            StageKind& stage = f.b.program.kindOf(0);
            stage.classes.assign(10, {LayerClassId(0), 4});
            const StagePass unrolled = f.run(backward);
            EXPECT_NEAR(folded.seconds / unrolled.seconds, 1, 1e-9)
                << c << " " << slowdown << " " << prefetch << " " << share << " " << backward;
            EXPECT_NEAR(folded.tail, unrolled.tail, 1e-9);
            EXPECT_NEAR(folded.account.sum().sum() / folded.seconds, 1, 1e-9);
            EXPECT_NEAR(unrolled.account.sum().sum() / unrolled.seconds, 1, 1e-9);
            const ClassSpent &a = *folded.account.find(LayerClassId(0)), &b = *unrolled.account.find(LayerClassId(0));
            for (size_t s = 0; s < a.states.size(); ++s) EXPECT_NEAR(a.states[s], b.states[s], 1e-6) << s;
            for (size_t n = 0; n < a.nodes(backward).size(); ++n)
              EXPECT_NEAR(a.nodes(backward)[n].slowed, b.nodes(backward)[n].slowed, 1e-6) << n;
            EXPECT_NEAR(folded.running.sum().sum(), folded.tail, 1e-9);
          }
}

TEST(CostStagePass, InlineStatesAddUp) {
  const Fsdp f(12, 2, 4, 1, .7, .3, 1);
  EXPECT_NEAR(f.run(false).seconds, 12 * (2 + 1), 1e-9);
  EXPECT_NEAR(f.run(true).seconds, 12 * (4 + 1.7), 1e-9);
}

TEST(CostStagePass, WithoutPrefetchEveryGatherIsExposed) {
  Fsdp f(12, 2, 4, 1, .7, 0);
  f.b.schedule.prefetch = 0;
  EXPECT_NEAR(f.run(false).seconds, 12 * 3, 1e-9);
}

TEST(CostStagePass, DeepModelsCostNoMoreThanShallowOnes) {
  const Fsdp f(1'000'000, 2, 4, 1, .7, .3);
  EXPECT_NEAR(f.run(false).seconds / (1e6 * steady(2, 1, .3)), 1, 1e-5); // at once: folded
}

TEST(CostStagePass, BucketsOfOneSizePayTheirLatency) {
  Fsdp f(4, 2, 4, 1, 1, 0);
  f.b.schedule.bucketBytes = 1e8; // ten buckets
  DiagnosticEngine diagnostics;
  const auto model = f.b.model(diagnostics);
  const auto costs = f.b.classCosts(diagnostics);
  Node one = collectiveNode(f.b.program.classes[LayerClassId(0)].states[0]);
  one.collective().bytes = 1e8;
  EXPECT_NEAR(costs[0].states[0], 10 * model->price(f.b.program, one).seconds, 1e-12);
}

TEST(CostStagePass, SmallInstancesShareBuckets) {
  Fsdp f(10, 2, 4, 1, 1, 0);
  f.b.schedule.bucketBytes = 4.5e9; // ten instances of 1 GB: three messages of 3.33 GB
  DiagnosticEngine diagnostics;
  const auto model = f.b.model(diagnostics);
  const auto costs = f.b.classCosts(diagnostics);
  const auto& states = f.b.program.classes[LayerClassId(0)].states;
  Node shared = collectiveNode(states[2]), alone = collectiveNode(states[0]);
  shared.collective().bytes = 10e9 / 3;
  EXPECT_NEAR(costs[0].states[2], model->price(f.b.program, shared).seconds * .3, 1e-12);
  EXPECT_LT(costs[0].states[2], model->price(f.b.program, collectiveNode(states[2])).seconds);
  EXPECT_NEAR(costs[0].states[0], model->price(f.b.program, alone).seconds, 1e-12); // a layer waits for its own gather
  f.b.schedule.bucketBytes = 1e12;                                                  // no more than there are
  shared.collective().bytes = 10e9;
  EXPECT_NEAR(f.b.classCosts(diagnostics)[0].states[2], model->price(f.b.program, shared).seconds / 10, 1e-12);
}

TEST(CostStagePass, NeighboursShareBucketsWhicheverClassesTheyBelongTo) {
  DiagnosticEngine diagnostics;
  Fsdp folded(10, 2, 4, 1, 1, 0);
  folded.b.schedule.bucketBytes = 4.5e9;
  Fsdp written(1, 2, 4, 1, 1, 0);
  std::vector<std::vector<int64_t>> pieces = {{1}};
  for (int i = 1; i < 10; ++i) {
    const LayerClassId id = written.b.unit("layer" + std::to_string(i), 1, true);
    written.b.op("work", OpKind::Memory, "work");
    written.b.body(id).states = written.b.body(LayerClassId(0)).states;
    pieces[0].push_back(1);
  }
  written.b.schedule.bucketBytes = 4.5e9;
  written.b.stages(1, 1, pieces);
  written.b.finish();
  const double each = folded.b.classCosts(diagnostics)[0].states[2];
  for (const ClassCost& cost : written.b.classCosts(diagnostics)) EXPECT_NEAR(cost.states[2], each, 1e-12);
}

/// Six layers of 1 GB in messages of at most 1.5 GB: four, of which the second, third, fifth and sixth layer complete
/// one.
TEST(CostStagePass, AMessageLeavesWhenItIsFull) {
  for (const auto& [each, end] : {std::pair{1., 24 + 1.5}, {8., 8 + 4 * 12.}}) { // seconds of a layer; hidden, or not
    Fsdp f(6, 2, 4, 0, each, 0);
    f.b.schedule.bucketBytes = 1.5e9;
    EXPECT_NEAR(f.run(true).seconds, 24, 1e-9);
    EXPECT_NEAR(f.run(true).seconds + f.run(true).tail, end, 1e-9);
  }
}

/// Reductions once per step are those of the last pass: as if every pass had them. Of a backward pass that is split in
/// two they follow the gradients of parameters.
TEST(CostStagePass, TheLastPassReducesAsOneThatAlwaysDoes) {
  for (const double bucket : {0., 1.5e9, 100e9})
    for (const double slowdown : {0., .3})
      for (const double each : {.5, 8.}) {
        Fsdp always(6, 2, 4, .7, each, slowdown), once(6, 2, 4, .7, each, slowdown);
        for (Fsdp* f : {&always, &once}) f->b.schedule.bucketBytes = bucket;
        once.b.body(LayerClassId(0)).states.edit()[2].phase = Phase::Step;
        const StagePass every = always.run(true);
        const StagePass last = runLastPass(once.b.schedule, once.costs, once.b.program.kindOf(0), false);
        EXPECT_NEAR(last.seconds, every.seconds, 1e-9) << bucket << " " << each;
        EXPECT_NEAR(last.tail, every.tail, 1e-9) << bucket << " " << each;
        EXPECT_NEAR(exposed(last), exposed(every), 1e-9) << bucket << " " << each;
        EXPECT_LE(once.run(true).seconds, last.seconds + 1e-9);
        EXPECT_EQ(once.run(true).tail, 0);
      }
  Fsdp f(6, 2, 4, .7, 1, 0);
  f.b.body(LayerClassId(0)).states.edit()[2].phase = Phase::Step;
  HalfCosts halves;
  halves.second.seconds = 1.5;
  f.costs[0].halves = std::make_shared<const HalfCosts>(halves);
  const StagePass weights = runLastPass(f.b.schedule, f.costs, f.b.program.kindOf(0), true);
  EXPECT_NEAR(weights.seconds, 6 * 1.5, 1e-9);
  EXPECT_NEAR(weights.tail, 1, 1e-9);
  EXPECT_NEAR(weights.account.sum().sum(), 0, 1e-9); // nothing but what reductions add
}

/// What the first half leaves on the port runs beside the second: gathers and reductions of a half are no shorter for
/// kernels that run later.
TEST(CostStagePass, StatesMoveWithTheFirstHalf) {
  for (const double weight : {.5, 2., 5.}) {
    Fsdp f(6, 2, 4, .7, 1, 0);
    HalfCosts halves;
    halves.first.seconds = halves.first.computing = 4 - .5;
    halves.second.seconds = weight;
    f.costs[0].halves = std::make_shared<const HalfCosts>(halves);
    f.costs[0].backward.edit().seconds = f.costs[0].backward.edit().computing = 4 - .5;
    const StagePass alone = f.run(true);
    const HalfPasses both = runHalves(f.b.schedule, f.costs, f.b.program.kindOf(0));
    EXPECT_NEAR(both.first.seconds, alone.seconds, 1e-9);
    EXPECT_NEAR(both.first.tail, alone.tail, 1e-9);
    EXPECT_GT(both.first.tail, 0);
    EXPECT_NEAR(both.second.seconds, 6 * weight, 1e-9);
    EXPECT_FALSE(both.second.communicates);
  }
}

/// Five layers in an instance: one gather before the first is exposed, not those of all five.
TEST(CostStagePass, LayersOfANestedRepeatAreGatheredOneByOne) {
  for (bool backward : {false, true}) {
    Fsdp flat(30, 2, 4, 1, .7, .2), nested(6, 10, 20, 5, 3.5, .2);
    for (StateCollective& s : nested.b.body(LayerClassId(0)).states.edit()) s.times = 5;
    const StagePass one = nested.run(backward), other = flat.run(backward);
    EXPECT_NEAR(one.seconds, other.seconds, 1e-9);
    EXPECT_NEAR(one.tail, other.tail, 1e-9);
    EXPECT_NEAR(exposed(one), exposed(other), 1e-9);
  }
}

/// The same where computing loses to communication beside it: a layer loses its own share, not that of the instance.
TEST(CostStagePass, LayersOfANestedRepeatLoseTheirOwnShare) {
  Fsdp flat(30, 1, 2, 1.3, 0, .5), nested(6, 5, 10, 6.5, 0, .5);
  for (StateCollective& s : nested.b.body(LayerClassId(0)).states.edit()) s.times = 5;
  EXPECT_NEAR(nested.run(false).seconds, flat.run(false).seconds, 1e-9);
  EXPECT_NEAR(flat.run(false).seconds, 1.3 + 30 * 1 + 29 * .5, 1e-9);
}

TEST(CostStagePass, OfAPartlyInlineReductionTheRestRunsOn) {
  const Fsdp f(1, 2, 4, 0, 1, 0, .25);
  EXPECT_NEAR(f.run(true).seconds, 4 + .25, 1e-9);
  EXPECT_NEAR(f.run(true).seconds + f.run(true).tail, 4 + 1, 1e-9); // the port carries one after the other
}

TEST(CostStagePass, WhatLeavesForTheHostFollowsItsInstance) {
  Fsdp f(1, 2, 4, 0, 0, 0);
  StateCollective copy = f.b.state(CollectiveKind::HostCopy, CollectiveClass::Offload, Phase::Forward, 0, 1e9);
  copy.level = f.b.program.mesh.levelNames.size();
  f.b.body(LayerClassId(0)).states.edit() = {copy};
  f.costs[0].states = {1};
  f.b.schedule.blockingShare[static_cast<size_t>(CollectiveClass::Offload)] = 0;
  f.b.body(LayerClassId(0)).states.edit()[0].out = true;
  EXPECT_NEAR(f.run(false).seconds, 2, 1e-9);
  EXPECT_NEAR(f.run(false).tail, 1, 1e-9);
  f.b.body(LayerClassId(0)).states.edit()[0].out = false; // what comes from there is waited for
  EXPECT_NEAR(f.run(false).seconds, 1 + 2, 1e-9);
  EXPECT_NEAR(f.run(false).tail, 0, 1e-9);
}

TEST(CostStagePass, KnowsItsLastLayer) {
  Fsdp f(2, 1, 2, 0, 0, 0);
  const LayerClassId last = f.b.unit("last", 3, true);
  const OpId op = f.b.op("work", OpKind::Memory, "work");
  f.b.body(last).forward.edit() = {f.b.lasting(op, 3)};
  f.b.body(last).backward.edit() = {f.b.lasting(op, 6, true)};
  f.b.stages(1, 1, {{2, 3}});
  f.b.finish();
  DiagnosticEngine diagnostics;
  f.costs = f.b.classCosts(diagnostics);
  EXPECT_NEAR(f.run(false).last, 3, 1e-9);
  EXPECT_NEAR(f.run(true).last, 2, 1e-9);
}

/// Six layers of 4 s backward, whose gradients are reduced once per step, `share` of it inline, and then taken to the
/// host.
struct Taken : Fsdp {
  Taken(double reduce, double copy, double share) : Fsdp(6, 2, 4, 0, reduce, 0, share) {
    std::vector<StateCollective>& states = b.body(LayerClassId(0)).states.edit();
    StateCollective out = b.state(CollectiveKind::HostCopy, CollectiveClass::Offload, Phase::Step, 0, 1e9);
    out.level = b.program.mesh.levelNames.size();
    out.out = true;
    states = {states[2], out};
    states[0].phase = Phase::Step;
    for (StateCollective& state : states) state.params = {ValueId(0)};
    costs[0].states = {reduce, copy};
    b.schedule.blockingShare[CollectiveClass::Offload] = 0;
  }
  StagePass last() const { return runLastPass(b.schedule, costs, b.program.kindOf(0), false); }
};

/// Reductions that are inline run when the pass has ended, so what takes their sums to the host follows one after the
/// other: no sooner than the first of them and all copies, or all of them and the last copy.
TEST(CostStagePass, TheHostTakesNoSumBeforeItIsMade) {
  for (const auto& [reduce, copy] : {std::pair{.5, 3.}, {1., .25}, {2., 2.}}) {
    const StagePass last = Taken(reduce, copy, 1).last();
    EXPECT_NEAR(last.seconds, 24, 1e-9);
    EXPECT_NEAR(6 * reduce + last.tail, std::max(6 * reduce + copy, reduce + 6 * copy), 1e-9) << reduce;
    EXPECT_NEAR(last.running.exposedStates(), last.tail, 1e-9);
    double before = 0;
    for (const double share : {0., 1e-6, .25, .5, .75, 1 - 1e-6, 1.}) {
      const double end = 6 * reduce * share + Taken(reduce, copy, share).last().tail;
      EXPECT_GE(end, before - 1e-9) << share << " of " << reduce;
      before = end;
    }
    EXPECT_NEAR(Taken(reduce, copy, 1e-6).last().tail, Taken(reduce, copy, 0).last().tail, 1e-4);
    EXPECT_NEAR(Taken(reduce, copy, 1 - 1e-6).last().tail, last.tail, 1e-4);
  }
}

/// The inline share of a later reduction does not go before the rest of an earlier one, for which a copy waits.
TEST(CostStagePass, ReductionsKeepTheirOrderOnAPort) {
  double before = 0;
  for (const double share : {0., .25, .5, .75, .9999, 1.}) {
    Taken f(4, 4, share);
    for (StateCollective& state : f.b.body(LayerClassId(0)).states.edit()) state.phase = Phase::Backward;
    f.costs[0].backward.edit().seconds = f.costs[0].backward.edit().computing = 1;
    const StagePass pass = f.run(true);
    EXPECT_GE(pass.seconds + pass.tail, before - 1e-9) << share;
    EXPECT_LE(pass.seconds + pass.tail, 6 * 1 + 6 * 4 + 4 + 1e-3) << share;
    before = pass.seconds + pass.tail;
  }
}

/// Which reductions come before a copy is a matter of its layer, whichever layer the pass meets first.
TEST(CostStagePass, EveryLayerTellsWhatComesBeforeItsCopies) {
  Taken f(.5, 3, 1);
  const LayerClassId head = f.b.unit("head", 1, true);
  f.b.body(head).forward.edit() = f.b.body(LayerClassId(0)).forward;
  f.b.body(head).backward.edit() = f.b.body(LayerClassId(0)).backward;
  f.b.body(head).states.edit() = {f.b.body(LayerClassId(0)).states[1]};
  f.b.stages(1, 1, {{6, 1}});
  f.b.finish();
  f.costs.push_back(f.costs[0]);
  f.costs[1].states = {3};
  EXPECT_NEAR(f.last().tail, .5 + 6 * 3 - 6 * .5, 1e-9);
}

/// Layers that skip take their copies after the pass, too.
TEST(CostStagePass, ManyLayersLeaveTheHostAsMuch) {
  Taken f(.5, 5, 1);
  f.count = 300;
  f.b.stages(1, 1, {{300}});
  f.b.finish();
  EXPECT_NEAR(f.last().tail, .5 + 300 * 5 - 300 * .5, 4 * (5 + .5));
}

/// A collective of a layer takes the port at its place, not with all others when the layer has computed: the first
/// layer's reduction waits for the first collective of the second, and the copies wait for it.
TEST(CostStagePass, WhatIsInlineHasItsPlaceWhereStatesShareItsPort) {
  const double reduce = .1, copy = 9;
  Taken f(reduce, copy, 0);
  LayerClass& layer = f.b.body(LayerClassId(0));
  const Node work = layer.backward[0];
  const Node sum = f.b.collective(work.op, CollectiveKind::AllReduce, CollectiveClass::Activation, f.b.axis("dp"), 1e9);
  layer.backward.edit() = {sum, work, sum};
  f.b.schedule.blockingShare[CollectiveClass::Activation] = 1;
  f.count = 2;
  f.b.stages(1, 1, {{2}});
  f.b.finish();
  DiagnosticEngine diagnostics;
  f.costs = f.b.classCosts(diagnostics);
  f.costs[0].states = {reduce, copy};
  const double inlined = f.costs[0].backward->nodes[0].seconds, computing = f.costs[0].backward->nodes[1].seconds;
  ASSERT_LT(reduce, computing);
  EXPECT_NEAR(f.last().seconds, 2 * (2 * inlined + computing), 1e-9);
  EXPECT_NEAR(f.last().seconds + f.last().tail, 2 * inlined + computing + inlined + reduce + 2 * copy, 1e-9);
}

} // namespace
} // namespace planc::cost::test
