// One factor per stack from step times: that it is found, that a wild run does not move it, that errors are of runs
// left out.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/fit/Scale.h"

#include <cmath>
#include <gmock/gmock.h>
#include <numbers>

using namespace planc;
using namespace planc::calibrate;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace {

/// A run whose step is factor · 10 s + 0.5 s of stragglers, measured as the model with `truth` would have it, times
/// `noise`.
StepRun run(const std::string& plan, double truth, double noise = 1, const std::string& stack = "te.te") {
  StepRun out{plan, stack, 0, 0, 1.02, 10, "our run", {}};
  out.predicted = 10 * out.factor + 0.5;
  out.measured = (10 * truth + 0.5) * noise;
  return out;
}

std::vector<std::string> codes(const DiagnosticEngine& diagnostics) {
  std::vector<std::string> all;
  for (const Diagnostic* d : diagnostics.sorted()) all.push_back(d->kind->id());
  return all;
}

TEST(Scale, FindsTheFactorBehindTheSteps) {
  DiagnosticEngine diagnostics;
  const std::vector<StepRun> runs{run("a", 1.2), run("b", 1.2), run("c", 1.2)};
  const std::vector<StackScale> scales = fitScales(runs, {}, diagnostics);
  EXPECT_THAT(codes(diagnostics), IsEmpty());
  ASSERT_EQ(scales.size(), 1u);
  EXPECT_NEAR(scales[0].factor, 1.2, 1e-12) << "what the stack does not multiply is left alone";
  EXPECT_NEAR(scales[0].after, 0, 1e-12);
  EXPECT_NEAR(scales[0].before, 1 - 10.7 / 12.5, 1e-12);
}

TEST(Scale, AWildRunDoesNotMoveIt) {
  DiagnosticEngine diagnostics;
  std::vector<StepRun> runs{run("a", 1.19), run("b", 1.2), run("c", 1.21), run("d", 1.2), run("wild", 2.4)};
  const std::vector<StackScale> scales = fitScales(runs, {}, diagnostics);
  EXPECT_NEAR(scales[0].factor, 1.2, 1e-12);
  EXPECT_LT(scales[0].after, 0.01);
  EXPECT_LT(scales[0].runs.back().after, -0.4) << "it is still shown for what it is";
}

/// Of two runs left over the median is their mean: 1.3 and 1.5 predict the run of 1.1 as 1.4 would.
TEST(Scale, ErrorsAreOfTheRunLeftOut) {
  DiagnosticEngine diagnostics;
  const std::vector<StepRun> runs{run("a", 1.1), run("b", 1.3), run("c", 1.5)};
  const std::vector<StackScale> scales = fitScales(runs, {}, diagnostics);
  EXPECT_NEAR(scales[0].runs[0].after, (10 * 1.4 + 0.5) / (10 * 1.1 + 0.5) - 1, 1e-12);
  EXPECT_NEAR(scales[0].runs[1].after, 0, 1e-12);
  EXPECT_NEAR(scales[0].factor, 1.3, 1e-12);
}

TEST(Scale, StacksAreFittedApartAndFewRunsAreRefused) {
  DiagnosticEngine diagnostics;
  const std::vector<StepRun> runs{run("a", 1.2), run("b", 1.2), run("c", 1.2), run("d", 1, 1, "fsdp.torchtitan"),
                                  run("e", 1, 1, "fsdp.torchtitan")};
  EXPECT_EQ(fitScales(runs, {}, diagnostics).size(), 1u);
  EXPECT_THAT(codes(diagnostics), ElementsAre("PLAN1060"));
  EXPECT_THAT(diagnostics.sorted()[0]->message, HasSubstr("2 plans of `fsdp.torchtitan` have"));
}

TEST(Scale, NoRunsAreRefused) {
  DiagnosticEngine diagnostics;
  EXPECT_TRUE(fitScales({}, {}, diagnostics).empty());
  EXPECT_THAT(codes(diagnostics), ElementsAre("PLAN1062"));
}

TEST(Scale, NoiseIsNoScale) {
  DiagnosticEngine apart;
  fitScales(std::vector<StepRun>{run("a", 0.9), run("b", 1.03), run("c", 1.2)}, {}, apart);
  EXPECT_THAT(codes(apart), ElementsAre("PLAN1061")) << "a gain of one percent among runs that lie ten apart";
  DiagnosticEngine same;
  fitScales(std::vector<StepRun>{run("a", 1.02), run("b", 1.02), run("c", 1.02)}, {}, same);
  EXPECT_THAT(codes(same), ElementsAre("PLAN1061")) << "nothing to gain";
}

/// Three runs at ±2 %: Student's t with two degrees of freedom makes that a wide interval, many runs make it narrow.
TEST(Scale, TheIntervalSaysHowFewRunsThereWere) {
  DiagnosticEngine diagnostics;
  const auto width = [&](const std::vector<StepRun>& runs) {
    const StackScale scale = fitScales(runs, {}, diagnostics)[0];
    EXPECT_LT(scale.low, 1);
    EXPECT_GT(scale.high, 1);
    return std::log(scale.high / scale.low);
  };
  std::vector<StepRun> few{run("a", 1.2, 0.98), run("b", 1.2), run("c", 1.2, 1.02)}, many;
  for (int i = 0; i < 30; ++i) many.push_back(few[static_cast<size_t>(i % 3)]);
  EXPECT_GT(width(few), 2 * width(many));
  EXPECT_NEAR(width(many), 2 * 1.699 * 0.02 * std::sqrt(2.0 / 3), 0.01);
  EXPECT_NEAR(width({run("a", 1.2, 0.1), run("b", 1.2), run("c", 1.2, 10)}), std::log(100.0), 1e-9)
      << "no wider than a stack may say";
}

TEST(Scale, RunsThatAgreeAreNoSurerThanAnyOther) {
  DiagnosticEngine diagnostics;
  std::vector<StepRun> runs{run("a", 1.2), run("b", 1.2), run("c", 1.2)};
  const StackScale same = fitScales(runs, {}, diagnostics)[0];
  EXPECT_NEAR(same.high, 1.03, 1e-12);
  EXPECT_NEAR(same.low, 1 / 1.03, 1e-12);
}

/// What records make of the interval is added where the stack is used: the runs tell what is left of it.
TEST(Scale, WhatRecordsSayIsNotSaidTwice) {
  DiagnosticEngine diagnostics;
  std::vector<StepRun> runs{run("a", 1.2, 0.95), run("b", 1.2), run("c", 1.2, 1.05)};
  const StackScale alone = fitScales(runs, {}, diagnostics)[0];
  for (StepRun& r : runs) r.terms = 0.1;
  const StackScale beside = fitScales(runs, {}, diagnostics)[0];
  EXPECT_NEAR(std::hypot(std::log(beside.high), 0.1), std::log(alone.high), 1e-12);
  EXPECT_NEAR(std::hypot(std::log(beside.low), 0.1), -std::log(alone.low), 1e-12);
}

/// Three runs move what they can tell: less where the library is sure, or where they lie apart; all of it where it is
/// not.
TEST(Scale, TheLibraryIsThePrior) {
  DiagnosticEngine diagnostics;
  const auto factor = [&](double believed, double apart, size_t n = 3) {
    std::vector<StepRun> runs;
    for (size_t i = 0; i < n; ++i) runs.push_back(run("r", 1.2 * (1 + apart * (static_cast<double>(i % 3) - 1))));
    for (StepRun& r : runs) r.believed = believed;
    return fitScales(runs, {}, diagnostics)[0].factor;
  };
  // By hand: three equal runs are as sure as π/2 · 2 · 0.05² / 4 / 3 as a variance.
  const double variance = std::numbers::pi / 2 * 2 * 0.05 * 0.05 / 4 / 3;
  EXPECT_NEAR(factor(0.1, 0), 1.02 * std::pow(1.2 / 1.02, 0.01 / (0.01 + variance)), 1e-12);
  EXPECT_NEAR(factor(0, 0), 1.2, 1e-12) << "without an interval the runs alone say it";
  EXPECT_LT(factor(0.02, 0), factor(0.1, 0));
  EXPECT_LT(factor(0.1, 0.1), factor(0.1, 0));
  EXPECT_GT(factor(0.1, 0, 30), factor(0.1, 0));
  EXPECT_LT(factor(0.1, 0, 30), 1.2);
}

TEST(Scale, AFactorThatNoStackMayHaveIsRefused) {
  DiagnosticEngine unit, wide, gain;
  EXPECT_TRUE(fitScales(std::vector<StepRun>{run("a", 12), run("b", 12), run("c", 12)}, {}, unit).empty());
  EXPECT_THAT(codes(unit), ElementsAre("PLAN1063"));
  EXPECT_THAT(unit.sorted()[0]->message, HasSubstr("take 11.8 times"));
  EXPECT_EQ(fitScales(std::vector<StepRun>{run("a", 1.72), run("b", 1.72), run("c", 1.72)}, {}, wide).size(), 1u);
  EXPECT_THAT(codes(wide), ElementsAre("PLAN1064"));
  EXPECT_THAT(wide.sorted()[0]->message, HasSubstr("1.72: 42 %, neither computation nor communication"));
  fitScales(std::vector<StepRun>{run("a", 0.8), run("b", 0.8), run("c", 0.8)}, {}, gain);
  EXPECT_THAT(codes(gain), ElementsAre("PLAN1064"));
  EXPECT_THAT(gain.sorted()[0]->message, HasSubstr("0.8: a gain of 20 %"));
}

TEST(Scale, AStackSaysHowFarItsRunsReach) {
  DiagnosticEngine diagnostics;
  std::vector<StepRun> runs{run("a", 1.2), run("b", 1.2), run("c", 1.2)};
  for (StepRun& r : runs) r.architecture = "hopper", r.devices = 64, r.sequence = 4096;
  runs[1].devices = 128;
  runs[2].sequence = 131072;
  const std::vector<StackScale> scales = fitScales(runs, {}, diagnostics);
  StackBase::Accuracy base{57, 2, 0.9, 1.1, {{"hopper", 1024}, {"ampere", 8}}, 131072};
  const std::string first = scaleLibrary(scales, std::vector<StackBase>{{"te.te", "std.stacks.te", "te.te"}}, "r.plan");
  EXPECT_THAT(
      first,
      HasSubstr("    seen {\n      hopper = 128 : \"the largest of these runs\"\n    }\n    sequence = 131072 : "));
  const std::string again =
      scaleLibrary(scales, std::vector<StackBase>{{"te.te", "std.stacks.te", "te.te", base}}, "r.plan");
  EXPECT_THAT(again, HasSubstr("      override hopper = 128 : "));
  EXPECT_THAT(again, Not(HasSubstr("sequence"))) << "as the base's";
  EXPECT_THAT(first, Not(HasSubstr("experts")));
}

TEST(Scale, AStackSaysWhereItsRunsHadExperts) {
  DiagnosticEngine diagnostics;
  std::vector<StepRun> runs{run("a", 1.2), run("b", 1.2), run("c", 1.2)};
  for (StepRun& r : runs) r.architecture = "hopper", r.devices = 64;
  runs[1].experts = true, runs[2].devices = 128;
  StackBase::Accuracy base{57, 2, 0.9, 1.1, {{"hopper", 128}}, {}, {{"hopper", 1024}}};
  const std::vector<StackScale> scales = fitScales(runs, {}, diagnostics);
  EXPECT_THAT(scaleLibrary(scales, std::vector<StackBase>{{"te.te", "std.stacks.te", "te.te"}}, "r.plan"),
              HasSubstr("    experts {\n      hopper = 64 : \"the largest of these runs\"\n    }\n"));
  EXPECT_THAT(scaleLibrary(scales, std::vector<StackBase>{{"te.te", "std.stacks.te", "te.te", base}}, "r.plan"),
              HasSubstr("    experts {\n      override hopper = 64 : "));
}

TEST(Scale, WritesAStackWithItsSource) {
  DiagnosticEngine diagnostics;
  const std::vector<StepRun> runs{run("a", 1.2), run("b", 1.2), run("c", 1.2)};
  const std::vector<StackScale> scales = fitScales(runs, {}, diagnostics);
  const std::vector<StackBase> bases{{"te.te", "std.stacks.te", "te.te"}},
      known{{"te.te", "std.stacks.te", "te.te", StackBase::Accuracy{57, 2, 0.9, 1.1}}},
      same{{"te.te", "std.stacks.te", "te.te", StackBase::Accuracy{57, 1, 0.9, 1.03}}};
  const std::string text = scaleLibrary(scales, bases, "runs.plan");
  EXPECT_THAT(text, HasSubstr("import std.stacks.te\n"));
  EXPECT_THAT(text, HasSubstr("export stack te_scaled extends te.te {"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "override unattributed = 1.2 : \"1.176 times that of te.te: towards the median of 3 runs of runs.plan"));
  EXPECT_THAT(text, HasSubstr("  accuracy {\n    runs = 3 : "));
  const std::string again = scaleLibrary(scales, known, "runs.plan");
  for (const char* fact : {"runs = 3", "sources = 1", "low = 0.9709", "high = 1.03"})
    EXPECT_THAT(again, HasSubstr(std::string("    override ") + fact + " : ")) << "the base's other facts stay";
  const std::string alike = scaleLibrary(scales, same, "runs.plan");
  for (const char* fact : {"sources = ", "high = "})
    EXPECT_THAT(alike, Not(HasSubstr(fact))) << "an override that changes nothing is an error";
  EXPECT_THAT(alike, HasSubstr("    override runs = 3 : "));
  const std::vector<StepRun> right{run("a", 1.02), run("b", 1.02), run("c", 1.02)};
  EXPECT_THAT(scaleLibrary(fitScales(right, {}, diagnostics), known, "runs.plan"), Not(HasSubstr("unattributed =")));
}

} // namespace
