// select-schedule: the row of the schedule table and its arguments; refuses what the row does not take.
// SPDX-License-Identifier: Apache-2.0
#include "passes/Steps.h"
#include "tests/unit/passes/After.h"

#include <gtest/gtest.h>

namespace planc::test::select_schedule {
namespace {

After selected(const std::string& schedule, const std::string& pp = "4", const std::string& train = kTrain) {
  return After("select-schedule",
               "  mesh {\n dp = 2\n pp = " + pp +
                   "\n }\n  place { batch -> dp }\n  pipeline pp { schedule = " + schedule + " }",
               train);
}

TEST(SelectSchedule, TakesTheRowWithItsArguments) {
  const After a = selected("interleaved_1f1b(chunks = 2)", "2");
  ASSERT_TRUE(a.program) << a.said();
  EXPECT_EQ(a->kind->name(), "interleaved_1f1b");
  EXPECT_EQ(a->stages, 2);
  EXPECT_EQ(a->chunks, 2);
  EXPECT_EQ(a->routes, 1);
  EXPECT_EQ(a->scheduleArguments.at(0), 2);
  EXPECT_EQ(a->mesh.str(a->stageAxes), "pp");
}

TEST(SelectSchedule, TakesRoutesAndChunksOfTheRow) {
  const After a = selected("dualpipe", "2");
  ASSERT_TRUE(a.program) << a.said();
  EXPECT_EQ(a->routes, a->kind->routes);
  EXPECT_EQ(a->chunks, std::max<int64_t>(1, a->kind->chunks));
}

TEST(SelectSchedule, WithoutPipelineThereIsOneStage) {
  const After a("select-schedule", "  mesh { dp = 2 }\n  place { batch -> dp }");
  EXPECT_EQ(a->kind, passes::scheduleKinds().rows().front());
  EXPECT_EQ(a->stages, 1);
  EXPECT_EQ(a->chunks, 1);
  EXPECT_EQ(a->stageAxes, 0u);
  EXPECT_EQ(a.said(), "");
}

TEST(SelectSchedule, RefusesAnUnknownRow) {
  EXPECT_EQ(selected("gpip").said(), R"(PLAN0714 unknown schedule `gpip`
)");
}

TEST(SelectSchedule, RefusesAnUnknownArgument) {
  EXPECT_EQ(selected("gpipe(chunks = 2)").said(), R"(PLAN0715 schedule `gpipe` takes no `chunks`
)");
  EXPECT_EQ(selected("interleaved_1f1b(chunk = 2)").said(), R"(PLAN0715 schedule `interleaved_1f1b` takes no `chunk`
)");
}

TEST(SelectSchedule, RefusesWhatTheRowNeeds) {
  EXPECT_EQ(selected("interleaved_1f1b(chunks = 2)", "3",
                     "seq = 16; global_batch = 16; micro_batch = 2; optimizer = optimizers.adam")
                .said(),
            R"(PLAN0713 schedule `interleaved_1f1b` needs micro-batches in whole groups of 3
)");
  EXPECT_EQ(
      selected("dualpipe", "4", "seq = 16; global_batch = 8; micro_batch = 2; optimizer = optimizers.adam").said(),
      R"(PLAN0713 schedule `dualpipe` needs at least two micro-batches per stage, 4 stages here
)");
}

TEST(SelectSchedule, RefusesMoreStagesAndStepsThanThereCanBe) {
  EXPECT_EQ(selected("gpipe", "100000").said(), R"(PLAN0720 100000 stages x 1 chunks are more than 8192 virtual stages
)");
  EXPECT_EQ(selected("interleaved_1f1b(chunks = 100000)").said(),
            R"(PLAN0720 4 stages x 100000 chunks are more than 8192 virtual stages
)");
  EXPECT_EQ(
      selected("one_f_one_b", "4", "seq = 16; global_batch = 800000000; micro_batch = 1; optimizer = optimizers.adam")
          .said(),
      R"(PLAN0724 400000000 micro-batches over 4 virtual stages exceed the limit of 33554432 steps of a schedule
)");
}

TEST(SelectSchedule, CountsStagesAndChunksTogether) {
  EXPECT_EQ(selected("interleaved_1f1b(chunks = 4000)").said(),
            R"(PLAN0720 4 stages x 4000 chunks are more than 8192 virtual stages
)");
}

TEST(SelectSchedule, WarnsOfChunksThatAreNone) {
  EXPECT_EQ(selected("interleaved_1f1b").said(),
            R"(PLAN0925 `interleaved_1f1b` has one virtual stage per device, but it needs several
)");
  EXPECT_EQ(selected("interleaved_1f1b(chunks = 2)").said(), "");
  EXPECT_EQ(selected("one_f_one_b").said(), "");
  EXPECT_EQ(selected("interleaved_1f1b", "1").said(), "");
}

} // namespace
} // namespace planc::test::select_schedule
