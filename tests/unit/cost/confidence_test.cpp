// The interval of a step time: what widens it, what never may, and where there is none.
// SPDX-License-Identifier: Apache-2.0
#include "Fixtures.h"
#include "backends/cost/result/Confidence.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/facts/StackFacts.h"

#include <gtest/gtest.h>
#include <limits>

namespace planc::cost::test {
namespace {

using namespace ir;

/// A product of 2.1 GFLOP and a memory operator, four layers on one node.
constexpr DeviceFact kGemm[] = {DeviceFact::GemmEfficiency, DeviceFact::GemmMemoryEfficiency, DeviceFact::GemmStart};

struct Step : Builder {
  DiagnosticEngine diagnostics;
  explicit Step(double bytes = 1e6) : Builder(1, {{"tp", 8}}) {
    const LayerClassId id = unit("layer", 4, true);
    const OpId proj = op("matmul", OpKind::Gemm, "proj");
    program.model.edit().ops[proj].flops = Poly::constant(2.0 * 1024 * 1024 * 1024);
    Node product = compute(proj);
    product.compute().work.m = product.compute().work.n = product.compute().work.k = 1024;
    Node norm = compute(op("layer_norm", OpKind::Memory, "norm"));
    norm.compute().work.firstOperandBytes = bytes;
    body(id).forward.edit() = {product, norm};
    stages(1, 1, {{4}});
    for (const DeviceFact fact : kGemm)
      edit(plan.cluster).device.number(fact, DType::fp16)->statistics = {
          .calibrated = true, .samples = 100, .error = 0.05, .low = 1e9, .high = 1e12, .record = "gemm"};
    Statistics derived{.calibrated = true, .record = "passes.layer_norm"};
    edit(plan.stack).number(StackFact::PassesForward, Symbol("layer_norm"))->statistics = derived;
  }
  Statistics& efficiency() {
    return edit(plan.cluster).device.number(DeviceFact::GemmEfficiency, DType::fp16)->statistics;
  }
  Confidence sure() {
    const auto e = estimate(diagnostics);
    return e ? e->totals.confidence : Confidence();
  }
};

TEST(Confidence, SaysWhatTheStepStandsOn) {
  const Confidence c = Step().sure();
  ASSERT_EQ(c.terms.size(), 2u);
  double shares = 0;
  for (const RecordShare& t : c.terms) shares += t.share;
  EXPECT_NEAR(shares, 1, 1e-9) << "one record per node here";
  EXPECT_EQ(c.outside, 0);
  EXPECT_EQ(c.coverage, 0.9);
  EXPECT_LE(c.low, c.runsLow);
  EXPECT_LT(c.low, 1);
  EXPECT_GE(c.high, c.runsHigh);
}

/// `error` is a median and `p90` a quantile, an interval takes standard deviations: of a normal error half of its size
/// is below 0.6745 and nine of ten below 1.6449 of them.
TEST(Confidence, CountsQuantilesAsDeviations) {
  const auto error = [](double p90) {
    Step step;
    for (const DeviceFact fact : kGemm) edit(step.plan.cluster).device.number(fact, DType::fp16)->statistics.p90 = p90;
    for (const RecordShare& t : step.sure().terms)
      if (t.record == "gemm") return t.error;
    return 0.0;
  };
  EXPECT_NEAR(error(0), 0.05 / 0.6745, 1e-9);
  EXPECT_NEAR(error(0.2), 0.2 / 1.6449, 1e-9) << "the tail says more than the median";
}

TEST(Confidence, FurtherFromItsSamplesIsNeverSurer) {
  Confidence before = Step().sure();
  for (double high : {1e9, 1e8, 1e6}) {
    Step run;
    run.efficiency().high = high;
    run.efficiency().low = high / 10;
    const Confidence c = run.sure();
    EXPECT_GT(c.high, before.high);
    EXPECT_LT(c.low, before.low);
    EXPECT_GT(c.outside, 0.1);
    before = c;
  }
}

TEST(Confidence, LessTimeOnUncalibratedRecordsIsNeverLessSure) {
  double before = std::numeric_limits<double>::infinity();
  for (double share = 0.9; share > 0.15; share -= 0.1) {
    Confidence c;
    c.terms = {{"derived", share, 0.3, 0, 0}, {"sampled", 1 - share, 0.02, 0, 100}};
    setInterval(c, {.low = 0.95, .high = 1.1});
    EXPECT_LT(c.high, before) << share;
    EXPECT_LE(c.low, 1);
    EXPECT_GE(c.high, 1);
    before = c.high;
  }
}

TEST(Confidence, FactsWithoutSamplesAreAssumedToBeOff) {
  Step derived;
  for (const DeviceFact fact : kGemm)
    edit(derived.plan.cluster).device.number(fact, DType::fp16)->statistics = {.calibrated = true, .record = "gemm"};
  EXPECT_GT(derived.sure().high, Step().sure().high);
}

/// A stack whose runs were on eight devices of one architecture, with this one's products compared with runs.
struct Seen : Step {
  Seen() {
    edit(plan.cluster).device.architecture = "ampere";
    edit(plan.cluster).device.set(DeviceFact::GemmRuns, arithmetic(plan.precision.compute), number(10));
    Stack& stack = edit(plan.stack);
    stack.set(StackFact::AccuracySeen, Symbol("ampere"), number(8));
    stack.set(StackFact::AccuracyNewArchitecture, number(0.1));
    stack.set(StackFact::AccuracyNewType, number(0.08));
    stack.set(StackFact::AccuracyNewDevices, number(0.02));
  }
  /// The error of the term whose text holds this; 0 without one.
  double error(std::string_view what) {
    for (const RecordShare& t : sure().terms)
      if (t.what.find(what) != std::string::npos) {
        EXPECT_EQ(t.share, 1) << "the whole step stands on it";
        return t.error;
      }
    return 0;
  }
};

TEST(Confidence, WhatTheRunsReachAddsNothing) {
  const Confidence home = Seen().sure();
  EXPECT_EQ(home.terms.size(), Step().sure().terms.size());
  EXPECT_EQ(home.high, Step().sure().high);
}

TEST(Confidence, EachWayBeyondTheRunsIsATerm) {
  Seen device;
  edit(device.plan.cluster).device.architecture = "hopper";
  EXPECT_EQ(device.error("architecture `hopper`"), 0.1);
  EXPECT_GT(device.sure().high, Seen().sure().high);
  Seen own;
  edit(own.plan.cluster).device.architecture.clear();
  EXPECT_EQ(own.error("on device `a100`"), 0.1) << "a device of one's own";
  Seen type;
  edit(type.plan.cluster).device.erase(DeviceFact::GemmRuns, arithmetic(type.plan.precision.compute));
  EXPECT_EQ(type.error("no run in "), 0.08);
  Seen large;
  edit(large.plan.stack).set(StackFact::AccuracySeen, Symbol("ampere"), number(2));
  EXPECT_DOUBLE_EQ(large.error("8 devices"), 0.02 * std::log(4.0));
  Seen near;
  edit(near.plan.stack).set(StackFact::AccuracySeen, Symbol("ampere"), number(4));
  EXPECT_EQ(near.error("devices"), 0) << "twice as much is near";
}

/// A stack with releases of a month, and what a year of them brings.
struct Released : Step {
  explicit Released(const char* installed = nullptr) {
    Stack& stack = edit(plan.stack);
    stack.set(StackFact::Released, Symbol("2026-02"), number(0));
    if (installed) stack.set(StackFact::Installed, Symbol(installed), number(0));
    stack.set(StackFact::AccuracyNewYear, number(0.12));
    stack.set(StackFact::AccuracyNewUnstated, number(0.5));
    stack.set(StackFact::AccuracyNewYears, number(2));
  }
};

TEST(Confidence, NewerSoftwareMayBeFasterAndOlderSlower) {
  const Confidence known = Released("2026-02").sure(), newer = Released("2026-08").sure(),
                   older = Released("2025-08").sure(), unsaid = Released().sure();
  EXPECT_EQ(known.low, Step().sure().low);
  EXPECT_EQ(newer.high, known.high);
  EXPECT_NEAR(std::log(newer.low), -std::hypot(std::log(known.low), 0.06), 1e-9) << "half a year";
  EXPECT_EQ(older.low, known.low);
  EXPECT_NEAR(std::log(older.high), std::hypot(std::log(known.high), 0.06), 1e-9);
  EXPECT_EQ(unsaid.low, newer.low) << "a plan that does not say may be half a year ahead";
  Released fitted;
  edit(fitted.plan.stack).set(StackFact::FittedDate, Symbol("2026-11-01"), number(0));
  EXPECT_EQ(fitted.sure().low, known.low) << "its own steps were of its software";
  edit(fitted.plan.stack).set(StackFact::Installed, Symbol("2026-10"), number(0));
  EXPECT_EQ(fitted.sure().low, known.low) << "which the fit saw";
  EXPECT_EQ(Released("9999-12").sure().low, Released("2028-02").sure().low) << "two years are known";
  const Confidence span = Released("2025-08 to 2026-08").sure();
  EXPECT_EQ(span.low, newer.low);
  EXPECT_EQ(span.high, older.high);
}

TEST(Confidence, ScoresWithoutRunsAndRatesWidenTheirShare) {
  const auto error = [](auto change) {
    Step step;
    Stack& stack = edit(step.plan.stack);
    stack.set(StackFact::AccuracyNewKind, number(0.4));
    step.program.model.edit().ops[OpId(0)].kind = OpKind::Scores;
    change(stack);
    for (const RecordShare& t : step.sure().terms)
      if (t.what.find("scores that are not one fused attention") != std::string::npos) return t.error;
    return 0.0;
  };
  EXPECT_EQ(error([](Stack&) {}), 0.4);
  EXPECT_EQ(error([](Stack& s) { s.set(StackFact::AccuracyKindsScores, number(8)); }), 0) << "such runs";
  EXPECT_EQ(error([](Stack& s) { s.set(StackFact::RatesForward, Symbol("matmul"), number(0.5)); }), 0)
      << "a kernel's samples";
}

TEST(Confidence, AStackWithoutRunsIsAnotherFramework) {
  Seen none;
  edit(none.plan.stack).erase(StackFact::AccuracySeen, Symbol("ampere"));
  edit(none.plan.stack).set(StackFact::AccuracyNewFramework, number(0.15));
  EXPECT_EQ(none.error("no run of stack"), 0.15);
}

TEST(Confidence, ItsWidthAddsUp) {
  Released both("2026-08");
  const Confidence c = both.sure();
  double sum = 0;
  for (const WidthPart& p : widthParts(c)) sum += p.share;
  EXPECT_NEAR(sum, 1, 1e-9);
}

TEST(Confidence, AStackThatGivesNoAccuracyHasNoInterval) {
  Step run;
  for (uint8_t id = static_cast<uint8_t>(StackFact::AccuracyRuns);
       id <= static_cast<uint8_t>(StackFact::AccuracyRatioOtherMesh); ++id)
    edit(run.plan.stack).erase(static_cast<StackFact>(id));
  const auto e = run.estimate(run.diagnostics);
  ASSERT_TRUE(e);
  EXPECT_EQ(e->totals.confidence.coverage, 0);
  EXPECT_FALSE(e->totals.stepTimeLow());
  EXPECT_FALSE(e->totals.stepTimeHigh());
}

TEST(Confidence, AReadingThatHardlyCountsIsNoWarning) {
  for (double bytes : {1e3, 1e9}) {
    Step run(bytes);
    auto& forward = edit(run.plan.stack).number(StackFact::PassesForward, Symbol("layer_norm"))->statistics;
    forward.low = 1, forward.high = 2;
    edit(run.plan.cluster).device.set(DeviceFact::MemoryStart, number(0));
    run.sure();
    EXPECT_EQ(run.diagnostics.sorted().size(), bytes > 1e6 ? 1u : 0u);
  }
}

} // namespace
} // namespace planc::cost::test
