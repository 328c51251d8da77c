// Facts set outside of the file: what follows from them follows, and the file itself stays as it is.
// SPDX-License-Identifier: Apache-2.0
#include "ir/facts/ClusterFacts.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/facts/StackFacts.h"
#include "tests/unit/frontend/Compile.h"

namespace planc::frontend {
namespace {

constexpr std::string_view kText = R"(import std.models.gpt
import std.clusters.dgx_a100
import std.stacks.megatron
import std.optimizers

plan p(nodes: int = 1) {
  model    = gpt.gpt3_1_3b
  cluster  = dgx_a100.superpod(nodes = nodes)
  software = megatron.megatron_2022
  let per_device = 4
  train { seq = 1024; global_batch = per_device * mesh.dp; micro_batch = 1; optimizer = optimizers.adam }
  mesh  { dp = 8 * nodes }
  place { batch -> dp }
  assert memory.peak < cluster.device.memory
  measured step_time = 1s within 5% : "made up"
}
plan q extends p {
  override train.micro_batch = 2
}
)";

using Plans = std::vector<std::unique_ptr<ir::Plan>>;

/// The plans of the text with these facts set; `of` as in Session::set.
Plans edited(const std::vector<ir::FactEdit>& facts, const std::string& plan = "p", std::string_view of = {}) {
  Folder folder;
  Session session;
  std::string error;
  EXPECT_TRUE(session.load(folder.write("test.plan", kText), error)) << error;
  EXPECT_TRUE(session.set({facts}, of));
  Plans plans = session.plans(PlanChoice{plan});
  EXPECT_EQ(reports(session), std::vector<std::string>{});
  return plans;
}

TEST(Edits, ReachWhatFollowsFromAFact) {
  const Plans plans = edited({{"nodes", "2"}, {"per_device", "2"}});
  ASSERT_EQ(plans.size(), 1u);
  const ir::Plan& p = *plans[0];
  EXPECT_EQ(p.mesh.devices(), 16);
  EXPECT_EQ(p.cluster->devices(), 16);
  EXPECT_EQ(p.workload.globalBatch, 32) << "2 per device on 16";
  EXPECT_EQ(p.clusterText, "dgx_a100.superpod(nodes = 2)");
}

TEST(Edits, ReachRecordsBehindFacts) {
  const Plans plans = edited({{"cluster.device.memory", "40GB"},
                              {"cluster.node.bandwidth", "200GB/s"},
                              {"cluster.nodes.link.hop", "1us"},
                              {"cluster.nodes.link.start", "2us"},
                              {"software.step", "1s"},
                              {"model.layers", "12"},
                              {"overlap.prefetch", "3"}});
  ASSERT_EQ(plans.size(), 1u);
  const ir::Plan& p = *plans[0];
  EXPECT_EQ(p.cluster->device.number(ir::DeviceFact::Memory)->value, 40e9);
  EXPECT_EQ(p.cluster->levels[0].number(ir::LevelFact::Bandwidth)->value, 200e9);
  EXPECT_EQ(p.cluster->levels[1].fabric.number(ir::FabricFact::Hop)->value, 1e-6);
  EXPECT_EQ(p.cluster->levels[1].fabric.number(ir::FabricFact::Start)->value, 2e-6);
  EXPECT_EQ(p.stack->number(ir::StackFact::Step)->value, 1);
  EXPECT_EQ(p.overlap.prefetch->value, 3);
  EXPECT_LT(p.model->parameterCount(), 1e9) << "half of the layers of 1.3 B";
}

TEST(Edits, SayWhatTheyChanged) {
  const Plans plans = edited({{"train.micro_batch", "2"}, {"mesh.dp", "8"}});
  ASSERT_EQ(plans.size(), 1u);
  const std::vector<ir::SetFact>& set = plans[0]->set;
  ASSERT_EQ(set.size(), 2u);
  EXPECT_EQ(set[0].path + " " + set[0].value + " " + set[0].before, "train.micro_batch 2 1");
  EXPECT_TRUE(set[0].changed);
  EXPECT_EQ(set[1].path + " " + set[1].value + " " + set[1].before, "mesh.dp 8 8");
  EXPECT_FALSE(set[1].changed);
}

TEST(Edits, LeaveMeasurementsToThePlanAsWritten) {
  EXPECT_EQ(edited({})[0]->measured.size(), 1u);
  EXPECT_EQ(edited({{"train.micro_batch", "1"}})[0]->measured.size(), 1u) << "as it was";
  EXPECT_EQ(edited({{"train.micro_batch", "2"}})[0]->measured.size(), 0u);
  EXPECT_EQ(edited({{"train.micro_batch", "2"}})[0]->assertions.size(), 1u);
}

TEST(Edits, GoOverWhatThePlanOverrides) {
  EXPECT_EQ(edited({{"train.micro_batch", "4"}}, "q")[0]->workload.microBatch, 4);
  EXPECT_EQ(edited({{"train.micro_batch", "4"}}, "q", "p")[0]->workload.microBatch, 2) << "set of p, which q overrides";
}

} // namespace
} // namespace planc::frontend
