// The fullest moment of split backward passes, and what passes and chunks share, counted by hand.
// SPDX-License-Identifier: Apache-2.0
#include "Fixtures.h"
#include "backends/cost/facts/Facts.h"
#include "backends/cost/memory/MemoryTimeline.h"
#include "backends/cost/memory/MemoryUse.h"
#include "ir/facts/StackFacts.h"
#include "passes/Passes.h"

#include <gtest/gtest.h>
#include <random>
#include <string>

namespace planc::cost::test {
namespace {

using namespace ir;

InstanceMemory instance(uint32_t body, int64_t count) {
  InstanceMemory m;
  m.layerClass = LayerClassId(body);
  m.count = count;
  return m;
}

/// Forward, and a backward pass in halves, of one micro-batch.
PassPeak splitPeak(const StageParts& parts, double remade = 0) {
  std::vector<Action> actions(3);
  actions[1].kind = ActionKind::BackwardInput, actions[2].kind = ActionKind::BackwardWeight;
  const Orders orders(ActionLists{actions});
  const PassMoments moments(parts);
  return passPeak({&moments}, orders[0], 1, remade);
}

// A gradient of the inputs frees nothing: what the operators kept is read for the weights' gradients, too.
TEST(CostMoments, AHalfBackwardFreesNothingOnItsWay) {
  StageParts parts;
  parts.instances = {instance(0, 1), instance(1, 1)};
  for (InstanceMemory& m : parts.instances) m.saved = 10;
  parts.instances[0].workingBackward = 5; // runs last
  const PassPeak peak = splitPeak(parts);
  EXPECT_DOUBLE_EQ(peak.sum(), 20 + 5);
  EXPECT_EQ(peak.layerClass, LayerClassId(0));
}

// Gradients that wait for the end of their pass grow from layer to layer while they are made.
TEST(CostMoments, WaitingGradientsAddUp) {
  StageParts parts;
  parts.instances = {instance(0, 1), instance(1, 2)};
  parts.instances[0].narrow = 3, parts.instances[1].narrow = 4;
  const PassPeak peak = splitPeak(parts);
  EXPECT_DOUBLE_EQ(peak.narrow, 3 + 2 * 4);
  EXPECT_DOUBLE_EQ(peak.sum(), 11);
}

/// Forward and backward passes of so many micro-batches, one after the other, of a step that begins without gradients.
PassPeak passesPeak(const StageParts& parts, int64_t microBatches) {
  std::vector<Action> actions;
  for (int64_t m = 0; m < microBatches; ++m)
    for (const ActionKind kind : {ActionKind::Forward, ActionKind::Backward}) {
      Action& a = actions.emplace_back();
      a.kind = kind, a.microBatch = m;
    }
  const Orders orders(ActionLists{actions});
  const PassMoments moments(parts);
  return passPeak({&moments}, orders[0], 1, parts.remade);
}

// Gradients that the update freed are made again from layer to layer, by the first backward pass of a step only.
TEST(CostMoments, FreedGradientsComeBackLayerByLayer) {
  StageParts parts;
  parts.instances = {instance(0, 1), instance(1, 2)};
  parts.remade = 3 * 4;
  for (InstanceMemory& m : parts.instances) m.saved = 10, m.remade = 4, m.workingBackward = 1;
  const PassPeak first = passesPeak(parts, 1);
  EXPECT_DOUBLE_EQ(first.sum(), 3 * 10 + 1 - 3 * 4); // backward begins, no gradient is there
  EXPECT_DOUBLE_EQ(first.absent, 3 * 4);
  const PassPeak later = passesPeak(parts, 2);
  EXPECT_DOUBLE_EQ(later.sum(), 3 * 10 + 1); // all are there
  EXPECT_DOUBLE_EQ(later.absent, 0);
  EXPECT_EQ(later.microBatch, 1);

  for (InstanceMemory& m : parts.instances) m.saved = 1;
  const PassPeak last =
      passesPeak(parts, 1); // gradients outgrow what layers free: the last layer is the fullest moment
  EXPECT_DOUBLE_EQ(last.sum(), 1 + 1);
  EXPECT_DOUBLE_EQ(last.absent, 0);
}

// The halves of a split backward pass: the one of the parameters makes them.
TEST(CostMoments, AHalfBackwardMakesNoGradients) {
  StageParts parts;
  parts.instances = {instance(0, 2)};
  parts.instances[0].saved = 10, parts.instances[0].remade = 4;
  EXPECT_DOUBLE_EQ(splitPeak(parts, 8).sum(), 20 - 8);
}

/// Forward; forward and backward together; backward.
PassPeak pairedPeak(const StageParts& parts, bool paired) {
  std::vector<Action> actions(4);
  actions[1].paired = paired;
  actions[1].microBatch = actions[3].microBatch = 1;
  actions[2].kind = actions[3].kind = ActionKind::Backward;
  const Orders orders(ActionLists{actions});
  const PassMoments moments(parts);
  return passPeak({&moments}, orders[0], 1);
}

// What the backward pass of a pair frees, layer by layer, makes room for what its forward pass keeps.
TEST(CostMoments, APairHoldsLittleMoreThanOnePass) {
  StageParts parts;
  parts.instances = {instance(0, 1), instance(1, 8), instance(2, 1)};
  for (InstanceMemory& m : parts.instances) m.saved = 10, m.workingForward = 1, m.workingBackward = 2;
  EXPECT_DOUBLE_EQ(pairedPeak(parts, false).sum(), 100 + 100 + 2);
  const PassPeak peak = pairedPeak(parts, true);
  EXPECT_DOUBLE_EQ(peak.kept, 100 + 10); // the layer that runs forward, before the one beside it has ended
  EXPECT_DOUBLE_EQ(peak.working, 1 + 2);
  EXPECT_EQ(peak.phase, Phase::Backward);
}

// Layers that keep unlike amounts meet in the order in which they run, and the longer pass goes on alone.
TEST(CostMoments, APairWalksItsLayersInStep) {
  StageParts parts;
  parts.instances = {instance(0, 1), instance(1, 3)};
  parts.instances[0].saved = 100, parts.instances[1].saved = 1, parts.instances[1].narrow = 5;
  const PassPeak peak = pairedPeak(parts, true);
  // 103 kept; three layers back free 1 each while the large one and two small ones come: 103 + 100 - 1 + 1 - 1 + 1.
  EXPECT_DOUBLE_EQ(peak.kept, 103 + 100 - 1 + 1 - 1 + 1);
  EXPECT_DOUBLE_EQ(peak.narrow, 3 * 5);
}

/// Four layers with a gradient of 7 bytes each, on one device of eight.
struct Layers {
  Builder b{1, {{"dp", 8}}};
  LayerClassId id;
  Layers() {
    id = b.unit("layer", 4, true);
    ParamState p;
    p.param = b.param(b.op("matmul", OpKind::Gemm, "up"), "w", {1});
    p.elements = 3.5;
    p.partial = b.axis("dp");
    b.body(id).params.edit() = {p};
    b.stages(1, 1, {{4}});
  }
  Memory account() {
    b.finish();
    Facts facts(*b.plan.cluster, *b.plan.stack);
    return accountMemory(b.schedule, b.schedule.kind->orders(b.schedule.shape()), facts);
  }
};

// Of what repeats only the first and the last time are walked: as if all were.
TEST(CostMoments, EndsOfWhatRepeatsAreTheFullest) {
  std::mt19937 random(9);
  const auto choose = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int round = 0; round < 200; ++round) {
    const auto& kinds = passes::scheduleKinds().rows();
    const ScheduleKind& kind = *kinds[static_cast<size_t>(round) % kinds.size()];
    const int64_t p = 2 * choose(1, 8), v = kind.chunks > 0 ? kind.chunks : choose(1, 6), m = p * choose(2, 40);
    ScheduleShape shape{p, v, m, kind.standardArguments(), {}};
    if (kind.chunks == 0) shape.arguments.front() = v;
    std::vector<StageParts> parts(static_cast<size_t>(p * v));
    double remade = 0;
    for (StageParts& part : parts) {
      part.instances = {instance(0, choose(1, 4)), instance(1, choose(0, 2))};
      for (InstanceMemory& i : part.instances) {
        i.saved = double(choose(0, 50)), i.workingForward = double(choose(0, 20)),
        i.workingBackward = double(choose(0, 20));
        i.narrow = double(choose(0, 5)), i.weightOperands = double(choose(0, 50)), i.remade = double(choose(0, 90));
        part.remade += i.remade * static_cast<double>(i.count);
      }
      remade += part.remade;
      part.hostSaved = double(choose(0, 9));
    }
    const std::vector<PassMoments> moments(parts.begin(), parts.end());
    std::vector<const PassMoments*> each;
    for (const PassMoments& one : moments) each.push_back(&one);
    const Orders orders = kind.orders(shape);
    for (size_t s = 0; s < orders.size(); ++s) {
      Orders plain; // one block that does not repeat
      plain.addStage();
      plain.add(orders[s].list());
      const PassPeak a = passPeak(each, orders[s], p, remade), b = passPeak(each, plain[0], p, remade);
      EXPECT_TRUE(a.phase == b.phase && a.chunk == b.chunk && a.microBatch == b.microBatch &&
                  a.layerClass == b.layerClass)
          << kind.name() << " p=" << p << " v=" << v << " m=" << m << " stage " << s;
      EXPECT_EQ(a.sum(), b.sum());
      EXPECT_EQ(a.kept, b.kept);
      EXPECT_EQ(a.host, b.host);
    }
  }
}

// Buckets are for what is reduced. The gradients of the only micro-batch go into them at once; of several they wait
// beside.
TEST(CostMoments, BucketsTakeTheOnlyPass) {
  Layers l;
  edit(l.b.plan.stack).set(StackFact::Accumulate, number(static_cast<double>(Accumulate::Deferred)));
  edit(l.b.plan.stack).set(StackFact::CopiesBuckets, number(1));
  l.b.program.microBatches = 2;
  EXPECT_DOUBLE_EQ(l.account().buffers, 4 * 7 + 4 * 7);
  l.b.program.microBatches = 1;
  EXPECT_DOUBLE_EQ(l.account().buffers, 4 * 7);
  l.b.body(l.id).params.edit()[0].partial = 0; // nothing is reduced: no buckets, and the gradients wait
  EXPECT_DOUBLE_EQ(l.account().buffers, 4 * 7);
  edit(l.b.plan.stack).set(StackFact::Accumulate, number(static_cast<double>(Accumulate::Fused)));
  EXPECT_DOUBLE_EQ(l.account().buffers, 0);
}

// The chunks of a device hold states each, and take turns with buffers.
TEST(CostMoments, ChunksShareBuffers) {
  Builder b(1, {{"dp", 8}});
  std::vector<std::vector<int64_t>> pieces = {{1, 0}, {0, 1}};
  for (const double bytes : {100., 60.}) {
    const LayerClassId id = b.unit("layer", 1, true);
    ParamState p;
    p.param = b.param(b.op("matmul", OpKind::Gemm, "up"), "w" + std::to_string(id.index), {1});
    p.elements = 1;
    b.body(id).params.edit() = {p};
    b.body(id).states.edit() = {
        b.state(CollectiveKind::AllGather, CollectiveClass::State, Phase::Forward, b.axis("dp"), bytes)};
  }
  b.schedule.kind = &interleaved();
  b.stages(1, 2, pieces);
  b.finish();
  Facts facts(*b.plan.cluster, *b.plan.stack);
  const Memory m = accountMemory(b.schedule, b.schedule.kind->orders(b.schedule.shape()), facts);
  EXPECT_DOUBLE_EQ(m.buffers, 100);
  EXPECT_DOUBLE_EQ(m.params, 2 * 2);
}

} // namespace
} // namespace planc::cost::test
