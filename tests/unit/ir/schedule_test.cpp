// Level task: the verifier runs the orders of all stages against each other; the printer folds them.
// SPDX-License-Identifier: Apache-2.0
#include "TinyProgram.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace planc::ir {
namespace {

using test::Tiny;

Action act(ActionKind kind, int64_t stage, int64_t mb) {
  return {kind, false, static_cast<uint16_t>(stage), static_cast<uint32_t>(mb)};
}

/// 1F1B: p - 1 - i forwards of warm-up.
Orders oneForwardOneBackward(const ScheduleShape& shape) {
  ActionLists orders;
  const int64_t p = shape.stages, m = shape.microBatches;
  for (int64_t stage = 0; stage < p; ++stage) {
    std::vector<Action>& order = orders.emplace_back();
    int64_t warm = std::min(m, p - 1 - stage);
    for (int64_t i = 0; i < warm; ++i) order.push_back(act(ActionKind::Forward, stage, i));
    for (int64_t i = warm; i < m; ++i) {
      order.push_back(act(ActionKind::Forward, stage, i));
      order.push_back(act(ActionKind::Backward, stage, i - warm));
    }
    for (int64_t i = m - warm; i < m; ++i) order.push_back(act(ActionKind::Backward, stage, i));
  }
  return orders;
}

/// The first stage waits for a gradient before it has sent what that depends on.
Orders deadlock(const ScheduleShape& shape) {
  ActionLists orders;
  for (int64_t stage = 0; stage < shape.stages; ++stage) {
    std::vector<Action>& order = orders.emplace_back();
    for (int64_t i = 0; i < shape.microBatches; ++i) {
      order.push_back(act(stage == 0 ? ActionKind::Backward : ActionKind::Forward, stage, i));
      order.push_back(act(stage == 0 ? ActionKind::Forward : ActionKind::Backward, stage, i));
    }
  }
  return orders;
}

Orders twice(const ScheduleShape&) {
  return ActionLists{{act(ActionKind::Forward, 0, 0), act(ActionKind::Forward, 0, 0)}};
}
Orders forgetsTheLast(const ScheduleShape& shape) {
  ActionLists orders = oneForwardOneBackward(shape).lists();
  orders[0].pop_back();
  return orders;
}
Orders elsewhere(const ScheduleShape& shape) {
  ActionLists orders = oneForwardOneBackward(shape).lists();
  std::swap(orders[0], orders[1]);
  return orders;
}
Orders halfAPair(const ScheduleShape& shape) {
  ActionLists orders = oneForwardOneBackward(shape).lists();
  orders[0].back().paired = true;
  return orders;
}
Orders splitBackward(const ScheduleShape& shape) {
  ActionLists orders = oneForwardOneBackward(shape).lists();
  for (int64_t stage = 0; stage < shape.stages; ++stage) {
    std::vector<Action>& order = orders[static_cast<size_t>(stage)];
    for (Action& a : order)
      if (a.kind == ActionKind::Backward) a.kind = ActionKind::BackwardInput;
    for (int64_t i = 0; i < shape.microBatches; ++i) order.push_back(act(ActionKind::BackwardWeight, stage, i));
  }
  return orders;
}

struct Fixture {
  Tiny tiny;
  Word word{"test", "whatever a test needs"};
  ScheduleKind kind{.word = &word, .orders = oneForwardOneBackward};
  Schedule schedule;
  explicit Fixture(int64_t stages = 1, int64_t microBatches = 1) {
    tiny.lowerToComm();
    tiny.program.stages = stages;
    tiny.program.virtualStages.resize(static_cast<size_t>(stages));
    for (int64_t i = 0; i < stages; ++i) {
      tiny.program.virtualStages[static_cast<size_t>(i)].index = i;
      tiny.program.virtualStages[static_cast<size_t>(i)].devices = {i};
      tiny.program.virtualStages[static_cast<size_t>(i)].kind = tiny.program.stageKinds.add({});
    }
    tiny.program.microBatches = microBatches;
    schedule.program = &tiny.program;
    schedule.kind = &kind;
    schedule.blockingShare.fill(1);
    Segment s;
    s.layerClass = LayerClassId(0);
    s.tasks.edit() = {{kComputeStream, 0, 1, {}},
                      {kComputeStream, 1, 1, {0}},
                      {kComputeStream, 2, 0.25, {1}},
                      {0, 2, 0.75, {1}},
                      {kComputeStream, 3, 1, {2, 3}}};
    schedule.forward = {s};
  }
  std::string finding() {
    std::string text;
    for (const std::string& f : verify(schedule)) text += (text.empty() ? "" : "\n") + f;
    return text;
  }
};

TEST(VerifySchedule, AcceptsOneForwardOneBackward) {
  for (int64_t p : {1, 2, 4, 7})
    for (int64_t m : {1, 3, 8, 100}) {
      Fixture f(p, m);
      EXPECT_EQ(f.finding(), "");
      f.kind.orders = splitBackward;
      EXPECT_EQ(f.finding(), "");
    }
}

TEST(VerifySchedule, RejectsAReceiveWithoutASend) {
  Fixture f(2, 4);
  f.kind.orders = deadlock;
  EXPECT_EQ(f.finding(), "stage 0 waits forever at action 0: no stage sends the value that it receives\n"
                         "stage 1 waits forever at action 0: no stage sends the value that it receives");
}

TEST(VerifySchedule, RejectsWorkDoneTwiceOrNever) {
  Fixture f(1, 2);
  f.kind.orders = twice;
  EXPECT_EQ(f.finding(), "forward of micro-batch 0 runs twice on stage 0");
  f.kind.orders = forgetsTheLast;
  EXPECT_EQ(f.finding(), "1 of 2 passes of micro-batches through stages are not finished");
}

TEST(VerifySchedule, RejectsWorkOfAnotherDeviceAndHalfAPair) {
  Fixture f(2, 2);
  f.kind.orders = elsewhere;
  EXPECT_NE(f.finding().find("stage 0 runs micro-batch 0 of 2 on virtual stage 1, which is not its own"),
            std::string::npos)
      << f.finding();
  f.kind.orders = halfAPair;
  EXPECT_EQ(f.finding(), "the last action of stage 0 is half of a pair");
}

TEST(VerifySchedule, RejectsDevicesThatDoNotShareEvenly) {
  Fixture f(2, 2);
  f.tiny.program.virtualStages[1].devices = {0};
  EXPECT_EQ(f.finding(),
            "stage 0 holds 2 virtual stages of route 0, not 1\nstage 1 holds 0 virtual stages of route 0, not 1");
  f.tiny.program.virtualStages[1].devices = {};
  EXPECT_EQ(f.finding(), "virtual stage 1 has no device on route 0");
}

TEST(VerifySchedule, RejectsACycle) {
  Fixture f;
  f.schedule.forward[0].tasks.edit()[0].deps = {4};
  EXPECT_EQ(f.finding(), "mlp forward: task 0 waits for task 4, which comes later");
}

TEST(VerifySchedule, RejectsComputingOnACommStream) {
  Fixture f;
  f.schedule.forward[0].tasks.edit()[0].stream = 0;
  EXPECT_EQ(f.finding(),
            "mlp forward: task 0 is on stream 0, which is neither the compute stream nor that of its port");
  f.schedule.forward[0].tasks.edit()[0].stream = kComputeStream;
  f.schedule.forward[0].tasks.edit()[3].stream = 1; // the collective is of level 0
  EXPECT_EQ(f.finding(),
            "mlp forward: task 3 is on stream 1, which is neither the compute stream nor that of its port");
}

TEST(VerifySchedule, RejectsANodeDoneInPart) {
  Fixture f;
  f.schedule.forward[0].tasks.edit()[3].fraction = 0.5;
  EXPECT_EQ(f.finding(), "mlp forward: tasks are 0.75 of node 2 in all; they must be 1");
}

TEST(PrintSchedule, FoldsOrdersAndCountsFromTheEnd) {
  Fixture f(4, 64);
  std::string text = print(f.schedule);
  EXPECT_NE(text.find("schedule test stages=4 chunks=1 m=64\n"), std::string::npos);
  EXPECT_NE(text.find("stage 0: F0..F2 (F3 B0)..(F[m-1] B[m-4]) B[m-3]..B[m-1]\n"), std::string::npos) << text;
  EXPECT_NE(text.find("stage 3: (F0 B0)..(F[m-1] B[m-1])\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  3 node all_reduce %down axis=tp(4) class=activation share=0.75 after=1\n"), std::string::npos)
      << text;
}

TEST(PrintSchedule, ShortOrdersStandAsTheyAre) {
  Fixture f(2, 2);
  EXPECT_NE(print(f.schedule).find("stage 0: F0 F1 B0 B1\n"), std::string::npos) << print(f.schedule);
}

} // namespace
} // namespace planc::ir
