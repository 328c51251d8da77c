// check-stage-axes: refuses rules that split something over the axes of the stages.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/passes/After.h"

#include <gtest/gtest.h>

namespace planc::test::check_stage_axes {
namespace {

std::string checked(const std::string& place, const std::string& pipeline = "schedule = one_f_one_b") {
  return After("check-stage-axes",
               "  mesh {\n dp = 2\n pp = 2\n }\n" + place + "  pipeline pp { " + pipeline + " }\n")
      .said();
}

TEST(CheckStageAxes, RefusesSplittingAnOperatorOverTheStages) {
  EXPECT_EQ(checked("  place { batch -> [dp, pp] }\n"),
            R"(PLAN0642 `batch -> pp` splits operators over an axis that carries the stages of the pipeline
)");
}

TEST(CheckStageAxes, RefusesSplittingStatesOverTheStages) {
  EXPECT_EQ(checked("  place { batch -> dp }\n  states { optimizer -> [dp, pp] }\n"),
            R"(PLAN0642 `optimizer -> pp` splits operators over an axis that carries the stages of the pipeline
)");
}

TEST(CheckStageAxes, RefusesSplittingTransfersOverTheStages) {
  EXPECT_EQ(checked("  place { batch -> dp }\n", "schedule = one_f_one_b\n scatter = pp"),
            R"(PLAN0642 `scatter -> pp` splits operators over an axis that carries the stages of the pipeline
)");
}

TEST(CheckStageAxes, LeavesRulesOverOtherAxesAlone) {
  EXPECT_EQ(checked("  place { batch -> dp }\n  states { optimizer -> dp }\n", "schedule = one_f_one_b\n scatter = dp"), "");
}

} // namespace
} // namespace planc::test::check_stage_axes
