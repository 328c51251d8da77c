// check-idle: warns of what overlap and precision say of communication that there is none of.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/passes/After.h"

#include <gtest/gtest.h>

namespace planc::test::check_idle {
namespace {

std::string idle(const std::string& lines, const std::string& train = kTrain) {
  return After("check-idle", lines, train).said();
}

TEST(CheckIdle, WarnsOfClassesThatTheStepHasNone) {
  EXPECT_EQ(idle(kDp + "  overlap { activation = 0.5 }"),
            R"(PLAN0924 `overlap { activation }` has no effect: the step has no collective of class `activation`
)");
  EXPECT_EQ(idle(kDp + "  overlap { pipeline = 0.5 }"),
            R"(PLAN0924 `overlap { pipeline }` has no effect: the step has no collective of class `pipeline`
)");
  EXPECT_EQ(idle("  overlap { gradient = 0.5; bucket = 1MB; slowdown = 0.1; prefetch = 2 }"),
            R"(PLAN0924 `overlap { gradient }` has no effect: the step has no collective of class `gradient`
PLAN0924 `overlap { bucket }` has no effect: no parameter is gathered and no gradient is reduced
PLAN0924 `overlap { slowdown }` has no effect: the plan has no communication
PLAN0924 `overlap { prefetch }` has no effect: no parameter is gathered for its use
)");
  EXPECT_EQ(idle(kDp + "  states { grads, optimizer -> dp }\n  overlap { prefetch = 2 }"),
            R"(PLAN0924 `overlap { prefetch }` has no effect: no parameter is gathered for its use
)");
  EXPECT_EQ(idle(kDp + "  overlap { prefetch = 2 }"),
            R"(PLAN0924 `overlap { prefetch }` has no effect: no parameter is gathered for its use
)");
}

TEST(CheckIdle, WarnsOfTypesThatTravelNowhere) {
  EXPECT_EQ(idle(kDp + "  precision { rms_norm = fp8 }"),
            R"(PLAN0766 `precision { rms_norm }` has no effect: no result of `rms_norm` is sent to other devices
)");
  EXPECT_EQ(
      idle(kDp + "  precision { matmul.grad = fp8 }"),
      R"(PLAN0766 `precision { matmul.grad }` has no effect: no gradient that the backward of `matmul` makes is on its way to other devices
)");
}

TEST(CheckIdle, SaysNothingOfWhatThereIs) {
  EXPECT_EQ(idle(kDp + "  overlap { gradient = 0.5; bucket = 1MB; slowdown = 0.1 }"), "");
  EXPECT_EQ(idle(kDp + "  states { params, grads, optimizer -> dp }\n  overlap { state = 0.5; prefetch = 2 }"), "");
  EXPECT_EQ(idle("  mesh {\n tp = 2\n pp = 2\n }\n  place { decoder.mlp { ffn -> tp } }\n  pipeline pp { schedule = "
                 "one_f_one_b }\n  overlap { activation = 0.5; pipeline = 0.5 }"),
            R"(PLAN0640 `head.out` does the same work on 2 ranks of `tp`
)");
  EXPECT_EQ(idle("  mesh { tp = 2 }\n  place { decoder {\n seq -> tp\n mlp { ffn -> tp }\n } }\n  precision { rms_norm "
                 "= fp8 }"),
            R"(PLAN0640 `head.out` does the same work on 2 ranks of `tp`
)");
}

TEST(CheckIdle, LeavesTheProgramAlone) {
  const After before("cross-boundaries", kDp + "  overlap { pipeline = 0.5 }"),
      after("check-idle", kDp + "  overlap { pipeline = 0.5 }");
  EXPECT_EQ(before.text(), after.text());
}

} // namespace
} // namespace planc::test::check_idle
