// An engine's estimates are those of the plans by themselves, bit for bit, in whatever order they are asked for.
// SPDX-License-Identifier: Apache-2.0
#include "api/Compilation.h"
#include "bench/Candidates.h"
#include "frontend/Frontend.h"
#include "ir/facts/DeviceFacts.h"
#include "search/Engine.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <thread>

namespace planc::search {
namespace {

ir::Plan only(frontend::Session& session, const std::string& name) {
  auto plans = session.plans(frontend::PlanChoice{name});
  if (plans.size() != 1) throw std::runtime_error("no plan " + name);
  return *plans.front();
}
ir::Plan planOf(const std::string& file, const std::string& name) {
  frontend::Session session;
  std::string error;
  if (!session.load(PLANC_SOURCE_DIR "/" + file, error)) throw std::runtime_error(error);
  return only(session, name);
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
  ASSERT_EQ(found.layers.size(), whole.layers.size());
  for (size_t i = 0; i < found.layers.size(); ++i)
    for (const auto part : {&cost::LayerRow::forward, &cost::LayerRow::backward, &cost::LayerRow::recompute,
                            &cost::LayerRow::exposed, &cost::LayerRow::onPath, &cost::LayerRow::activationBytes})
      EXPECT_EQ(found.layers[i].*part, whole.layers[i].*part) << whole.layers[i].layer.str();
  ASSERT_EQ(found.collectives.size(), whole.collectives.size());
  for (size_t i = 0; i < found.collectives.size(); ++i)
    for (const auto part : {&cost::CollectiveRow::bytes, &cost::CollectiveRow::count, &cost::CollectiveRow::seconds,
                            &cost::CollectiveRow::exposed})
      EXPECT_EQ(found.collectives[i].*part, whole.collectives[i].*part) << whole.collectives[i].op;
}

std::unique_ptr<cost::Estimate> byItself(const ir::Plan& plan) {
  DiagnosticEngine diagnostics;
  const auto program = passes::lower(plan, diagnostics);
  return program ? cost::estimate(*passes::schedule(*program), diagnostics) : nullptr;
}

/// A table that two layers look up, one of them on every device: whether its gradient is summed, and so stored, depends
/// on the stages that they are on.
const std::string kTables = R"(
import std.ops
import std.blocks
import std.optimizers
import std.clusters.hgx
import std.stacks.megatron
model m {
  in tokens: [batch, seq] int32 counts seq
  embed = blocks.embedding(tokens, 64, 32)
  decoder * 8 with x = embed { mlp = blocks.swiglu(x, 128); out x + mlp }
  again = ops.lookup(tokens, embed.table)
  mix = ops.add(decoder, again)
  second * 4 with y = mix { mlp = blocks.swiglu(y, 64); out y + mlp }
  loss = ops.cross_entropy(second, tokens)
}
plan p {
  model = m
  cluster = hgx.hgx_h100(nodes = 2)
  software = megatron.megatron_2022
  train {
    seq = 16; global_batch = 64; micro_batch = 1
    optimizer = optimizers.adam; table_optimizer = optimizers.rowwise_adagrad
  }
  mesh { tp = 2; dp = 4; pp = 2 }
  place { batch -> dp; embed { batch -> replicate }; again { batch -> dp }; decoder.mlp { ffn -> tp } }
  pipeline pp { schedule = one_f_one_b }
}
)";

TEST(Engine, TablesThatCutsTieArePricedAsByThemselves) {
  frontend::Session session;
  session.loadText("p.plan", kTables);
  ir::Plan plan = only(session, "p");
  Engine engine;
  for (const char* schedule : {"one_f_one_b", "interleaved_1f1b", "gpipe", "zb_h1", "interleaved_1f1b"}) {
    SCOPED_TRACE(schedule);
    plan.pipeline->schedule = Symbol(schedule);
    plan.pipeline->arguments.clear();
    if (schedule == std::string("interleaved_1f1b")) plan.pipeline->arguments = {{Symbol("chunks"), 2, {}}};
    DiagnosticEngine diagnostics;
    const auto found = engine.estimate(plan, diagnostics, cost::Wanted()), whole = byItself(plan);
    ASSERT_TRUE(found && whole);
    expectSame(*found, *whole, true);
  }
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

TEST(Engine, OfACompilationBeginsAnewOnceItIsFreed) {
  api::Compilation base(planOf("bench/search.plan", "gpt3_512"));
  const auto priced = [&] {
    const auto made = base.with({.microBatch = 2});
    EXPECT_TRUE(made->priceAlone(cost::Wanted::totals()));
    return made->estimate()->totals.stepTime;
  };
  const double before = priced();
  EXPECT_EQ(base.engine().lowerings().lowered(), 1u);
  base.freeEngine();
  EXPECT_EQ(base.engine().lowerings().lowered(), 0u);
  EXPECT_EQ(priced(), before);
}

/// What a notebook changes from one cell to the next.
ir::PlanEdit anyEdit(std::mt19937& random) {
  const auto drawn = [&](int of) { return static_cast<int>(random() % static_cast<uint32_t>(of)); };
  ir::PlanEdit edit;
  switch (drawn(6)) {
  case 0: {
    const int64_t tensor = int64_t(1) << drawn(4);
    edit.axes = {{Symbol("tp"), tensor}, {Symbol("dp"), 64 / tensor}, {Symbol("pp"), 8}};
    break;
  }
  case 1:
    edit.microBatch = int64_t(1) << drawn(3);
    break;
  case 2:
    edit.schedule = drawn(2) ? ir::ScheduleEdit{Symbol("one_f_one_b"), {}}
                             : ir::ScheduleEdit{Symbol("interleaved_1f1b"), {{Symbol("chunks"), 1 + drawn(4), {}}}};
    break;
  case 3:
    edit.recompute.emplace();
    if (const int layers = drawn(3))
      edit.recompute->push_back({{{*ir::parseLayerRef(layers == 1 ? "decoder" : "decoder.attn.core"), {}}}});
    break;
  case 4:
    edit.states = {{{}, ir::StateKind::Optimizer, {}, {}}};
    if (drawn(2)) edit.states[0].targets = {Symbol("dp")};
    break;
  default:
    edit.facts = {{drawn(2) ? "cluster.device.bandwidth" : "cluster.device.memory", drawn(2) ? "1TB" : "80GB"}};
    if (edit.facts[0].path.ends_with("width")) edit.facts[0].value += "/s";
  }
  return edit;
}

TEST(Engine, ChangesOfACompilationArePricedAsPlansByThemselves) {
  const api::Compilation base(planOf("bench/search.plan", "gpt3_512"));
  std::mt19937 random(5);
  std::unique_ptr<api::Compilation> last = base.with({});
  int refused = 0;
  for (int i = 0; i < 150; ++i) {
    std::unique_ptr<api::Compilation> next = last->with(anyEdit(random));
    api::Compilation alone(next->plan());
    const bool priced = next->priceAlone(cost::Wanted::totals());
    ASSERT_EQ(priced, alone.priceAlone()) << i;
    ASSERT_EQ(next->diagnostics().errorCount(), alone.diagnostics().errorCount()) << i;
    refused += !priced;
    if (!priced) continue;
    expectSame(*next->estimate(), *alone.estimate(), false);
    ASSERT_TRUE(next->priceAlone()); // rows of the same
    expectSame(*next->estimate(), *alone.estimate(), true);
    last = std::move(next);
  }
  EXPECT_EQ(&last->engine(), &base.engine());
  EXPECT_GT(last->engine().lowerings().shared(), 20u);
  EXPECT_GT(refused, 0);
}

/// What a cut that fails offers stands in the reports of totals, too, and once.
TEST(Engine, WhatIsRefusedIsReportedAsByItself) {
  const api::Compilation base(planOf("bench/search.plan", "gpt3_512"));
  ir::Plan plan = base.plan();
  plan.pipeline->arguments[0].value = 5; // 96 layers on 40 virtual stages
  const auto totals = base.beside(plan), whole = base.beside(plan);
  EXPECT_FALSE(totals->priceAlone(cost::Wanted::totals()));
  EXPECT_FALSE(whole->priceAlone());
  ASSERT_EQ(totals->diagnostics().size(), 1u);
  ASSERT_EQ(whole->diagnostics().size(), 1u);
  const Diagnostic &a = *totals->diagnostics().sorted()[0], &b = *whole->diagnostics().sorted()[0];
  EXPECT_EQ(a.message, b.message);
  EXPECT_EQ(a.help, b.help);
  EXPECT_FALSE(totals->plan().pipeline->offered.empty());
}

TEST(Engine, ThreadsMayPriceChangesOfOneCompilation) {
  const ir::Plan plan = planOf("bench/search.plan", "gpt3_512");
  const api::Compilation base(plan); // two threads are the first to ask it
  std::vector<ir::PlanEdit> edits = bench::searchEdits();
  std::mt19937 random(4);
  std::shuffle(edits.begin(), edits.end(), random);
  edits.resize(80);
  std::vector<double> alone, steps[2];
  for (const ir::PlanEdit& edit : edits)
    alone.push_back(byItself(api::Compilation(plan).with(edit)->plan())->totals.stepTime);
  const auto price = [&](std::vector<double>& out) {
    for (const ir::PlanEdit& edit : edits) {
      const auto changed = base.with(edit);
      out.push_back(changed->priceAlone(cost::Wanted::totals()) ? changed->estimate()->totals.stepTime : 0);
    }
  };
  std::thread other([&] { price(steps[1]); });
  price(steps[0]);
  other.join();
  EXPECT_EQ(steps[0], alone);
  EXPECT_EQ(steps[1], alone);
}

} // namespace
} // namespace planc::search
