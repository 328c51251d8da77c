// bind-workload: gives the batch its extent and counts micro-batches; refuses batches that do not divide.
// SPDX-License-Identifier: Apache-2.0
#include "ir/layout/Routed.h"
#include "passes/Steps.h"
#include "tests/unit/passes/After.h"
#include "tests/unit/support/Build.h"

#include <gtest/gtest.h>

namespace planc::test::bind_workload {
namespace {

const std::string kTwoWays = "  mesh {\n tp = 3\n dp = 2\n }\n  place { batch -> dp }";

TEST(BindWorkload, GivesTheBatchTheSamplesOfAMicroBatchOnAllReplicas) {
  const After a("bind-workload", kTwoWays);
  EXPECT_EQ(a.modelPart("dim batch"), "  dim batch = 4\n");
  EXPECT_EQ(a->microBatches, 4);
}

TEST(BindWorkload, CountsOnlyTheOutermostRuleOfTheBatch) {
  const After a("bind-workload", "  mesh {\n tp = 3\n dp = 2\n }\n  place { decoder { batch -> dp } }");
  EXPECT_EQ(a.modelPart("dim batch"), "  dim batch = 2\n");
  EXPECT_EQ(a->microBatches, 8);
}

TEST(BindWorkload, SlotsOfExpertsFollowTheBatch) {
  const After a("bind-workload", kTwoWays, kTrain + "; expert_imbalance = 1.5", kExperts);
  EXPECT_EQ(a.modelPart("dim slots"), R"(  dim slots = 16 routed[batch, seq] * 0.25
)");
  for (const ir::Dim& d : a->model->dims) EXPECT_EQ(d.skew, d.kind == ir::DimKind::Routed ? 1.5 : 1);
}

// The load of the busiest device follows from the experts that a device holds: kExperts has eight.
TEST(BindWorkload, LoadsFollowFromTheInequalityOfExperts) {
  const auto skew = [](const std::string& rules) {
    const After a("bind-workload", "  mesh { ep = 4 }\n  place {\n batch -> ep\n" + rules + " }",
                  kTrain + "; expert_gini = 0.2", kExperts);
    double most = 0;
    for (const ir::Dim& d : a->model->dims)
      if (d.kind == ir::DimKind::Routed) most = std::max(most, d.skew);
    return most;
  };
  EXPECT_EQ(skew(""), 1); // every device holds all experts
  EXPECT_NEAR(skew(" moe { experts -> ep }\n"), ir::busiestLoad(0.2, 8, 4), 1e-12);
}

TEST(BindWorkload, BusiestLoads) {
  EXPECT_EQ(ir::busiestLoad(0, 128, 16), 1);
  EXPECT_EQ(ir::busiestLoad(0.3, 128, 1), 1);
  EXPECT_NEAR(ir::busiestLoad(0.2, 128, 16), 1.224981, 1e-6); // computed apart from this code
  EXPECT_NEAR(ir::busiestLoad(0.2, 128, 64), 1.609098, 1e-6);
  EXPECT_NEAR(ir::busiestLoad(0.29, 128, 16), 1.343113, 1e-6);
  EXPECT_NEAR(ir::busiestLoad(0.2, 128, 128), 1.956591, 1e-6);
  EXPECT_EQ(ir::busiestLoad(0.9, 2, 2), 2); // no device has more than everything
  double before = 1;
  for (double gini = 0.05; gini < 0.9; gini += 0.05) {
    const double load = ir::busiestLoad(gini, 256, 32);
    EXPECT_GT(load, before);
    before = load;
  }
}

TEST(BindWorkload, FreezesWhatIsFrozenInEveryInstance) {
  const After a("bind-workload", kTwoWays, kTrain + "; freeze = [embed, decoder[0:2].mlp]");
  std::string trained;
  for (ir::ValueId v : a->model->params)
    if (a->model->values[v].trainable) trained += a->model->pathOf(v) + " ";
  EXPECT_EQ(trained,
            "decoder.norm.w decoder.mlp.w_gate decoder.mlp.w_up decoder.mlp.w_down head.w "); // those of a slice are
                                                                                              // for their class to say
}

TEST(BindWorkload, RefusesABatchThatDoesNotDivide) {
  EXPECT_EQ(After("bind-workload", "  mesh { dp = 3 }\n  place { batch -> dp }").said(),
            R"(PLAN0710 global_batch (16) is not divisible by micro_batch (2) times the data-parallel size (3)
)");
}

TEST(BindWorkload, RefusesLessThanOne) {
  const std::string rest = "; seq = 16; optimizer = optimizers.adam";
  Build b({{"dp", 2}});
  DiagnosticEngine diagnostics;
  b.plan.workload.globalBatch = 4;
  b.plan.workload.microBatch = 0;
  EXPECT_FALSE(passes::bindWorkload(b.program, diagnostics));
  b.plan.workload.globalBatch = 0;
  b.plan.workload.microBatch = 1;
  EXPECT_FALSE(passes::bindWorkload(b.program, diagnostics));
  EXPECT_EQ(diagnostics.errorCount(), 2u);
  b.plan.workload.globalBatch = 1;
  EXPECT_TRUE(passes::bindWorkload(b.program, diagnostics));
  EXPECT_EQ(b.program.microBatches, 1);
}

TEST(BindWorkload, LeavesAPlanWithoutTrainingAlone) {
  Build b({{"dp", 2}});
  b.plan.workload.phases.clear();
  b.plan.workload.globalBatch = 3;
  b.plan.placements = {rule("", "batch", {"dp"})};
  b.input("x", "batch=7");
  DiagnosticEngine diagnostics;
  EXPECT_TRUE(passes::bindWorkload(b.program, diagnostics));
  EXPECT_EQ(b.program.model->dims[b.dim("batch")].extent, 7);
  EXPECT_EQ(b.program.microBatches, 1);
}

} // namespace
} // namespace planc::test::bind_workload
