// The interval of a ratio: what both plans share cancels, what they do not stays.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/result/Confidence.h"
#include "backends/diff/Comparison.h"
#include "ir/facts/DeviceFacts.h"
#include "ir/facts/StackFacts.h"

#include <cmath>
#include <gtest/gtest.h>

namespace planc::diff::test {
namespace {

cost::RecordShare term(const char* record, double share, double error) {
  cost::RecordShare out{record, share, error};
  out.record = record;
  out.base = error;
  return out;
}

/// A model of one parameter.
std::shared_ptr<const ir::Model> modelOf(const char* name, int64_t width) {
  auto model = std::make_shared<ir::Model>();
  model->name = Symbol(name);
  ir::Value value;
  value.kind = ir::ValueKind::Param;
  for (const char* dim : {"heads", "ffn", "batch"}) model->dim(Symbol(dim), 8);
  value.dims = {model->dim(Symbol("width"), width)};
  model->values.add(value);
  model->params.push_back(ir::ValueId(0));
  return model;
}

/// A plan on a device and stack with an accuracy, and the price of its step.
struct Plan {
  ir::Plan plan;
  cost::Estimate estimate;

  explicit Plan(double seconds, std::vector<cost::RecordShare> terms, int64_t tp = 2) {
    plan.title = "p";
    plan.modelText = "gpt.small";
    plan.model = modelOf("small", 64);
    plan.cluster = std::make_shared<const ir::Cluster>();
    edit(plan.cluster).device.name = "a100";
    plan.stack = std::make_shared<const ir::Stack>();
    edit(plan.stack).name = "megatron";
    edit(plan.stack).set(ir::StackFact::AccuracyLow, ir::Number{.value = 0.9});
    edit(plan.stack).set(ir::StackFact::AccuracyHigh, ir::Number{.value = 1.2});
    edit(plan.stack).set(ir::StackFact::AccuracyRatioSameMesh, ir::Number{.value = 1.05});
    edit(plan.stack).set(ir::StackFact::AccuracyRatioOtherMesh, ir::Number{.value = 1.1});
    plan.mesh.order.push_back(plan.mesh.axes.add({"tp", tp, 1, "tp", {}}));
    plan.workload.globalBatch = 8;
    estimate.totals.stepTime = estimate.totals.overhead = seconds; // twice as long: half of it is not shared
    estimate.totals.tokensPerSecond = 1000 / seconds;
    estimate.totals.confidence.terms = std::move(terms);
    cost::setInterval(estimate.totals.confidence, *plan.stack->accuracy());
  }
  ComparedEstimate side() const { return {&plan, &estimate}; }
};

double half(const Ratio& r) {
  return std::log(r.high / r.value);
}

TEST(Ratio, OfAPlanAndItselfIsOneWithoutDoubt) {
  const Plan a(1.5, {term("gemm", 0.8, 0.1), term("fabric", 0.2, 0.3)}), b = a;
  const Ratio r = ratio(a.side(), b.side());
  EXPECT_EQ(r.value, 1);
  EXPECT_EQ(r.low, 1);
  EXPECT_EQ(r.high, 1);
  EXPECT_EQ(r.coverage, 0.9);
}

TEST(Ratio, SharedFactsCancel) {
  const Plan a(1, {term("gemm", 0.8, 0.1), term("fabric", 0.2, 0.3)}),
      b(2, {term("gemm", 0.8, 0.1), term("fabric", 0.2, 0.3)});
  const Ratio r = ratio(a.side(), b.side());
  EXPECT_EQ(r.value, 2);
  EXPECT_EQ(r.terms, 0) << "both stand on the same facts by the same shares";
  EXPECT_NEAR(r.high, 2 * 1.05, 1e-12);
  EXPECT_NEAR(r.low, 2 / 1.05, 1e-12);
}

TEST(Ratio, WhatOnlyOneStandsOnCounts) {
  const Plan a(1, {term("gemm", 1.0, 0.1)}), b(1.1, {term("gemm", 0.5, 0.1), term("fabric", 0.5, 0.3)});
  // By hand: the plans differ by half of the error of gemm and half of that of the fabric.
  EXPECT_NEAR(ratio(a.side(), b.side()).terms, cost::kNinetyPercent * std::hypot(0.5 * 0.1, 0.5 * 0.3), 1e-12);
}

TEST(Ratio, IsTheInverseTheOtherWayRound) {
  const Plan a(1, {term("gemm", 1.0, 0.1)}), b(1.1, {term("gemm", 0.5, 0.1), term("fabric", 0.5, 0.3)});
  const Ratio there = ratio(a.side(), b.side()), back = ratio(b.side(), a.side());
  EXPECT_NEAR(there.value, 1 / back.value, 1e-12);
  EXPECT_NEAR(there.low, 1 / back.high, 1e-12);
  EXPECT_NEAR(there.high, 1 / back.low, 1e-12);
}

TEST(Ratio, OtherTypesOfProductsShareNothing) {
  Plan a(1, {}), same(2, {}), other(2, {});
  a.estimate.totals.modelFlops.types = same.estimate.totals.modelFlops.types = {{ir::DType::bf16, 1, 1}};
  other.estimate.totals.modelFlops.types = {{ir::DType::bf16, 0.5, 1}, {ir::DType::fp8, 0.5, 2}};
  same.plan.precision.compute = ir::DType::fp8; // says nothing where no product runs in it
  EXPECT_NEAR(half(ratio(a.side(), same.side())), std::log(1.05), 1e-12);
  EXPECT_NEAR(half(ratio(a.side(), other.side())), std::hypot(std::log(1.2), std::log(0.9)), 1e-12);
}

TEST(Ratio, OtherMeshesShareLess) {
  const Plan a(1, {}), same(2, {}), other(2, {}, 4);
  EXPECT_NEAR(half(ratio(a.side(), same.side())), std::log(1.05), 1e-12);
  EXPECT_NEAR(half(ratio(a.side(), other.side())), std::log(1.1), 1e-12);
}

TEST(Ratio, MeshesAreToldApartByWhatAxesDo) {
  const auto runs = [](const Plan& x, const Plan& y) { return std::exp(half(ratio(x.side(), y.side()))); };
  const auto rule = [](const char* dim, const char* axis) {
    ir::PlacementRule out;
    out.dim = Symbol(dim);
    out.targets = {Symbol(axis)};
    return out;
  };
  Plan a(1, {}), b(2, {});
  a.plan.placements = {rule("heads", "tp"), rule("ffn", "tp")};
  b.plan.placements = {rule("ffn", "tp"), rule("heads", "tp")};
  EXPECT_NEAR(runs(a, b), 1.05, 1e-12) << "the order of rules means nothing";
  b.plan.mesh.axes[b.plan.mesh.order[0]].name = "x";
  b.plan.placements = {rule("ffn", "x"), rule("heads", "x")};
  EXPECT_NEAR(runs(a, b), 1.05, 1e-12) << "nor does what an axis is called";
  b.plan.placements = {rule("batch", "x")};
  EXPECT_NEAR(runs(a, b), 1.1, 1e-12) << "one splits layers, the other samples";
  Plan near(1, {}), far(2, {});
  for (Plan* p : {&near, &far}) p->plan.mesh.levelSizes = {2, 4};
  far.plan.mesh.axes[far.plan.mesh.order[0]].stride = 2;
  EXPECT_NEAR(runs(near, far), 1.1, 1e-12) << "inside of a node, and across nodes";
  Plan staged(2, {});
  staged.plan.pipeline.emplace().axes = {Symbol("tp")};
  EXPECT_NEAR(runs(Plan(1, {}), staged), 1.1, 1e-12);
}

TEST(Ratio, OtherSoftwareSharesNothing) {
  const Plan a(1, {});
  Plan b(2, {});
  edit(b.plan.stack).name = "fsdp";
  EXPECT_NEAR(half(ratio(a.side(), b.side())), std::log(1.05), 1e-12) << "a name is no fact";
  edit(b.plan.stack).set(ir::StackFact::Slowdown, ir::Number{.value = 0.1});
  const Ratio r = ratio(a.side(), b.side());
  EXPECT_NEAR(half(r), std::hypot(std::log(1.2), std::log(0.9)), 1e-12) << "one is slow, the other fast";
}

TEST(Ratio, WhatADeviceCostsIsNoDifference) {
  const Plan a(1, {term("gemm", 1, 0.1)});
  Plan b(2, {term("gemm", 1, 0.1)});
  edit(b.plan.cluster).device.name = "rented";
  edit(b.plan.cluster).device.set(ir::DeviceFact::Price, ir::Number{.value = 3});
  EXPECT_NEAR(half(ratio(a.side(), b.side())), std::log(1.05), 1e-12);
  edit(b.plan.cluster).device.set(ir::DeviceFact::Bandwidth, ir::Number{.value = 1e12});
  const Ratio other = ratio(a.side(), b.side());
  EXPECT_NEAR(other.terms, cost::kNinetyPercent * std::hypot(0.1, 0.1), 1e-12) << "another device, another record";
  EXPECT_NEAR(std::log(other.runsHigh), std::hypot(std::log(1.2), std::log(0.9)), 1e-12);
}

TEST(Ratio, ShrinksWithWhatDiffers) {
  const Plan a(1, {});
  for (const double more : {1e-6, 1e-3, 0.02}) {
    const Ratio r = ratio(a.side(), Plan(1 + more, {}, 4).side());
    EXPECT_NEAR(r.unshared, more / (1 + more), 1e-12);
    EXPECT_NEAR(half(r), 2 * more / (1 + more), 1e-12) << "no floor";
  }
  EXPECT_NEAR(half(ratio(a.side(), Plan(3, {}, 4).side())), std::log(1.1), 1e-12) << "and a ceiling";
}

TEST(Ratio, RecordsThatAreNearAreOffTogether) {
  const auto on = [](double efficiency, double stated) {
    Plan p(1, {term("calibration.memory", 1, stated)});
    ir::Number number{.value = efficiency};
    number.statistics.record = "calibration.memory";
    edit(p.plan.cluster).device.set(ir::DeviceFact::MemoryEfficiency, number);
    return p;
  };
  const Plan a = on(0.8, 0.1);
  const auto width = [&](const Plan& b) { return ratio(a.side(), b.side()).terms / cost::kNinetyPercent; };
  EXPECT_NEAR(width(on(0.8 * 1.0001, 0.1)), 1e-4, 1e-6) << "as wide as the change";
  EXPECT_NEAR(width(on(0.8 * 1.0001, 0.2)), 1e-4, 1e-5) << "whatever is said of the changed one";
  EXPECT_NEAR(width(on(0.4, 0.1)), std::hypot(0.1, 0.1), 1e-9) << "another record";
}

TEST(Ratio, LayersAreNotPairedByName) {
  const auto of = [](const char* layer, double seconds) {
    Plan p(1, {});
    cost::LayerRow row;
    row.layer.steps = {ir::LayerStep{false, Symbol(layer), {}}};
    row.onPath = seconds;
    p.estimate.layers = {row};
    p.estimate.totals.overhead = 1 - seconds;
    return p;
  };
  EXPECT_EQ(ratio(of("decoder", 0.5).side(), of("blocks", 0.5).side()).unshared, 0);
}

TEST(Ratio, HasNoIntervalWhereAStackSaysNone) {
  const Plan a(1, {});
  Plan b(2, {});
  b.estimate.totals.confidence = {};
  EXPECT_EQ(ratio(a.side(), b.side()).coverage, 0);
}

TEST(Comparison, TakesTheFastestThatFits) {
  Plan slow(2, {}), fast(1, {}), mid(1.5, {});
  fast.estimate.memory.fits = false;
  DiagnosticEngine diagnostics;
  const auto c = compare({slow.side(), fast.side(), mid.side()}, diagnostics);
  ASSERT_TRUE(c);
  EXPECT_EQ(c->best, 2u);
  EXPECT_EQ(c->measure, Measure::Step);
  EXPECT_DOUBLE_EQ(c->entries[0].ratio.value, 2 / 1.5);
  EXPECT_EQ(c->entries[2].ratio.high, 1);
}

TEST(Comparison, BringsStepsToTheSameWorkAndDevices) {
  Plan a(1, {}), b(1.8, {});
  b.estimate.totals.tokensPerSecond = 2000 / 1.8; // twice the tokens
  DiagnosticEngine diagnostics;
  auto c = compare({a.side(), b.side()}, diagnostics);
  ASSERT_TRUE(c);
  EXPECT_EQ(c->measure, Measure::Work);
  EXPECT_EQ(c->best, 1u);
  EXPECT_NEAR(c->entries[0].ratio.value, 1 / 0.9, 1e-12);
  EXPECT_NEAR(c->entries[0].parts.b - c->entries[0].parts.a, 2 - 1.8, 1e-12) << "in the work of the best one's step";
  const Plan wide(0.6, {}, 4); // as much work on twice the devices
  c = compare({a.side(), wide.side()}, diagnostics);
  ASSERT_TRUE(c);
  EXPECT_EQ(c->measure, Measure::DevicesByWork);
  EXPECT_EQ(c->best, 0u) << "1 s on 2 devices against 0.6 s on 4";
}

TEST(Comparison, WantsTwoPlansOfOneKindOfWork) {
  Plan a(1, {}), b(1, {});
  DiagnosticEngine one, units, models;
  EXPECT_FALSE(compare({a.side()}, one));
  EXPECT_EQ(one.sorted().at(0)->kind->id(), "PLAN0940");
  b.estimate.totals.tokensPerSecond.reset();
  EXPECT_FALSE(compare({a.side(), b.side()}, units));
  EXPECT_EQ(units.sorted().at(0)->kind->id(), "PLAN0941");
  Plan other(1, {});
  other.plan.modelText = "gpt.small(width = 64)";
  EXPECT_TRUE(compare({a.side(), other.side()}, models));
  EXPECT_TRUE(models.sorted().empty()) << "a default is written out";
  other.plan.model = modelOf("large", 65);
  EXPECT_TRUE(compare({a.side(), other.side()}, models));
  EXPECT_EQ(models.sorted().at(0)->kind->id(), "PLAN0942");
}

} // namespace
} // namespace planc::diff::test
