// Missing facts: one report per record that names every fact, who asks for it and where to add it.
// SPDX-License-Identifier: Apache-2.0
#include "Fixtures.h"
#include "ir/facts/ClusterFacts.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/facts/StackFacts.h"

#include <gtest/gtest.h>

namespace planc::cost::test {
namespace {

using namespace ir;

struct CostFacts : ::testing::Test {
  DiagnosticEngine diagnostics;
  /// An estimate of one fused attention, one projection and one lookup, trained.
  Builder b{1, {{"tp", 8}}};

  CostFacts() {
    const LayerClassId id = b.unit("layer", 4, true);
    LayerClass& layerClass = b.body(id);
    Node attention = b.compute(b.op("attention", OpKind::Attention, "attn"));
    attention.compute().work.flops = 1e12;
    attention.compute().work.sequence = 2048;
    attention.compute().work.headDim = 64;
    Node wgrad = b.compute(b.op("matmul", OpKind::Gemm, "proj"), Role::WGrad, Phase::Backward);
    wgrad.compute().work.m = wgrad.compute().work.n = wgrad.compute().work.k = 1024;
    layerClass.forward.edit() = {attention};
    layerClass.backward.edit() = {wgrad};
    b.stages(1, 1, {{4}});
  }
  std::vector<std::string> codes() const {
    std::vector<std::string> all;
    for (const Diagnostic* d : diagnostics.sorted()) all.push_back(d->kind->id());
    return all;
  }
};

TEST_F(CostFacts, CompleteRecordsGiveAnEstimate) {
  EXPECT_TRUE(b.estimate(diagnostics));
  EXPECT_TRUE(diagnostics.empty());
}

TEST_F(CostFacts, DeviceFactsAreReportedTogether) {
  edit(b.plan.cluster).device.erase(DeviceFact::AttentionHead);
  for (const DeviceFact fact : {DeviceFact::GemmEfficiency, DeviceFact::GemmMemoryEfficiency, DeviceFact::GemmStart})
    edit(b.plan.cluster).device.erase(fact);
  EXPECT_FALSE(b.estimate(diagnostics));
  ASSERT_EQ(codes(), std::vector<std::string>{"PLAN0802"});
  const Diagnostic& d = *diagnostics.sorted()[0];
  EXPECT_EQ(d.message,
            "device `a100` lacks `calibration.attention.head`, `calibration.gemm.fp16.efficiency`, "
            "`calibration.gemm.fp16.memory_efficiency` and `calibration.gemm.fp16.start`, which this plan needs");
  ASSERT_EQ(d.notes.size(), 4u);
  EXPECT_EQ(d.notes[0], "`calibration.attention.head` is needed by `attention` of `layer.attn` (forward)");
  EXPECT_EQ(d.notes[1], "`calibration.gemm.fp16.efficiency` is needed by `matmul` of `layer.proj` (wgrad)");
  ASSERT_EQ(d.help.size(), 1u);
}

TEST_F(CostFacts, StackFactsAreReportedTogether) {
  edit(b.plan.stack).erase(StackFact::BackwardRatio);
  edit(b.plan.stack).erase(StackFact::Accumulate);
  edit(b.plan.stack).erase(StackFact::AttentionFactor);
  edit(b.plan.stack).erase(StackFact::Launch);
  edit(b.plan.stack).erase(StackFact::Unattributed);
  edit(b.plan.stack).erase(StackFact::Step);
  EXPECT_FALSE(b.estimate(diagnostics));
  ASSERT_EQ(codes(), std::vector<std::string>{"PLAN0804"});
  EXPECT_EQ(diagnostics.sorted()[0]->message, "stack `megatron` lacks `attention.factor`, `launch`, `accumulate`, "
                                              "`backward_ratio`, `unattributed` and `step`, which this plan needs");
}

TEST_F(CostFacts, FabricAndLevelFacts) {
  auto& levels = edit(b.plan.cluster).levels;
  levels[0].fabric.erase(FabricFact::Growth);
  levels[0].count = 16;
  b.program.mesh = mesh(*b.plan.cluster, {{"tp", 16}});
  b.body(LayerClassId(0))
      .forward.edit()
      .push_back(b.collective(OpId(0), CollectiveKind::AllReduce, CollectiveClass::Activation, b.axis("tp"), 1e6));
  b.body(LayerClassId(0))
      .forward.edit()
      .push_back(b.collective(OpId(0), CollectiveKind::AllToAll, CollectiveClass::Exchange, b.axis("tp"), 1e6));
  levels[0].fabric.allToAll = {};
  levels[0].erase(LevelFact::Bandwidth);
  EXPECT_FALSE(b.estimate(diagnostics));
  EXPECT_EQ(codes(), (std::vector<std::string>{"PLAN0803", "PLAN0805", "PLAN0806"}));
}

TEST_F(CostFacts, AttentionOutsideItsCurveIsDoubtful) {
  b.body(LayerClassId(0)).forward.edit()[0].compute().work.sequence = 131072;
  const auto e = b.estimate(diagnostics);
  ASSERT_TRUE(e);
  ASSERT_EQ(codes(), std::vector<std::string>{"PLAN0807"});
  EXPECT_EQ(diagnostics.sorted()[0]->message,
            "`calibration.attention.forward` of device `a100` is used at 131072, outside of its samples: 256 to 65536");
  EXPECT_GT(e->totals.confidence.outside, 0.5) << "most of the step";
}

TEST_F(CostFacts, NoSoftware) {
  b.plan.stack.reset();
  b.finish();
  EXPECT_FALSE(cost::estimate(b.schedule, diagnostics));
  DiagnosticEngine named;
  reportNoSoftware(b.plan, {"megatron.megatron_2021", "te.te"}, named);
  ASSERT_EQ(named.sorted().size(), 1u);
  EXPECT_EQ(named.sorted()[0]->kind->id(), "PLAN0801");
  EXPECT_EQ(named.sorted()[0]->notes, (std::vector<std::string>{"megatron.megatron_2021", "te.te"})) << "a line each";
  EXPECT_EQ(codes(), std::vector<std::string>{"PLAN0801"});
}

} // namespace
} // namespace planc::cost::test
