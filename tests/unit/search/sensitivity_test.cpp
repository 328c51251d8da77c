// Elasticities against closed forms on plans of one operator, against the law of units on every example, and the
// least changes that reach a target.
// SPDX-License-Identifier: Apache-2.0
#include "../frontend/Compile.h"
#include "api/PlanFile.h"
#include "ir/facts/ClusterFacts.h"
#include "ir/facts/DeviceFacts.h"
#include "search/sensitivity/Sensitivity.h"
#include "support/Shared.h"
#include "tests/unit/support/PlanFiles.h"

#include <cmath>
#include <gtest/gtest.h>

namespace planc::search {
namespace {

const std::string kMachine = R"(import std.ops
device bare {
  memory    = 80GB
  bandwidth = 2TB/s
  price     = 3.6USD/h
  peak { bf16 = 100TFLOP/s }
  calibration {
    gemm { bf16 { efficiency = 0.5; memory_efficiency = 0.5; start = 1us } }
    memory { efficiency = 0.8; start = 1us }
  }
}
fabric wire {
  sampled_at = 100GB/s
  all_reduce = [{ranks = 2, a = 0s, b = 100GB/s}]
}
cluster two {
  device = bare
  level node * 2 { link = wire; bandwidth = 100GB/s; topology = switch }
}
stack plain {
  unattributed = 1
  step = 0s
  passes { gelu { forward = 2; backward = 3 } }
  inline { activation = 1 }
  workspace = 0B
  fragmentation = 1
  reserved = 0B
}
)";

std::string planOf(const std::string& from, const std::string& rows, const std::string& place,
                   const std::string& after = "") {
  return kMachine + "model m() {\n  in x: [batch, rows, from = " + from +
         "] bf16 counts rows\n  param w: [from = " + from + ", to = 8192]\n  y = ops.matmul(x, w)\n" + after +
         "}\nplan p {\n  model = m\n  cluster = two\n  software = plain\n  infer { batch = 1; rows = " + rows +
         " }\n  mesh { tp = 2 }\n  place { " + place + " }\n}\n";
}

struct Asked {
  std::unique_ptr<ir::Plan> plan;
  Engine engine;
  std::unique_ptr<cost::Estimate> whole;
  Sensitivity found;

  explicit Asked(std::unique_ptr<ir::Plan> of, const std::vector<const char*>& metrics = {"step_time", "cost"})
      : plan(std::move(of)) {
    ask(metrics);
  }
  void ask(const std::vector<const char*>& metrics) {
    DiagnosticEngine diagnostics;
    whole = engine.estimate(*plan, diagnostics, {});
    ASSERT_TRUE(whole);
    std::vector<const verdict::Metric*> named;
    for (const char* name : metrics) named.push_back(verdict::findMetric(name));
    found = sensitivity(*plan, *whole, engine, named);
  }
  double step() const { return whole->totals.stepTime; }
  const Elasticity* find(const std::string& path, size_t metric = 0) const {
    for (const SensitiveRow& row : found.rows)
      if (row.constant.path == path) return row.elasticities[metric] ? &*row.elasticities[metric] : nullptr;
    return nullptr;
  }
  double of(const std::string& path, size_t metric = 0) const {
    const Elasticity* e = find(path, metric);
    return e ? e->value : 0;
  }
};

std::unique_ptr<ir::Plan> planFrom(const std::string& text) {
  auto plans = frontend::plansOf(text);
  EXPECT_EQ(plans.size(), 1u);
  return plans.empty() ? nullptr : std::move(plans[0]);
}

constexpr double kExact = 1e-6; // differences of 1e-4 against a derivative

TEST(Sensitivity, OfAProductIsItsEquation) {
  const Asked asked(planFrom(planOf("8192", "8192", "to -> tp")));
  const double work = 2.0 * 8192 * 8192 * 4096 / (100e12 * 0.5), step = asked.step();
  ASSERT_NEAR(step, work + 1e-6, 1e-12);
  EXPECT_NEAR(asked.of("cluster.device.peak.bf16"), -work / step, kExact);
  EXPECT_NEAR(asked.of("cluster.device.calibration.gemm.bf16.efficiency"), -work / step, kExact);
  EXPECT_NEAR(asked.of("cluster.device.calibration.gemm.bf16.start"), 1e-6 / step, kExact);
  EXPECT_NEAR(asked.of("software.unattributed"), 1, kExact);
  EXPECT_FALSE(asked.find("cluster.device.bandwidth")) << "it is bound by computing";
  EXPECT_NEAR(asked.of("cluster.device.price", 1), 1, kExact);
  EXPECT_FALSE(asked.find("cluster.device.price", 0)->value > kExact);
  EXPECT_EQ(asked.found.rows.size(), 5u);
  EXPECT_NEAR(asked.found.homogeneity(1, BaseUnit::Money), 1, kExact);
  EXPECT_NEAR(asked.found.homogeneity(1, BaseUnit::Time), 0, kExact) << "a price per time, times a time";
}

TEST(Sensitivity, OfAProductThatMemoryBindsIsItsBytes) {
  const Asked asked(planFrom(planOf("65536", "1", "to -> tp")));
  const double bytes = 2.0 * (65536 + 65536.0 * 4096 + 4096), step = asked.step(), work = bytes / (2e12 * 0.5);
  ASSERT_NEAR(step, work + 1e-6, 1e-12);
  EXPECT_NEAR(asked.of("cluster.device.bandwidth"), -work / step, kExact);
  EXPECT_FALSE(asked.find("cluster.device.peak.bf16"));
}

TEST(Sensitivity, OfAnAllReduceIsItsShareOfTheStep) {
  const Asked asked(planFrom(planOf("8192", "8192", "from -> tp", "  z = ops.gelu(y)\n")));
  const double wire = 2.0 * 8192 * 8192 / 100e9; // two ranks: 2 (n - 1) / n of the tensor
  EXPECT_NEAR(asked.of("cluster.node.link.all_reduce.b"), -wire / asked.step(), kExact);
  EXPECT_NEAR(asked.of("cluster.node.bandwidth"), -wire / asked.step(), kExact) << "it is scaled by the level's rate";
  EXPECT_NEAR(asked.of("cluster.node.link.sampled_at"), wire / asked.step(), kExact);
}

/// Computing and memory take equally long: faster memory alone changes nothing, slower memory all.
TEST(Sensitivity, SidesOfAKinkAreToldApart) {
  auto plan = planFrom(planOf("8192", "8192", "to -> tp"));
  const double bytes = 2.0 * (8192.0 * 8192 + 8192.0 * 4096 + 8192.0 * 4096), flops = 2.0 * 8192 * 8192 * 4096;
  edit(plan->cluster).device.number(ir::DeviceFact::Bandwidth)->value = bytes * 100e12 / flops;
  const Asked asked(std::move(plan));
  const Elasticity* e = asked.find("cluster.device.bandwidth");
  ASSERT_TRUE(e);
  ASSERT_TRUE(e->below && e->above);
  EXPECT_NEAR(*e->below, -1, 1e-3);
  EXPECT_NEAR(*e->above, 0, 1e-3);
  EXPECT_FALSE(e->jumps);
  EXPECT_NEAR(asked.found.homogeneity(0, BaseUnit::Time), 1, 1e-3);
}

/// A run does whole steps, and a bucket fills whole messages. An inline share is neither: what is cut in two is still
/// one transfer.
TEST(Sensitivity, StaircasesAreNoKinksAndJumpsNoSlopes) {
  api::PlanFile file;
  std::string error;
  ASSERT_TRUE(file.load(PLANC_SOURCE_DIR "/examples/deepseek_v3.plan", error)) << error;
  auto plan = file.bind("deepseek_v3");
  ASSERT_TRUE(plan);
  const Asked asked(std::make_unique<ir::Plan>(plan->plan()), {"run.cost"});
  const Elasticity* tokens = asked.find("run.tokens");
  ASSERT_TRUE(tokens);
  EXPECT_FALSE(tokens->kinked());
  EXPECT_NEAR(tokens->value, 1, 1e-3);
  const Elasticity* share = asked.find("software.inline.exchange");
  ASSERT_TRUE(share);
  EXPECT_FALSE(share->jumps);
  EXPECT_GT(share->value, 0);
}

/// Time scales with times and inversely with rates: whatever a step hangs on is among the constants, once.
TEST(Sensitivity, AddsUpToTheUnitOfTimeOnEveryExample) {
  size_t plans = 0;
  for (const auto& example : planc::test::planFiles()) {
    if (!example.path.starts_with("examples/")) continue;
    api::PlanFile file;
    std::string error;
    ASSERT_TRUE(file.load(std::string(PLANC_SOURCE_DIR "/") + example.path, error)) << error;
    for (auto& plan : file.plans({})) {
      if (!plan->plan().stack || !plan->priceAlone()) continue;
      const std::vector<const verdict::Metric*> metrics{
          verdict::findMetric("step_time"), verdict::findMetric("memory.peak"), verdict::findMetric("cost")};
      const Sensitivity found = sensitivity(plan->plan(), *plan->estimate(), plan->engine(), metrics);
      const std::string& name = plan->plan().title;
      EXPECT_NEAR(found.homogeneity(0, BaseUnit::Time), 1, 0.001) << name;
      EXPECT_NEAR(found.homogeneity(1, BaseUnit::Time), 0, 0.001) << name;
      if (found.metrics.size() > 2) {
        EXPECT_NEAR(found.homogeneity(2, BaseUnit::Money), 1, 0.001) << name;
        EXPECT_NEAR(found.homogeneity(2, BaseUnit::Time), 0, 0.001) << name;
      }
      for (const SensitiveRow& row : found.rows)
        for (const auto& e : row.elasticities) EXPECT_TRUE(!e || std::isfinite(e->value)) << row.constant.path;
      ++plans;
    }
  }
  EXPECT_GT(plans, 20u);
}

TEST(Sensitivity, LeavesThePlanAsItIs) {
  Asked asked(planFrom(planOf("8192", "8192", "from -> tp", "  z = ops.gelu(y)\n")));
  DiagnosticEngine diagnostics;
  EXPECT_EQ(Engine().estimate(*asked.plan, diagnostics)->totals.stepTime, asked.step());
}

TEST(Reach, IsTheInverseOfTheEquation) {
  Asked asked(planFrom(planOf("8192", "8192", "to -> tp")));
  const double work = asked.step() - 1e-6;
  const auto by = reach(*asked.plan, asked.found, {verdict::findMetric("step_time"), 5e-3}, asked.engine);
  ASSERT_EQ(by.size(), 4u);
  for (const ReachedTarget& one : by) {
    const std::string& path = one.constant->path;
    if (one.reached) {
      EXPECT_LE(one.metric, 5e-3) << path;
      EXPECT_GT(one.beside, 5e-3) << path;
    }
    if (path == "cluster.device.peak.bf16") {
      EXPECT_TRUE(one.reached);
      EXPECT_NEAR(one.factor, work / (5e-3 - 1e-6), 1e-4);
    } else if (path == "software.unattributed") {
      EXPECT_NEAR(one.factor, 5e-3 / asked.step(), 1e-4);
    } else {
      EXPECT_FALSE(one.reached) << path;
    }
    if (path == "cluster.device.calibration.gemm.bf16.efficiency") {
      EXPECT_TRUE(one.endOfRange);
      EXPECT_NEAR(one.factor, 2, 1e-9) << "an efficiency is 1 at most";
    }
  }
  EXPECT_TRUE(reach(*asked.plan, asked.found, {verdict::findMetric("step_time"), asked.step()}, asked.engine).empty());
}

TEST(Reach, SaysWhatMayBeGivenUp) {
  Asked asked(planFrom(planOf("8192", "8192", "to -> tp")));
  for (const ReachedTarget& one :
       reach(*asked.plan, asked.found, {verdict::findMetric("cost"), 2 * asked.found.values[1]}, asked.engine))
    if (one.constant->path == "cluster.device.price") {
      EXPECT_NEAR(one.factor, 2, 1e-4);
      EXPECT_GE(one.metric, 2 * asked.found.values[1]);
    }
}

} // namespace
} // namespace planc::search
