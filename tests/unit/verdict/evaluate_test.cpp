// Tests of verdicts: values, the picture of a failed assertion, contributors, tolerance, and what has no value.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/verdict/Fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace planc;
using ir::ExprOp;
using planc::test::PlanFixture;
using ::testing::HasSubstr;

TEST(VerdictEvaluate, AFailedAssertionDrawsItsValues) {
  PlanFixture f("plan small {\n  assert step_time < 2s : \"training budget\"\n}\n");
  f.estimate.totals.stepTime = 2.5;
  auto t = f.tree("step_time < 2s");
  f.addAssert(t.root(t.op(ExprOp::Lt, "<", t.metric("step_time"), t.literal("2s"))), "training budget");
  auto results = verdict::evaluate(f.plan, f.estimate, f.diagnostics);
  EXPECT_FALSE(results.ok());
  EXPECT_DOUBLE_EQ(*results.assertions[0].value, 2.5);
  EXPECT_EQ(f.rendered(), R"(error[PLAN0901]: assertion failed: training budget
 --> plans/small.plan:2:10
  |
2 |   assert step_time < 2s : "training budget"
  |          ---------^^^-- over by 500 ms (25 %)
  |          |           |
  |          2.5 s       2 s
  = note: largest contributors: compute 2.864 s, exposed tp all-gather 128 ms, pipeline bubble 100 ms
  = note: run `planc explain PLAN0901`
)");
}

TEST(VerdictEvaluate, SumsAndPercentAreDrawnUnderTheirOperators) {
  PlanFixture f("  assert comm.exposed / step_time < 5%\n");
  f.estimate.totals.stepTime = 2;
  f.estimate.totals.exposedComm = 0.3;
  auto t = f.tree("comm.exposed / step_time < 5%");
  auto ratio = t.op(ExprOp::Div, "/", t.metric("comm.exposed"), t.metric("step_time"));
  f.addAssert(t.root(t.op(ExprOp::Lt, "<", ratio, t.literal("5%"))));
  verdict::evaluate(f.plan, f.estimate, f.diagnostics);
  std::string text = f.rendered();
  EXPECT_THAT(text, HasSubstr("assertion failed: `comm.exposed / step_time < 5%`"));
  EXPECT_THAT(text, HasSubstr("over by 10 % (200 %)"));
  EXPECT_THAT(text, HasSubstr("300 ms"));
  EXPECT_THAT(text, HasSubstr("15 %"));
  EXPECT_THAT(text, HasSubstr("largest collectives: exposed tp all-gather 128 ms"));
}

TEST(VerdictEvaluate, TheFailingPartOfAConjunctionIsShown) {
  PlanFixture f("  assert memory.fits and memory.peak < 50GB\n");
  auto t = f.tree("memory.fits and memory.peak < 50GB");
  auto fits = t.metric("memory.fits");
  auto less = t.op(ExprOp::Lt, "<", t.metric("memory.peak"), t.literal("50GB"));
  f.addAssert(t.root(t.op(ExprOp::And, "and", fits, less)));
  auto results = verdict::evaluate(f.plan, f.estimate, f.diagnostics);
  EXPECT_DOUBLE_EQ(*results.assertions[0].value, 6.1e10);
  std::string text = f.rendered();
  EXPECT_THAT(text, HasSubstr("over by 11 GB (22 %)"));
  EXPECT_THAT(text, HasSubstr("false"));
  EXPECT_THAT(text, HasSubstr("of the fullest stage: optimizer states 24 GB, gradients 16 GB, activations 12 GB"));
}

TEST(VerdictEvaluate, ARepeatIsTheSumOfItsChildren) {
  PlanFixture f("measured layer(\"decoder\").forward = 7ms within 1%\n");
  auto metric = f.tree("layer(\"decoder\").forward"), value = f.tree("7ms");
  f.addMeasured(metric.root(metric.layer("decoder", "forward")), value.root(value.literal("7ms")), 0.01);
  auto results = verdict::evaluate(f.plan, f.estimate, f.diagnostics);
  EXPECT_EQ(f.codes(), "");
  EXPECT_NEAR(results.measured[0].predicted, 7e-3, 1e-12);
  EXPECT_TRUE(results.ok());
}

TEST(VerdictEvaluate, InstancesThatDifferAreNamed) {
  PlanFixture f("measured layer(\"decoder.attn\").forward = 3ms\nmeasured layer(\"decoder[3].attn\").forward = 3ms\n"
                "measured layer(\"decoder\").recompute = 1ms\n");
  f.estimate.layers.clear();
  f.estimate.layers.push_back(
      {planc::test::layerOf("decoder[0:20].attn"), 20, 0, 3e-3, 0, 1e-3, 0, 0, 0, 0, 0, 0, cost::Bound::Compute});
  f.estimate.layers.push_back(
      {planc::test::layerOf("decoder[20:32].attn"), 12, 0, 4e-3, 0, 0, 0, 0, 0, 0, 0, 0, cost::Bound::Compute});
  f.estimate.layers.push_back(
      {planc::test::layerOf("decoder.mlp"), 32, 0, 1e-3, 0, 0, 0, 0, 0, 0, 0, 0, cost::Bound::Compute});
  auto all = f.tree("layer(\"decoder.attn\").forward"), one = f.tree("layer(\"decoder[3].attn\").forward"),
       whole = f.tree("layer(\"decoder\").recompute"), value = f.tree("3ms");
  auto three = value.root(value.literal("3ms"));
  f.addMeasured(all.root(all.layer("decoder.attn", "forward")), three, 0.05);
  f.addMeasured(one.root(one.layer("decoder[3].attn", "forward")), three, 0.05);
  f.addMeasured(whole.root(whole.layer("decoder", "recompute")), three, 0.05);
  auto results = verdict::evaluate(f.plan, f.estimate, f.diagnostics);
  EXPECT_EQ(f.codes(), "PLAN0910 PLAN0910");
  EXPECT_TRUE(results.measured[1].ok);
  EXPECT_THAT(f.rendered(), HasSubstr("`decoder[20:32].attn`: 4 ms"));
  EXPECT_THAT(f.rendered(), HasSubstr("name one of them: `layer(\"decoder[0:20].attn\").forward`"));
}

TEST(VerdictEvaluate, OutsideTheToleranceIsAnError) {
  PlanFixture f("measured step_time = 2.5s within 5%\n");
  f.estimate.totals.stepTime = 3;
  auto metric = f.tree("step_time"), value = f.tree("2.5s");
  f.addMeasured(metric.root(metric.metric("step_time")), value.root(value.literal("2.5s")), 0.05);
  auto results = verdict::evaluate(f.plan, f.estimate, f.diagnostics);
  EXPECT_FALSE(results.ok());
  EXPECT_NEAR(results.measured[0].error, 0.2, 1e-12);
  EXPECT_THAT(f.rendered(), HasSubstr("predicted `step_time` is 3 s, measured 2.5 s: the error of +20 % exceeds 5 %"));
  EXPECT_THAT(f.rendered(), HasSubstr("measured by: a paper"));
}

TEST(VerdictEvaluate, WithoutToleranceNothingFails) {
  PlanFixture f("measured step_time = 2.5s\n");
  f.estimate.totals.stepTime = 30;
  auto metric = f.tree("step_time"), value = f.tree("2.5s");
  f.addMeasured(metric.root(metric.metric("step_time")), value.root(value.literal("2.5s")), {});
  EXPECT_TRUE(verdict::evaluate(f.plan, f.estimate, f.diagnostics).ok());
}

TEST(VerdictEvaluate, AMetricWithoutMeaningIsSaid) {
  PlanFixture f("assert straggler < 1s\n");
  auto t = f.tree("straggler < 1s");
  f.addAssert(t.root(t.op(ExprOp::Lt, "<", t.metric("straggler"), t.literal("1s"))));
  auto results = verdict::evaluate(f.plan, f.estimate, f.diagnostics);
  EXPECT_EQ(f.codes(), "PLAN0903");
  EXPECT_FALSE(results.assertions[0].ok);
  EXPECT_FALSE(results.assertions[0].value);
}

TEST(VerdictEvaluate, DivisionByZeroIsSaid) {
  PlanFixture f("assert step_time / bubble > 3\n");
  f.estimate.totals.bubble = 0;
  auto t = f.tree("step_time / bubble > 3");
  auto ratio = t.op(ExprOp::Div, "/", t.metric("step_time"), t.metric("bubble"));
  f.addAssert(t.root(t.op(ExprOp::Gt, ">", ratio, t.literal("3"))));
  verdict::evaluate(f.plan, f.estimate, f.diagnostics);
  EXPECT_EQ(f.codes(), "PLAN0908");
  EXPECT_THAT(f.rendered(), HasSubstr("`step_time / bubble` has no value: `bubble` is 0"));
}

TEST(VerdictEvaluate, ALayerWithoutARowIsSaid) {
  PlanFixture f("assert layer(\"decoder.core\").forward < 1s\n");
  auto t = f.tree("layer(\"decoder.core\").forward < 1s");
  f.addAssert(t.root(t.op(ExprOp::Lt, "<", t.layer("decoder.core", "forward"), t.literal("1s"))));
  verdict::evaluate(f.plan, f.estimate, f.diagnostics);
  EXPECT_EQ(f.codes(), "PLAN0912");
}
