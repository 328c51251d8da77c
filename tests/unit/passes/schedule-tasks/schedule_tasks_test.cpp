// schedule-tasks: tasks on the compute stream and the streams of communication, by the stack's blocking shares.
// SPDX-License-Identifier: Apache-2.0
#include "ir/facts/ClusterFacts.h"
#include "ir/facts/StackFacts.h"
#include "passes/Steps.h"
#include "tests/unit/passes/After.h"
#include "tests/unit/support/Build.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace planc::test::schedule_tasks {
namespace {

/// The tasks of a product whose sum is reduced for a norm, with a share of the reduction that blocks: `stream node
/// share after`.
std::string tasks(double share, std::optional<double> stated = std::nullopt) {
  Build b({{"tp", 4}, {"dp", 2}}, {{"node", 4}, {"nodes", 8}});
  b.layer("l");
  const auto x = b.input("x", "batch=8@dp seq=16 hidden=32");
  const auto up = b.op("up", ir::OpKind::Gemm, {x, b.param("w", "hidden ffn=128")}, "batch@dp seq ffn", "hidden@tp");
  b.reshard(up, "batch@dp seq ffn");
  const auto norm = b.op("norm", ir::OpKind::Memory, {up}, "batch@dp seq ffn");
  b.op("last", ir::OpKind::Memory, {norm}, "batch@dp seq ffn");
  b.program = std::move(*passes::lowerReshards(b.sharded()));
  b.stages(1, 1, {{1}});
  b.program.kind = passes::scheduleKinds().rows().front();
  b.plan.stack = std::make_shared<const ir::Stack>();
  edit(b.plan.stack).set(ir::StackFact::Inline, ir::CollectiveClass::Activation, ir::Number{.value = share});
  if (stated) b.plan.overlap.blockingShare[ir::CollectiveClass::Activation].value = *stated;
  const auto schedule = passes::scheduleTasks(b.program);
  EXPECT_EQ(ir::verify(*schedule), std::vector<std::string>{});
  std::string text;
  for (const ir::Task& t : schedule->forward.at(0).tasks) {
    text += fmt::format("{} {} {} after", t.stream, t.node, t.fraction);
    for (uint32_t d : t.deps) text += fmt::format(" {}", d);
    text += "\n";
  }
  return text;
}

TEST(ScheduleTasks, ACollectiveBlocksByItsShare) {
  EXPECT_EQ(tasks(1), R"(-1 0 1 after
-1 1 1 after 0
-1 2 1 after 1
-1 3 1 after 2
)");
  EXPECT_EQ(tasks(0.25), R"(-1 0 1 after
-1 1 0.25 after 0
0 1 0.75 after 1
-1 2 1 after 1
-1 3 1 after 3 2
)"); // the rest runs beside its reader, and what is behind that waits
  EXPECT_EQ(tasks(0), R"(-1 0 1 after
-1 1 0 after 0
0 1 1 after 1
-1 2 1 after 1
-1 3 1 after 3 2
)"); // issued in order; its reader begins no sooner than the transfer
}

TEST(ScheduleTasks, AnyShareBelowOneLeavesARest) {
  EXPECT_EQ(tasks(0.75), R"(-1 0 1 after
-1 1 0.75 after 0
0 1 0.25 after 1
-1 2 1 after 1
-1 3 1 after 3 2
)");
}

TEST(ScheduleTasks, WhatThePlanSaysOfOverlapHolds) {
  EXPECT_EQ(tasks(0.25, 1), tasks(1));
  EXPECT_EQ(tasks(1, -3), tasks(0));
  EXPECT_EQ(tasks(1, 7), tasks(1));
}

TEST(ScheduleTasks, ShareOfStatisticsAndCopies) {
  const After a("schedule-tasks", "  overlap { bucket = 1MB; prefetch = 3; slowdown = 0.5 }\n  mesh { dp = 2 }\n  "
                                  "place { batch -> dp }\n  states { params, grads, optimizer -> dp }");
  ASSERT_TRUE(a.schedule) << a.said();
  EXPECT_EQ(a.schedule->blockingShare[static_cast<size_t>(ir::CollectiveClass::Statistic)], 1);
  EXPECT_EQ(a.schedule->blockingShare[static_cast<size_t>(ir::CollectiveClass::Offload)], 0);
  EXPECT_EQ(a.schedule->blockingShare[static_cast<size_t>(ir::CollectiveClass::Gradient)], 1);
  EXPECT_EQ(a.schedule->prefetch, 3);
  EXPECT_EQ(a.schedule->slowdown, 0.5);
  EXPECT_EQ(a.schedule->bucketBytes, 1e6);
}

TEST(ScheduleTasks, FewCardsTakeAPartOfTheSlowdown) {
  const auto besides = [](std::optional<double> seen, std::optional<double> cards, bool stated = false) {
    Build b({{"dp", 16}}, {{"node", 8}, {"nodes", 2}});
    b.layer("l");
    b.op("x", ir::OpKind::Memory, {b.input("in", "batch=8")}, "batch");
    b.stages(1, 1, {{1}});
    b.program.kind = passes::scheduleKinds().rows().front();
    auto cluster = std::make_shared<ir::Cluster>();
    cluster->levels.resize(2);
    cluster->levels[1].fabric.set(ir::FabricFact::NicEfficiency, ir::Number{.value = 1});
    if (cards) cluster->levels[1].set(ir::LevelFact::Cards, ir::Number{.value = *cards});
    b.plan.cluster = cluster;
    b.plan.stack = std::make_shared<const ir::Stack>();
    if (stated) b.plan.overlap.slowdown = ir::Number{.value = .3};
    if (seen) edit(b.plan.stack).set(ir::StackFact::SlowdownCards, ir::Number{.value = *seen});
    return passes::scheduleTasks(b.program)->besides;
  };
  using Shares = std::vector<double>;
  EXPECT_EQ(besides(std::nullopt, 4), (Shares{1, 1, 0})); // copy engines, last, hold no multiprocessors
  EXPECT_EQ(besides(8, 4), (Shares{1, .5, 0}));           // the links inside of a node as ever
  EXPECT_EQ(besides(8, 1), (Shares{1, .125, 0}));
  EXPECT_EQ(besides(4, 8), (Shares{1, 1, 0}));
  EXPECT_EQ(besides(16, std::nullopt), (Shares{1, .5, 0})); // a card for each device
  EXPECT_EQ(besides(8, 4, true), (Shares{1, 1, 0}));        // the plan means all collectives
}

TEST(ScheduleTasks, EveryNetworkLevelOfAPortCounts) {
  // A device for each node: one card. Then nodes of eight whose cards the outer of two levels on one port says.
  const auto besides = [](std::vector<std::pair<const char*, int64_t>> sizes, size_t network, double outer) {
    std::vector<std::pair<std::string, int64_t>> levels(sizes.begin(), sizes.end());
    Build b({{"dp", levels.back().second}}, levels);
    b.layer("l");
    b.op("x", ir::OpKind::Memory, {b.input("in", "batch=8")}, "batch");
    b.stages(1, 1, {{1}});
    b.program.kind = passes::scheduleKinds().rows().front();
    auto cluster = std::make_shared<ir::Cluster>();
    cluster->levels.resize(levels.size());
    for (size_t l = network; l < levels.size(); ++l)
      cluster->levels[l].fabric.set(ir::FabricFact::NicEfficiency, ir::Number{.value = 1});
    if (outer > 0) cluster->levels.back().set(ir::LevelFact::Cards, ir::Number{.value = outer});
    b.plan.cluster = cluster;
    b.plan.stack = std::make_shared<const ir::Stack>();
    edit(b.plan.stack).set(ir::StackFact::SlowdownCards, ir::Number{.value = 8});
    return passes::scheduleTasks(b.program)->besides;
  };
  using Shares = std::vector<double>;
  EXPECT_EQ(besides({{"nodes", 16}}, 0, 0), (Shares{.125, 0}));
  EXPECT_EQ(besides({{"node", 8}, {"nodes", 16}, {"pods", 32}}, 1, 4), (Shares{1, .5, 1, 0}));
  EXPECT_EQ(besides({{"node", 8}, {"nodes", 16}, {"pods", 32}}, 1, 0), (Shares{1, 1, 1, 0}));
}

TEST(ScheduleTasks, ReplaysStopEarlyWhereTheStackDoes) {
  Build b({{"tp", 2}});
  b.layer("l");
  const auto x = b.op("x", ir::OpKind::Memory, {b.input("in", "batch=8")}, "batch");
  ir::Node replayed = b.compute(b.makerOf(x), ir::Role::Forward, ir::Phase::Recompute), unread = replayed;
  unread.needed = false;
  unread.deps = {0};
  ir::Node gradient = b.compute(b.makerOf(x), ir::Role::Backward, ir::Phase::Backward);
  gradient.deps = {1};
  b.lower();
  b.body().backward.edit() = {replayed, unread, gradient};
  b.stages(1, 1, {{1}});
  b.program.kind = passes::scheduleKinds().rows().front();
  EXPECT_EQ(passes::scheduleTasks(b.program)->backward.at(0).tasks.size(), 3u);
  b.plan.stack = std::make_shared<const ir::Stack>();
  EXPECT_EQ(passes::scheduleTasks(b.program)->backward.at(0).tasks.size(), 3u);
  edit(b.plan.stack).set(ir::StackFact::EarlyStop, ir::Number{.value = 1});
  const auto schedule = passes::scheduleTasks(b.program);
  ASSERT_EQ(schedule->backward.at(0).tasks.size(), 2u);
  EXPECT_EQ(schedule->backward.at(0).tasks[1].deps, (planc::Few<uint32_t, 4>{0})); // what the unread one waited for
}

TEST(ScheduleTasks, LeavesTheProgramAlone) {
  const After before("check-idle", ""), after("schedule-tasks", "");
  EXPECT_EQ(before.text(), after.text());
  EXPECT_EQ(after.schedule->kind, after->kind);
}

} // namespace
} // namespace planc::test::schedule_tasks
