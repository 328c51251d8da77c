// bind-precision: the element types of each layer; refuses facts that say nothing there, or two things.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/passes/After.h"

#include <gtest/gtest.h>

namespace planc::test::bind_precision {
namespace {

/// `path type` of the results and parameters that do not have the plan's types.
std::string types(const std::string& lines) {
  const After a("bind-precision", lines);
  if (!a.program) return a.said();
  std::string text = a.said();
  for (uint32_t v = 0; v < a->model->values.size(); ++v) {
    const ir::Value& value = a->model->values[ir::ValueId(v)];
    if (value.precision == 0) continue;
    text += a->model->pathOf(ir::ValueId(v)) + " " + std::string(name(a->dtypeOf(ir::ValueId(v)))) + "\n";
  }
  return text;
}

TEST(BindPrecision, TheInnerRuleHolds) {
  EXPECT_EQ(types("  precision {\n compute = bf16\n at decoder.mlp { activations = fp32; params = fp16 }\n at "
                  "decoder.mlp.act { activations = fp16 }\n }"),
            R"(decoder.mlp.w_gate fp16
decoder.mlp.w_up fp16
decoder.mlp.w_down fp16
decoder.mlp.gate fp32
decoder.mlp.up fp32
decoder.mlp.act fp16
decoder.mlp.out fp32
)");
}

TEST(BindPrecision, WhatARepeatCarriesHasTheTypeOfItsEnd) {
  EXPECT_EQ(types("  precision {\n compute = bf16\n at decoder.out { activations = fp32 }\n }"), R"(decoder.x fp32
decoder.out fp32
decoder.x fp32
)");
}

TEST(BindPrecision, RulesThatReachTheSameShareOnePrecision) {
  const After a("bind-precision",
                "  precision {\n compute = bf16\n at decoder { activations = fp32 }\n at head { params = fp32 }\n }");
  ASSERT_TRUE(a.program);
  EXPECT_EQ(a->precisions.size(), 3u);
}

TEST(BindPrecision, RefusesWhatSaysNothing) {
  EXPECT_EQ(types("  precision { at decoder.norm { compute = fp8 } }"),
            R"(PLAN0761 `compute` has no effect on `decoder.norm`: there are no products
)");
  EXPECT_EQ(types("  precision { at decoder.mlp.act { params = fp32 } }"),
            R"(PLAN0761 `params` has no effect on `decoder.mlp.act`: no parameter without a type of its own is there
)");
  EXPECT_EQ(types("  precision { at decoder.mlp.act { grads = fp32 } }"),
            R"(PLAN0761 `grads` has no effect on `decoder.mlp.act`: no parameters are trained there
)");
  EXPECT_EQ(types("  precision { at loss { saved = fp8 } }"), R"(loss bf16
)");
}

TEST(BindPrecision, WhatIsFrozenDoesNotTrain) {
  const auto said = [](const std::string& fact) {
    return After("bind-precision", "  precision { at decoder { " + fact + " } }", kTrain + "; freeze = [decoder]")
        .said();
  };
  EXPECT_EQ(said("grads = bf16"), R"(PLAN0761 `grads` has no effect on `decoder`: no parameters are trained there
)");
  EXPECT_EQ(said("frozen = fp8"), "");
}

TEST(BindPrecision, RefusesTwoRulesOfOneDepth) {
  EXPECT_EQ(types("  precision {\n at decoder.* { params = fp32 }\n at *.mlp { params = bf16 }\n }"),
            R"(PLAN0762 two rules give `params` of `decoder.mlp.gate` different types: fp32 and bf16
)");
  EXPECT_EQ(types("  precision {\n at decoder.* { params = fp32 }\n at *.mlp { params = fp32 }\n }").find("PLAN0762"),
            std::string::npos);
}

TEST(BindPrecision, RefusesARecipeThatTheDeviceDoesNotHave) {
  EXPECT_EQ(types("  cluster = hgx.hgx_h100(nodes = 1)\n  mesh { dp = 8 }\n  precision { compute = mxfp8 }"),
            R"(PLAN0765 device `h100_sxm5_80gb` cannot multiply `mxfp8`
)");
}

TEST(BindPrecision, WarnsOfWhatHoldsAnyway) {
  EXPECT_EQ(types("  precision {\n compute = bf16\n at decoder.mlp { compute = bf16 }\n }"),
            R"(PLAN0763 `compute` of `decoder.mlp` is already bf16
decoder.mlp.w_gate bf16
decoder.mlp.w_up bf16
decoder.mlp.w_down bf16
decoder.mlp.gate bf16
decoder.mlp.up bf16
decoder.mlp.act bf16
decoder.mlp.out bf16
)");
  EXPECT_EQ(types("  precision {\n compute = bf16\n saved = fp32\n }"),
            R"(PLAN0767 `saved` has no effect: no value kept for backward is wider
)");
  EXPECT_EQ(
      types("  precision {\n compute = bf16\n params = fp32\n optimizer { master = bf16 }\n }"),
      R"(PLAN0767 `optimizer.master` has no effect: parameters are stored as wide as the states, so none has a master copy
)");
}

TEST(BindPrecision, WarnsOfKeepingInTheTypeThatThereIs) {
  EXPECT_EQ(types("  precision {\n compute = bf16\n saved = bf16\n }"),
            R"(PLAN0767 `saved` has no effect: no value kept for backward is wider
)");
}

TEST(BindPrecision, LeavesAPlanWithoutRulesAlone) {
  const After a("bind-precision", "  precision { compute = bf16 }");
  EXPECT_EQ(a.said(), "");
  EXPECT_EQ(a->precisions.size(), 1u);
  for (const ir::Op& op : a->model->ops) EXPECT_EQ(op.precision, 0u);
}

} // namespace
} // namespace planc::test::bind_precision
