// An engine's estimates are those of the plans by themselves, bit for bit, in whatever order they are asked for.
// SPDX-License-Identifier: Apache-2.0
#include "api/Engine.h"
#include "bench/Candidates.h"
#include "frontend/Frontend.h"
#include "ir/facts/DeviceFacts.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace planc::api {
namespace {

ir::Plan planOf(const std::string& file, const std::string& name) {
  frontend::Session session;
  std::string error;
  if (!session.load(PLANC_SOURCE_DIR "/" + file, error)) throw std::runtime_error(error);
  auto plans = session.plans(frontend::PlanChoice{name});
  if (plans.size() != 1) throw std::runtime_error("no plan " + name);
  return *plans.front();
}

/// Times, rates and memory; those that need other parts of the estimate left out.
void expectSame(const cost::Estimate& found, const cost::Estimate& whole, bool all) {
  const cost::Totals &a = found.totals, &b = whole.totals;
  using T = cost::Totals;
  for (const auto part : {&T::stepTime, &T::compute, &T::slowed, &T::launches, &T::exposedComm, &T::bubble,
                          &T::optimizer, &T::overhead, &T::mfu, &T::mfuCausal, &T::hfu, &T::samplesPerSecond})
    EXPECT_EQ(a.*part, b.*part);
  EXPECT_EQ(a.critical, b.critical);
  EXPECT_EQ(a.cost, b.cost);
  EXPECT_EQ(found.memory.peak, whole.memory.peak);
  EXPECT_EQ(found.memory.fits, whole.memory.fits);
  EXPECT_EQ(found.memory.fullest, whole.memory.fullest);
  EXPECT_EQ(found.memory.activations, whole.memory.activations);
  if (!all) {
    EXPECT_TRUE(found.layers.empty() && found.collectives.empty() && found.stages.empty());
    return;
  }
  EXPECT_EQ(a.comm, b.comm);
  EXPECT_EQ(a.bubbleEven, b.bubbleEven);
  EXPECT_EQ(a.confidence.low, b.confidence.low);
  EXPECT_EQ(found.layers.size(), whole.layers.size());
  EXPECT_EQ(found.collectives.size(), whole.collectives.size());
}

std::unique_ptr<cost::Estimate> byItself(const ir::Plan& plan) {
  DiagnosticEngine diagnostics;
  const auto program = passes::lower(plan, ir::Level::Comm, diagnostics);
  return program ? cost::estimate(*passes::schedule(*program), diagnostics) : nullptr;
}

TEST(Engine, PricesEditsAsPlansByThemselves) {
  const ir::Plan base = planOf("bench/search.plan", "gpt3_512");
  std::vector<ir::PlanEdit> edits = bench::searchEdits();
  ASSERT_GT(edits.size(), 2000u);
  std::mt19937 random(3);
  std::shuffle(edits.begin(), edits.end(), random);
  edits.resize(60);
  Engine engine(4);
  for (size_t round = 0; round < 2; ++round) // the second time over what the first one left
    for (size_t i = 0; i < edits.size(); ++i) {
      DiagnosticEngine diagnostics;
      ir::Plan plan = base;
      ASSERT_TRUE(ir::apply(edits[i], plan, diagnostics));
      const bool all = i % 3 == 0;
      const auto found = engine.estimate(plan, diagnostics, all ? cost::Wanted() : cost::Wanted::totals());
      const auto whole = byItself(plan);
      ASSERT_TRUE(found && whole) << i;
      expectSame(*found, *whole, all);
    }
}

TEST(Engine, AnotherMachineHasItsOwnPrices) {
  ir::Plan plan = planOf("bench/search.plan", "gpt3_512");
  Engine engine;
  DiagnosticEngine diagnostics;
  const auto before = engine.estimate(plan, diagnostics);
  ir::PlanEdit edit;
  edit.facts = {{"cluster.device.bandwidth", "1TB/s"}};
  ASSERT_TRUE(ir::apply(edit, plan, diagnostics));
  const auto after = engine.estimate(plan, diagnostics);
  ASSERT_TRUE(before && after);
  EXPECT_GT(after->totals.stepTime, before->totals.stepTime);
  expectSame(*after, *byItself(plan), false);
}

TEST(Engine, AFactThatLacksIsReportedEachTime) {
  ir::Plan plan = planOf("bench/search.plan", "gpt3_512");
  edit(plan.cluster).device.erase(ir::DeviceFact::Bandwidth);
  Engine engine;
  for (int round = 0; round < 2; ++round) {
    DiagnosticEngine diagnostics;
    EXPECT_FALSE(engine.estimate(plan, diagnostics));
    EXPECT_TRUE(diagnostics.hasErrors());
  }
}

} // namespace
} // namespace planc::api
