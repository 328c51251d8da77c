// One instance of a layer class: what the host takes to launch it, and what of its collectives is waited for.
// SPDX-License-Identifier: Apache-2.0
#include "Fixtures.h"
#include "backends/cost/simulate/StagePass.h"
#include "ir/facts/StackFacts.h"
#include "ir/program/CollectiveNodes.h"

#include <gtest/gtest.h>
#include <numeric>
#include <tuple>

namespace planc::cost::test {
namespace {

using namespace ir;

TEST(CostSegments, TheHostBoundsInstancesOfRepeats) {
  for (bool repeat : {true, false}) {
    Builder b(1, {{"tp", 8}});
    LayerClass& layerClass = b.body(b.unit("layer", 3, repeat));
    layerClass.forward.edit() = {b.lasting(b.op("norm", OpKind::Memory, "norm"), 10e-6),
                                 b.lasting(b.op("add", OpKind::Memory, "add"), 20e-6)};
    layerClass.forward.edit()[1].times = 3; // a nested repeat
    edit(b.plan.stack).set(StackFact::Launch, number(62e-6));
    b.stages(1, 1, {{3}});
    b.finish();
    DiagnosticEngine diagnostics;
    const ClassCost cost = b.classCosts(diagnostics)[0];
    EXPECT_NEAR(cost.forward->seconds, repeat ? 4 * 62e-6 : 70e-6, 1e-12);
    EXPECT_NEAR(cost.forward->nodes[0].spent.sum() + cost.forward->nodes[1].spent.sum(), cost.forward->seconds, 1e-12);
    EXPECT_NEAR(cost.forward->nodes[1].spent.launches, repeat ? .75 * (4 * 62e-6 - 70e-6) : 0,
                1e-12); // 3 of 4 launches
    EXPECT_EQ(cost.backward->seconds, 0);
  }
}

TEST(CostSegments, AChainIsLaunchedKernelByKernel) {
  Builder b(1, {{"tp", 8}});
  LayerClass& layerClass = b.body(b.unit("layer", 3, true));
  const OpId norm = b.op("norm", OpKind::Memory, "norm"), add = b.op("add", OpKind::Memory, "add");
  layerClass.forward.edit() = {b.lasting(norm, 10e-6), b.lasting(add, 20e-6)};
  layerClass.backward.edit() = {b.lasting(norm, 10e-6, true), b.lasting(add, 20e-6, true)};
  Stack& stack = edit(b.plan.stack);
  stack.set(StackFact::Launch, number(62e-6));
  stack.set(StackFact::KernelsForward, Symbol("norm"), number(8));
  stack.set(StackFact::KernelsBackward, Symbol("norm"), number(17));
  b.stages(1, 1, {{3}});
  b.finish();
  DiagnosticEngine diagnostics;
  const ClassCost cost = b.classCosts(diagnostics)[0];
  EXPECT_NEAR(cost.forward->seconds, (8 + 1) * 62e-6, 1e-12);
  EXPECT_NEAR(cost.backward->seconds, (17 + 1) * 62e-6, 1e-12);
  EXPECT_NEAR(cost.forward->nodes[0].spent.launches, 8. / 9 * (9 * 62e-6 - 30e-6), 1e-12);
}

/// A layer whose backward pass makes gradients of parameters between two other operators.
struct SplitLayer {
  Builder b{1, {{"tp", 8}}};
  LayerClass& layerClass = b.body(b.unit("layer", 3, true));
  OpId op = b.op("work", OpKind::Memory, "work");

  SplitLayer(double first, double second, double weight, double launch) {
    layerClass.backward.edit() = {b.lasting(op, first, true), b.lasting(op, weight, true), b.lasting(op, second, true)};
    layerClass.backward.edit()[1].compute().role = Role::WGrad;
    edit(b.plan.stack).set(StackFact::Launch, number(launch));
    b.schedule.kind = &splitBackward();
    b.stages(1, 1, {{3}});
  }
  ClassCost cost() {
    b.finish();
    DiagnosticEngine diagnostics;
    const ClassCost cost = b.classCosts(diagnostics)[0];
    for (const SegmentCost* half : {&cost.halves->first, &cost.halves->second}) {
      double spent = 0;
      for (const NodeCost& node : half->nodes) spent += node.spent.sum();
      EXPECT_NEAR(spent, half->seconds, 1e-15);
    }
    return cost;
  }
};

TEST(CostSegments, ASplitBackwardLaunchesItsHalvesApart) {
  for (const double weight : {10e-6, 60e-6})
    for (const double launch : {0., 15e-6, 30e-6, 50e-6}) {
      const ClassCost cost = SplitLayer(30e-6, 10e-6, weight, launch).cost();
      EXPECT_NEAR(cost.backward->seconds, std::max(40e-6 + weight, 3 * launch), 1e-12);
      EXPECT_NEAR(cost.halves->first.seconds, std::max(40e-6, 2 * launch), 1e-12) << weight << " " << launch;
      EXPECT_NEAR(cost.halves->second.seconds, std::max(weight, launch), 1e-12) << weight << " " << launch;
    }
}

/// A collective beside the gradient of a parameter has nothing to hide under where that gradient is made later.
TEST(CostSegments, TheFirstHalfWaitsForItsCommunicationAlone) {
  SplitLayer layer(30e-6, 10e-6, 20e-6, 0);
  auto& nodes = layer.layerClass.backward.edit();
  nodes.insert(nodes.begin() + 1, layer.b.collective(layer.op, CollectiveKind::AllGather, CollectiveClass::Activation,
                                                     layer.b.axis("tp"), 1e3));
  nodes[1].deps = {0};
  nodes[2].deps = {0};
  nodes[3].deps = {1};
  layer.b.schedule.blockingShare[CollectiveClass::Activation] = 0;
  const ClassCost cost = layer.cost();
  const double gather = cost.backward->nodes[1].seconds;
  ASSERT_GT(gather, 0);
  EXPECT_NEAR(cost.backward->seconds, 30e-6 + std::max(gather, 20e-6) + 10e-6, 1e-12);
  EXPECT_NEAR(cost.halves->first.seconds, 30e-6 + gather + 10e-6, 1e-12);
  EXPECT_NEAR(cost.halves->second.seconds, 20e-6, 1e-12);
}

TEST(CostSegments, TheHostIssuesCollectivesRankByRank) {
  for (bool issued : {true, false}) {
    Builder b(1, {{"tp", 8}});
    LayerClass& layerClass = b.body(b.unit("layer", 2, true));
    const OpId op = b.op("work", OpKind::Memory, "work");
    layerClass.forward.edit() = {
        b.collective(op, CollectiveKind::AllGather, CollectiveClass::Activation, b.axis("tp"), 1e3),
        b.lasting(op, 20e-6)};
    edit(b.plan.stack).set(StackFact::Launch, number(10e-6));
    if (issued) edit(b.plan.stack).set(StackFact::CollectiveLaunch, CollectiveClass::Activation, number(300e-6));
    edit(b.plan.stack).set(StackFact::CollectiveStart, CollectiveClass::Activation, number(5e-6));
    edit(b.plan.stack)
        .set(StackFact::CollectiveLaunch, CollectiveClass::Regather,
             number(1)); // no collective of that class here
    b.stages(1, 1, {{2}});
    b.finish();
    DiagnosticEngine diagnostics;
    const SegmentCost cost = b.classCosts(diagnostics)[0].forward;
    const double device = cost.nodes[0].seconds + 20e-6, host = 10e-6 + 5e-6 + (issued ? 8 * 300e-6 : 0);
    EXPECT_NEAR(cost.host, host, 1e-12);
    EXPECT_NEAR(cost.seconds, std::max(device, host), 1e-12);
  }
}

TEST(CostSegments, TheHostIssuesBucketsOfStatesRankByRank) {
  Builder b(1, {{"dp", 8}});
  LayerClass& layerClass = b.body(b.unit("layer", 4, true));
  layerClass.forward.edit() = {b.lasting(b.op("work", OpKind::Memory, "work"), 1e-3)};
  StateCollective state;
  state.collective = CollectiveKind::AllReduce;
  state.cls = CollectiveClass::Gradient;
  state.phase = Phase::Step;
  state.axes = b.axis("dp");
  state.group = 8;
  state.bytes = 4e6;
  layerClass.states.edit() = {state};
  b.schedule.bucketBytes = 1e6;
  b.schedule.blockingShare[CollectiveClass::Gradient] = 0; // beside the layers
  b.stages(1, 1, {{4}});
  b.finish();
  DiagnosticEngine diagnostics;
  const double apart = b.classCosts(diagnostics)[0].states[0];
  edit(b.plan.stack).set(StackFact::CollectiveLaunch, CollectiveClass::Gradient, number(1e-9));
  EXPECT_EQ(b.classCosts(diagnostics)[0].states[0], apart); // hidden behind the transfer
  edit(b.plan.stack).set(StackFact::CollectiveLaunch, CollectiveClass::Gradient, number(1e-3));
  EXPECT_NEAR(b.classCosts(diagnostics)[0].states[0], 4 * 8 * 1e-3, 1e-12);
  // What holds the layers is issued by a host that waited for them: nothing hides it.
  b.schedule.blockingShare[CollectiveClass::Gradient] = 1;
  EXPECT_NEAR(b.classCosts(diagnostics)[0].states[0], apart + 4 * 8 * 1e-3, 1e-12);
  b.schedule.blockingShare[CollectiveClass::Gradient] = .25;
  EXPECT_NEAR(b.classCosts(diagnostics)[0].states[0], apart / 4 + 4 * 8 * 1e-3, 1e-12);
}

/// Three layers whose operators `sent` may route tokens (into slots of `capacity`; 0: as many as there are) and whose
/// other ones are called `work`, under a host that needs 50 us per launch.
struct RoutedLayers {
  Builder b{1, {{"ep", 8}}};
  LayerClass& layerClass = b.body(b.unit("layer", 3, true));
  OpId work = b.op("work", OpKind::Memory, "work");

  OpId sent(const char* name) { return b.op("dispatch", OpKind::Permute, name); }

  OpId routed(const char* name, double capacity = 0) {
    Dim slots;
    slots.name = Symbol("slots");
    slots.kind = DimKind::Routed;
    slots.capacity = capacity;
    const OpId op = sent(name);
    b.program.model.edit().ops[op].resultDims = {b.program.model.edit().dims.add(slots)};
    return op;
  }

  /// Of one forward pass, in seconds.
  double seconds(bool waits) {
    edit(b.plan.stack).set(StackFact::Launch, number(50e-6));
    edit(b.plan.stack).set(StackFact::Waits, number(waits ? 1 : 0));
    b.stages(1, 1, {{3}});
    b.finish();
    DiagnosticEngine diagnostics;
    return b.classCosts(diagnostics)[0].forward->seconds;
  }
};

/// Forward: attention 400 us, choosing and sending 20 us each, experts 30 us.
double routed(bool waits, double capacity, double experts = 30e-6) {
  RoutedLayers layers;
  const Builder& b = layers.b;
  const OpId sent = layers.routed("sent", capacity), work = layers.work;
  layers.layerClass.forward.edit() = {b.lasting(work, 400e-6), b.lasting(work, 20e-6), b.lasting(sent, 20e-6),
                                      b.lasting(work, experts), b.lasting(work, experts)};
  return layers.seconds(waits);
}

TEST(CostSegments, AHostThatWaitsForSizesIsBehindAfterwards) {
  EXPECT_NEAR(routed(false, 0), 500e-6, 1e-12); // 5 launches of 50 us, 500 us of work: the host stays ahead
  // From `sent` on: it starts at 50 us, the experts wait for their launches at 100 and 150 us and end at 180, then the
  // next layer's attention, launched at 200 us, runs for 400 us, and the choice ends at 620.
  EXPECT_NEAR(routed(true, 0), 620e-6, 1e-12);
  EXPECT_NEAR(routed(true, 1.25), 500e-6, 1e-12);                       // slots of a known size
  EXPECT_NEAR(routed(true, 0, 500e-6), 1440e-6 + 50e-6 + 30e-6, 1e-12); // long experts hide all launches but two
}

// A host also waits where the stack's software reads a value back before an operator, with or without routing.
TEST(CostSegments, AHostThatReadsAValueBackIsBehindAfterwards) {
  const auto seconds = [](std::optional<double> readsBack) {
    RoutedLayers layers;
    const OpId sent = layers.sent("sent"), work = layers.work;
    layers.layerClass.forward.edit() = {layers.b.lasting(work, 400e-6), layers.b.lasting(work, 20e-6),
                                        layers.b.lasting(sent, 20e-6), layers.b.lasting(work, 30e-6),
                                        layers.b.lasting(work, 30e-6)};
    if (readsBack) edit(layers.b.plan.stack).set(StackFact::ReadsBack, Symbol("dispatch"), number(*readsBack));
    return layers.seconds(false);
  };
  EXPECT_NEAR(seconds({}), 500e-6, 1e-12);
  EXPECT_NEAR(seconds(0), 500e-6, 1e-12);
  EXPECT_NEAR(seconds(1), 620e-6, 1e-12);
}

/// Two layers with experts in one instance: the host reads two sizes back, and is behind after each.
TEST(CostSegments, AHostWaitsForEveryRoutedLayerOfAnInstance) {
  auto seconds = [](bool both) {
    RoutedLayers layers;
    for (const OpId sent : {layers.routed("sent"), both ? layers.routed("again") : layers.sent("again")}) {
      layers.layerClass.forward.edit().push_back(layers.b.lasting(layers.work, 100e-6));
      layers.layerClass.forward.edit().push_back(layers.b.lasting(sent, 20e-6));
      layers.layerClass.forward.edit().push_back(layers.b.lasting(layers.work, 30e-6));
    }
    return layers.seconds(true);
  };
  // From one wait to the next: `sent` runs from 50 to 70 us, the experts, launched at 100, to 130, the next layer's
  // 100 us of work, launched at 150, to 250. Twice.
  EXPECT_NEAR(seconds(true), 500e-6, 1e-12);
  // With one wait the host catches up: 250, the second `sent` (launched at 200) to 270, its experts from 250 on to 300,
  // the work before the first, launched at 300, to 400.
  EXPECT_NEAR(seconds(false), 400e-6, 1e-12);
}

TEST(CostSegments, OverlappedCollectivesExposeWhatIsWaitedFor) {
  Builder b(1, {{"tp", 8}});
  LayerClass& layerClass = b.body(b.unit("layer", 2, true));
  const OpId op = b.op("work", OpKind::Memory, "work");
  Node gather = b.collective(op, CollectiveKind::AllGather, CollectiveClass::Regather, b.axis("tp"), 1e8);
  Node beside = b.lasting(op, 100e-6), user = b.lasting(op, 50e-6);
  user.deps = {0, 1};
  layerClass.forward.edit() = {gather, beside, user};
  b.schedule.blockingShare[static_cast<size_t>(CollectiveClass::Regather)] = 0;
  b.stages(1, 1, {{2}});
  b.finish();
  DiagnosticEngine diagnostics;
  const SegmentCost cost = b.classCosts(diagnostics)[0].forward;
  const double comm = cost.nodes[0].seconds;
  ASSERT_GT(comm, 100e-6);
  EXPECT_NEAR(cost.seconds, comm + 50e-6, 1e-12);
  EXPECT_NEAR(cost.nodes[0].spent.exposed, comm - 100e-6, 1e-12);
  EXPECT_NEAR(cost.nodes[0].spent.sum() + cost.nodes[1].spent.sum() + cost.nodes[2].spent.sum(), cost.seconds, 1e-12);
}

} // namespace
} // namespace planc::cost::test
