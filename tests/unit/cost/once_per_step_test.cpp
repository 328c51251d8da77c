// What happens once per step: buckets of gathers and reductions, tied parameters, and stages that are all alike.
// SPDX-License-Identifier: Apache-2.0
#include "Fixtures.h"
#include "backends/cost/simulate/Simulation.h"
#include "ir/program/CollectiveNodes.h"

#include <gtest/gtest.h>

namespace planc::cost::test {
namespace {

using namespace ir;

/// Layers whose gradients are reduced and whose parameters are gathered once per step, beside other work.
struct Step : Builder {
  DiagnosticEngine diagnostics;

  Step() : Builder(8, {{"dp", 64}}) { schedule.blockingShare.fill(0); }

  LayerClassId layers(const std::string& name, int64_t count, double bytes, int64_t times = 1) {
    const LayerClassId id = unit(name, count, true);
    const OpId work = op("work", OpKind::Memory, "work");
    body(id).forward.edit() = {lasting(work, .01)};
    body(id).backward.edit() = {lasting(work, .02, true)};
    body(id).states.edit() = {
        state(CollectiveKind::ReduceScatter, CollectiveClass::Gradient, Phase::Step, axis("dp"), bytes),
        state(CollectiveKind::AllGather, CollectiveClass::State, Phase::Step, axis("dp"), bytes)};
    for (StateCollective& s : body(id).states.edit()) s.times = times;
    return id;
  }
  double price(double bytes, CollectiveKind kind = CollectiveKind::ReduceScatter) {
    return model(diagnostics)
        ->price(program, collective({}, kind, CollectiveClass::Gradient, axis("dp"), bytes))
        .seconds;
  }
  Simulation run() {
    finish();
    return simulated(diagnostics);
  }
};

// Buckets of gradients are reduced as backward makes them: the last one is a layer of the first class.
TEST(CostStep, TheLastMessageIsALayerOfTheFirstBody) {
  Step s;
  s.layers("small", 3, 1e8, 5);
  s.layers("large", 2, 4e8);
  s.stages(1, 1, {{3, 2}});
  const VirtualStageCost cost = s.run().pipeline.virtualStages[0];
  EXPECT_NEAR(cost.last.carried, 3 * 5 * s.price(1e8) + 2 * s.price(4e8), 1e-12);
  EXPECT_GE(cost.last.tail, s.price(1e8) - 1e-12);
  const double gather = s.price(1e8, CollectiveKind::AllGather), large = s.price(4e8, CollectiveKind::AllGather);
  EXPECT_NEAR(cost.gathers.total, 3 * 5 * gather + 2 * large, 1e-12);
  EXPECT_NEAR(cost.gathers.wait, gather, 1e-12); // the other layers' arrive while those before them compute
}

// What the layers of a pass communicate over a port comes before the end of the reductions on it, and leaves less room
// for what other passes left there.
TEST(CostStep, LayersTakeThePortOfStates) {
  Step s;
  const LayerClassId id = s.layers("layer", 3, 1e8);
  LayerClass& layer = s.body(id);
  for (auto* list : {&layer.forward, &layer.backward})
    list->edit().push_back(
        s.collective((*list)->front().op, CollectiveKind::AllReduce, CollectiveClass::Activation, s.axis("dp"), 1e8));
  StateCollective every = layer.states->front();
  every.phase = Phase::Backward;
  layer.states.edit().push_back(every);
  s.schedule.blockingShare[CollectiveClass::Activation] = 1;
  s.stages(1, 1, {{3}});
  const Simulation sim = s.run();
  const ClassCost& cost = sim.classes[0];
  const VirtualStageCost& stage = sim.pipeline.virtualStages[0];
  const double sum = cost.backward->nodes[1].seconds, reduction = cost.states[0];
  ASSERT_GT(sum, 0);
  EXPECT_NEAR(stage.last.carried, 3 * (sum + 2 * reduction), 1e-12);
  EXPECT_NEAR(stage.forward.room, stage.forward.seconds - 3 * cost.forward->nodes[1].seconds, 1e-12);
}

// A bucket of the stack's size is filled by what is gathered once per step, too, as on the stage with the most of it.
TEST(CostStep, GathersShareBucketsOfOneSize) {
  Step s;
  s.layers("layer", 10, 1e9);
  s.schedule.bucketBytes = 4.5e9; // ten layers of 1 GB: three messages of 3.33 GB
  s.stages(1, 1, {{10}});
  EXPECT_NEAR(s.run().classes[0].states[1], .3 * s.price(10e9 / 3, CollectiveKind::AllGather), 1e-12);
  Step uneven;
  uneven.layers("layer", 12, 1e9);
  uneven.schedule.bucketBytes = 4.5e9;
  uneven.stages(2, 1, {{10}, {2}});
  EXPECT_NEAR(uneven.run().classes[0].states[0], .3 * uneven.price(10e9 / 3), 1e-12);
}

// No layer begins before its own parameters have arrived, whichever layer of the stage they are the most of.
TEST(CostStep, EveryLayerWaitsForItsOwnParameters) {
  Step s;
  for (const auto& [name, bytes] : {std::pair{"first", 1e8}, {"middle", 90e8}, {"last", 1e8}}) s.layers(name, 1, bytes);
  s.stages(1, 1, {{1, 1, 1}});
  const double small = s.price(1e8, CollectiveKind::AllGather), large = s.price(90e8, CollectiveKind::AllGather);
  ASSERT_GT(large, .01);
  EXPECT_NEAR(s.run().pipeline.virtualStages[0].gathers.wait, small + large - .01, 1e-12);
  Step shared; // both messages hold parts of the third layer, and the last one those of the fifth
  shared.layers("layer", 5, 30e8);
  shared.schedule.bucketBytes = 75e8;
  shared.stages(1, 1, {{5}});
  const double message = shared.price(75e8, CollectiveKind::AllGather);
  ASSERT_GT(message, .02);
  EXPECT_NEAR(shared.run().pipeline.virtualStages[0].gathers.wait, 2 * message - 2 * .01, 1e-12);
  Step many; // equal layers: the last one waits for all
  many.layers("layer", 5000, 30e8);
  many.stages(1, 1, {{5000}});
  const double each = many.price(30e8, CollectiveKind::AllGather);
  EXPECT_NEAR(many.run().pipeline.virtualStages[0].gathers.wait, std::max(each, 5000 * each - 4999 * .01), 1e-9);
}

// A bucket that could hold more layers than a stage has ends with those of the stage.
TEST(CostStep, TheWaitIsNoMoreThanTheStageHas) {
  Step s;
  s.layers("layer", 12, 1e9);
  s.schedule.bucketBytes = 100e9;
  s.stages(2, 1, {{10}, {2}});
  const Simulation sim = s.run();
  for (const VirtualStageCost& cost : sim.pipeline.virtualStages) {
    EXPECT_GT(cost.last.carried, 0);
    EXPECT_NEAR(cost.last.tail, cost.last.carried, 1e-12);
    EXPECT_NEAR(cost.gathers.wait, cost.gathers.total, 1e-12);
  }
}

/// A layer of 10 ms forward and 20 ms backward on each of four stages.
struct FourStages : Builder {
  explicit FourStages(int64_t microBatches) : Builder(4, {{"tp", 8}, {"pp", 4}}) {
    const LayerClassId id = unit("layer", 4, true);
    const OpId work = op("work", OpKind::Memory, "work");
    body(id).forward.edit() = {lasting(work, .01)};
    body(id).backward.edit() = {lasting(work, .02, true)};
    program.microBatches = microBatches;
    stages(4, 1, {{1}, {1}, {1}, {1}});
  }
};

// Sums over stages run one after the other on each device; the device with most of them holds up the step.
TEST(CostStep, TheDeviceWithMostTiedSumsHoldsUpTheStep) {
  FourStages b(4);
  DiagnosticEngine diagnostics;
  b.finish();
  const auto group = [&](std::vector<int64_t> stages, double bytes) {
    StageGroup g;
    g.stages = std::move(stages);
    g.allReduce =
        b.collective({}, CollectiveKind::AllReduce, CollectiveClass::Gradient, b.axis("pp"), bytes).collective();
    return g;
  };
  b.program.stageGroups = {group({0, 1}, 1e8), group({0, 3}, 2e8), group({2, 3}, 1e7)};
  const auto model = b.model(diagnostics);
  const double first = model->price(b.program, sumNode(b.program.stageGroups[0])).seconds,
               second = model->price(b.program, sumNode(b.program.stageGroups[1])).seconds;
  EXPECT_NEAR(b.simulated(diagnostics).tied, first + second, 1e-12);
}

// Equal stages with transfers beside their work idle as long as equal stages do.
TEST(CostStep, EqualStagesAreTheirOwnMean) {
  FourStages b(8);
  DiagnosticEngine diagnostics;
  b.program.stageAxes = b.axis("pp");
  b.schedule.blockingShare.fill(0);
  Value stream;
  stream.path = {Symbol("layer")};
  const ValueId value = b.program.model.edit().values.add(stream);
  for (size_t vs = 0; vs < 3; ++vs) b.program.kindOf(vs).sends = {{value, 1e8, true, 0, {}}};
  const auto e = b.estimate(diagnostics);
  ASSERT_TRUE(e);
  EXPECT_GT(e->totals.bubble, 3 * .03);
  EXPECT_NEAR(e->totals.bubbleEven, e->totals.bubble, 1e-9);
  EXPECT_NEAR(e->totals.imbalance, 0, 1e-9);
}

} // namespace
} // namespace planc::cost::test
