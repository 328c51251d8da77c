// The table of what can be set: its rows are found by path, and its numbers lie where they are read.
// SPDX-License-Identifier: Apache-2.0
#include "ir/plan/RecordPath.h"
#include "ir/plan/Settings.h"

#include <gtest/gtest.h>

namespace planc::ir {
namespace {

TEST(Settings, StatementsStandInTheirOrder) {
  for (const StatementRow& row : statements()) {
    EXPECT_EQ(name(row.statement), row.name);
    EXPECT_EQ(statementNamed(row.name), &row);
  }
  EXPECT_EQ(statementNamed("stage"), nullptr);
}

TEST(Settings, RowsAreFoundByPath) {
  for (const SettingRow& row : settings()) {
    std::string path(row.path);
    for (size_t star; (star = path.find('*')) != std::string::npos;) path.replace(star, 1, "any");
    if (row.kind == SettingKind::Record) path += ".any.fact";
    EXPECT_EQ(settingAt(path), &row) << path;
  }
  EXPECT_EQ(settingAt("finetune.micro_batch"), settingAt("train.micro_batch"));
  EXPECT_EQ(settingAt("decoder[0:2].attn.seq ->")->kind, SettingKind::Placement);
  for (const char* path : {"cluster", "mesh", "mesh.tp.size", "train.seq", "model.layers", "finetune.seq", ""})
    EXPECT_EQ(settingAt(path), nullptr) << path;
}

TEST(Settings, AFinetuneHasWhatTrainingHas) {
  const std::vector<std::string> train = settingNames("train"), tuning = settingNames("finetune");
  ASSERT_EQ(tuning.size(), train.size() + 2);
  EXPECT_TRUE(std::equal(train.begin(), train.end(), tuning.begin()));
  EXPECT_EQ(tuning.back(), "lora");
}

TEST(Settings, NumbersLieInTheirFields) {
  Plan plan;
  const SettingRow& imbalance = *settingAt("train.expert_imbalance");
  const SettingRow& tokens = *settingAt("run.tokens");
  EXPECT_FALSE(putNumber(imbalance, plan, {1.5})) << "it does not train";
  EXPECT_FALSE(putNumber(tokens, plan, {1e12})) << "it has no run";
  EXPECT_FALSE(putNumber(*settingAt("mesh.tp"), plan, {2})) << "no number";
  plan.workload.phases.push_back({.name = Symbol("train"), .backward = true, .update = true});
  plan.run.emplace();
  EXPECT_TRUE(putNumber(imbalance, plan, {1.5}));
  EXPECT_TRUE(putNumber(tokens, plan, {1e12}));
  EXPECT_EQ(plan.workload.expertImbalance, 1.5);
  EXPECT_EQ(numberOf(tokens, plan)->value, 1e12);
  EXPECT_FALSE(numberOf(*settingAt("run.mtbf"), plan));
}

TEST(Settings, PathsLeadIntoRecords) {
  Cluster cluster;
  cluster.levels.emplace_back().name = Symbol("node");
  const auto at = [&](std::string_view path) { return recordPath(path, &cluster); };
  EXPECT_EQ(at("software.step").record, RecordKind::Stack);
  EXPECT_EQ(at("cluster.device.host.bandwidth").fact, "host.bandwidth");
  EXPECT_EQ(at("cluster.node.link.start").record, RecordKind::Fabric);
  EXPECT_EQ(at("cluster.node.bandwidth").record, RecordKind::Level);
  EXPECT_EQ(at("cluster.rack.bandwidth").record, RecordKind::Cluster) << "no level";
  EXPECT_EQ(at("cluster.node").record, RecordKind::Cluster) << "nothing of the level";
}

} // namespace
} // namespace planc::ir
