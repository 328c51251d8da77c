// Tests of the type check of assert and measured lines.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/verdict/Fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace planc;
using ir::ExprOp;
using planc::test::PlanFixture;
using ::testing::HasSubstr;

TEST(VerdictCheck, AcceptsAWellTypedCondition) {
  PlanFixture f("assert step_time < 7s and memory.fits\n");
  auto t = f.tree("step_time < 7s and memory.fits");
  auto less = t.op(ExprOp::Lt, "<", t.metric("step_time"), t.literal("7s"));
  f.addAssert(t.root(t.op(ExprOp::And, "and", less, t.metric("memory.fits"))));
  verdict::check(f.plan, f.diagnostics);
  EXPECT_EQ(f.codes(), "");
}

TEST(VerdictCheck, SuggestsTheNearestMetric) {
  PlanFixture f("assert step_tme < 7s\n");
  auto t = f.tree("step_tme < 7s");
  f.addAssert(t.root(t.op(ExprOp::Lt, "<", t.metric("step_tme"), t.literal("7s"))));
  verdict::check(f.plan, f.diagnostics);
  EXPECT_EQ(f.codes(), "PLAN0904");
  EXPECT_THAT(f.rendered(), HasSubstr("did you mean `step_time`?"));
}

TEST(VerdictCheck, UnitsOfBothSidesAgree) {
  PlanFixture f("assert tokens_per_second > 1e6\n");
  auto t = f.tree("tokens_per_second > 1e6");
  f.addAssert(t.root(t.op(ExprOp::Gt, ">", t.metric("tokens_per_second"), t.literal("1e6"))));
  verdict::check(f.plan, f.diagnostics);
  EXPECT_EQ(f.codes(), "PLAN0905");
  EXPECT_THAT(f.rendered(),
              HasSubstr("`tokens_per_second` is tokens/time and `1e6` is a number: they cannot be compared"));
  EXPECT_THAT(f.rendered(), HasSubstr("give the number its unit, one of `tokens/s`, `ktokens/s`"));
}

TEST(VerdictCheck, SumsAgreeAndProductsCombine) {
  PlanFixture f("assert step_time + memory.peak < 7s\nassert memory.peak / step_time < 7GB/s\n");
  auto sum = f.tree("step_time + memory.peak < 7s");
  auto added = sum.op(ExprOp::Add, "+", sum.metric("step_time"), sum.metric("memory.peak"));
  f.addAssert(sum.root(sum.op(ExprOp::Lt, "<", added, sum.literal("7s"))));
  auto ratio = f.tree("memory.peak / step_time < 7GB/s");
  auto divided = ratio.op(ExprOp::Div, "/", ratio.metric("memory.peak"), ratio.metric("step_time"));
  f.addAssert(ratio.root(ratio.op(ExprOp::Lt, "<", divided, ratio.literal("7GB/s"))));
  verdict::check(f.plan, f.diagnostics);
  EXPECT_EQ(f.codes(), "PLAN0905");
  EXPECT_THAT(f.rendered(), HasSubstr("they cannot be added"));
}

TEST(VerdictCheck, AnAssertionIsACondition) {
  PlanFixture f("assert step_time\n");
  auto t = f.tree("step_time");
  f.addAssert(t.root(t.metric("step_time")));
  verdict::check(f.plan, f.diagnostics);
  EXPECT_EQ(f.codes(), "PLAN0906");
}

TEST(VerdictCheck, AConditionIsNoNumber) {
  PlanFixture f("assert memory.fits + 1 > 0\n");
  auto t = f.tree("memory.fits + 1 > 0");
  auto added = t.op(ExprOp::Add, "+", t.metric("memory.fits"), t.literal("1"));
  f.addAssert(t.root(t.op(ExprOp::Gt, ">", added, t.literal("0"))));
  verdict::check(f.plan, f.diagnostics);
  EXPECT_EQ(f.codes(), "PLAN0907");
}

TEST(VerdictCheck, LayersHaveRows) {
  PlanFixture f("measured layer(\"decoder.atn\").forward = 3ms\nmeasured layer(\"decoder[0:33].attn\").forward = 3ms\n"
                "measured layer(\"decoder[0:8].attn\").forward = 3ms\nmeasured layer(\"decoder\").fwd = 3ms\n");
  for (auto [path, field] : {std::pair("decoder.atn", "forward"), std::pair("decoder[0:33].attn", "forward"),
                             std::pair("decoder[0:8].attn", "forward"), std::pair("decoder", "fwd")}) {
    std::string text = "layer(\"" + std::string(path) + "\")." + field;
    auto metric = f.tree(text);
    auto value = f.tree("3ms");
    f.addMeasured(metric.root(metric.layer(path, field)), value.root(value.literal("3ms")), 0.05);
  }
  verdict::check(f.plan, f.diagnostics);
  EXPECT_EQ(f.codes(), "PLAN0909 PLAN0909 PLAN0904");
  EXPECT_THAT(f.rendered(), HasSubstr("did you mean `decoder.attn`?"));
}

TEST(VerdictCheck, MeasuredHasTheMetricsUnit) {
  PlanFixture f("measured step_time = 7GB within 5%\n");
  auto metric = f.tree("step_time"), value = f.tree("7GB");
  f.addMeasured(metric.root(metric.metric("step_time")), value.root(value.literal("7GB")), 0.05);
  verdict::check(f.plan, f.diagnostics);
  EXPECT_EQ(f.codes(), "PLAN0905");
}

TEST(VerdictCheck, MeasuredIsPositive) {
  PlanFixture f("measured step_time = 0s within 5%\n");
  auto metric = f.tree("step_time"), value = f.tree("0s");
  f.addMeasured(metric.root(metric.metric("step_time")), value.root(value.literal("0s")), 0.05);
  verdict::check(f.plan, f.diagnostics);
  EXPECT_EQ(f.codes(), "PLAN0911");
}
