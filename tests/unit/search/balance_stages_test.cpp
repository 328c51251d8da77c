// `stages = balanced` against every `even` that fits, and against all cuts there are.
// SPDX-License-Identifier: Apache-2.0
#include "../frontend/Compile.h"
#include "backends/cost/Estimator.h"
#include "passes/Passes.h"
#include "search/BalanceStages.h"
#include "support/Rounding.h"

#include <fmt/format.h>
#include <random>
#include <set>

namespace planc::search {
namespace {

struct StepPrice {
  bool fits = false;
  double step = 0, longest = 0;
};

std::optional<StepPrice> priceOf(const ir::Plan& plan) {
  DiagnosticEngine ignored;
  const auto program = passes::lower(plan, ignored);
  if (!program) return std::nullopt;
  const auto estimate = cost::estimate(*passes::schedule(*program), ignored);
  if (!estimate) return std::nullopt;
  return StepPrice{estimate->memory.fits, estimate->totals.stepTime, estimate->totals.work};
}

/// A model of repeats of different widths between an embedding and a head, on a pipeline.
struct RandomPlan {
  std::mt19937 random;
  explicit RandomPlan(uint32_t seed) : random(seed) {}
  int64_t pick(const std::vector<int64_t>& from) {
    return from[std::uniform_int_distribution<size_t>(0, from.size() - 1)(random)];
  }

  std::string model(int64_t repeats, const std::vector<int64_t>& counts) {
    const int64_t vocab = pick({1000, 32000, 128000, 256000});
    int64_t width = pick({512, 1024, 2048});
    std::string text = fmt::format("model m() {{\n  in tokens: [batch, seq] int32 counts seq\n  embed = "
                                   "blocks.embedding(tokens, {}, {})\n",
                                   vocab, width);
    std::string last = "embed";
    for (int64_t r = 0; r < repeats; ++r) {
      if (const int64_t next = pick({512, 1024, 2048}); next != width) {
        text += fmt::format("  wide{0} = widen{0}({1}, {2})\n", r, last, next);
        width = next, last = fmt::format("wide{}", r);
      }
      text += fmt::format("  layer{0} * {1} with x = {2} {{\n    norm1 = blocks.rms_norm(x)\n    attn = "
                          "blocks.gqa(norm1, {3}, {3}, head = 64)\n    mid = x + attn\n    norm2 = "
                          "blocks.rms_norm(mid)\n    mlp = blocks.swiglu(norm2, {4})\n    out mid + mlp\n  }}\n",
                          r, pick(counts), last, width / 64, width * pick({1, 3, 6}));
      last = fmt::format("layer{}", r);
    }
    return text +
           fmt::format("  head = blocks.lm_head({}, {})\n  loss = ops.cross_entropy(head, tokens)\n}}\n", last, vocab);
  }

  std::unique_ptr<ir::Plan> plan(int64_t stages, const std::string& schedule, int64_t repeats,
                                 const std::vector<int64_t>& counts, int64_t passes = 32,
                                 const std::string& rules = "") {
    std::string blocks;
    for (int r = 0; r < 3; ++r) // each widens to a dimension of its own
      blocks +=
          fmt::format("block widen{0}(x: [.., hidden], wide{0}: int) {{\n  param w: [hidden, wide{0}]\n  out: [.., "
                      "wide{0}] = ops.matmul(x, w)\n}}\n",
                      r);
    const std::string text = fmt::format(
        "import std.blocks\nimport std.ops\nimport std.clusters.hgx\nimport std.stacks.te\nimport std.optimizers\n"
        "{}{}plan p {{\n  model = m\n  cluster = hgx.hgx_h100(nodes = 1)\n  software = te.te\n  train {{ seq = "
        "{}; global_batch = {}; micro_batch = 1; optimizer = optimizers.adam }}\n  mesh {{ dp = {}; pp = {} }}\n"
        "  place {{ batch -> dp\n{} }}\n  pipeline pp {{ schedule = {} }}\n{}}}\n",
        blocks, model(repeats, counts), pick({1024, 4096}), passes * (8 / stages), 8 / stages, stages, rules, schedule,
        pick({0, 1}) ? "  states { params -> dp }\n" : "");
    auto plans = frontend::plansOf(text);
    return plans.size() == 1 ? std::move(plans[0]) : nullptr;
  }
};

StepPrice balancedPrice(const ir::Plan& plan) {
  ir::Plan settled = plan;
  Engine engine;
  settled.pipeline->stages = balancedStages(plan, engine);
  if (settled.pipeline->stages.empty()) return {}; // fewer layers than virtual stages
  return priceOf(settled).value_or(StepPrice{});
}

TEST(BalanceStages, AreNeverSlowerThanAnyEvenThatFits) {
  const char* schedules[] = {"one_f_one_b", "interleaved_1f1b(chunks = 2)", "zb_h1", "gpipe", "zb_v"};
  int compared = 0, faster = 0;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    RandomPlan random(seed);
    const int64_t stages = random.pick({2, 4, 8});
    const auto plan =
        random.plan(stages, schedules[seed % std::size(schedules)], random.pick({1, 2, 3}), {8, 12, 16, 14, 22});
    ASSERT_TRUE(plan);
    const StepPrice balanced = balancedPrice(*plan);
    for (int64_t embed = 0; embed <= 2; ++embed)
      for (int64_t head = 0; head <= 2; ++head) {
        ir::Plan even = *plan;
        ir::Stages& cut = even.pipeline->cut.emplace();
        if (embed) cut.counted.push_back({Symbol("embed"), embed, {}});
        if (head) cut.counted.push_back({Symbol("head"), head, {}});
        const auto price = priceOf(even);
        if (!price || !price->fits) continue;
        ++compared, faster += balanced.step < price->step * 0.99;
        EXPECT_TRUE(balanced.fits) << seed;
        EXPECT_LE(balanced.step, price->step * (1 + kRounding)) << seed << " embed " << embed << " head " << head;
      }
  }
  EXPECT_GT(compared, 50);
  EXPECT_GT(faster, compared / 4);
}

/// Stage lines for a layer each, every one of the rest on the last stage.
std::vector<ir::StageLine> linesAt(const std::vector<std::pair<Symbol, int64_t>>& layers, size_t stages,
                                   const std::vector<size_t>& ends) {
  std::vector<ir::StageLine> lines;
  size_t at = 0;
  for (size_t s = 0; s < stages; ++s) {
    ir::StageLine line;
    line.index = static_cast<int64_t>(s);
    for (const size_t end = s < ends.size() ? ends[s] : layers.size(); at < end; ++at) {
      ir::LayerStep step;
      step.name = layers[at].first;
      if (layers[at].second >= 0) step.slice = ir::RangeSet{{{layers[at].second, layers[at].second + 1, 1}}};
      line.selectors.push_back({{{step}}, {}});
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::pair<Symbol, int64_t>> layersOfModel(const ir::Model& model) {
  std::vector<std::pair<Symbol, int64_t>> layers;
  for (const ir::Layer& layer : model.layers)
    for (int64_t i = 0; i < (layer.repeat ? layer.count : 1); ++i)
      layers.emplace_back(layer.name, layer.repeat ? i : -1);
  return layers;
}

/// Prices every cut of the layers into stages of one layer at least.
void allCuts(const ir::Plan& plan, const std::vector<std::pair<Symbol, int64_t>>& layers, size_t stages,
             std::vector<size_t>& ends, StepPrice& best) {
  if (ends.size() + 1 < stages) {
    for (size_t end = ends.empty() ? 1 : ends.back() + 1; end < layers.size(); ++end) {
      ends.push_back(end);
      allCuts(plan, layers, stages, ends, best);
      ends.pop_back();
    }
    return;
  }
  ir::Plan trial = plan;
  trial.pipeline->stages = linesAt(layers, stages, ends);
  const auto price = priceOf(trial);
  if (!price || !price->fits) return;
  if (best.step == 0 || price->step < best.step) best.step = price->step;
  if (best.longest == 0 || price->longest < best.longest) best.longest = price->longest;
  best.fits = true;
}

/// Cuts plans at random places, over shared layers and lowered anew.
void expectSharedCutsAreLoweredAnew(const std::string& rules, bool boundaries) {
  const char* schedules[] = {"one_f_one_b", "interleaved_1f1b(chunks = 2)", "zb_h1", "dualpipe_v", "gpipe"};
  for (uint32_t seed = 0; seed < (boundaries ? 40 : 100); ++seed) {
    RandomPlan random(5000 + seed);
    const auto plan =
        random.plan(2, schedules[seed % std::size(schedules)], random.pick({1, 2, 3}), {2, 3, 6}, 32, rules);
    ASSERT_TRUE(plan);
    DiagnosticEngine ignored;
    ir::Plan first = *plan, second = *plan;
    first.pipeline->cut.emplace().cut = ir::StageCut::Balanced;
    Engine engine;
    const auto program = engine.lower(first, ignored);
    ASSERT_TRUE(program) << seed;
    EXPECT_EQ(std::any_of(program->classes.begin(), program->classes.end(),
                          [](const ir::LayerClass& c) { return c.behind.valid() && c.before.valid(); }),
              boundaries)
        << seed;
    const auto layers = layersOfModel(*plan->model);
    const auto parts = static_cast<size_t>(program->virtualStages.size());
    std::set<size_t> ends;
    while (ends.size() + 1 < parts) ends.insert(1 + random.random() % (layers.size() - 1));
    second.pipeline->stages = linesAt(layers, parts, {ends.begin(), ends.end()});
    const auto again = engine.lower(second, ignored);
    const auto anew = passes::lower(second, ignored);
    ASSERT_TRUE(again && anew) << seed;
    EXPECT_EQ(engine.lowerings().shared(), 1u) << seed;
    EXPECT_EQ(ir::print(*again), ir::print(*anew)) << seed;
    const auto found = engine.price(*engine.schedule(*again), ignored);
    const auto estimate = cost::estimate(*passes::schedule(*anew), ignored);
    EXPECT_EQ(found->totals.stepTime, estimate->totals.stepTime) << seed;
    EXPECT_EQ(found->memory.peak, estimate->memory.peak) << seed;
    EXPECT_EQ(found->memory.fits, estimate->memory.fits) << seed;
  }
}

TEST(BalanceStages, CutsOverSharedLayersAreLoweredAnew) {
  expectSharedCutsAreLoweredAnew("", false);
}

TEST(BalanceStages, BoundaryReshardsBetweenClassesGoWithThemWhereCutsShareLayers) {
  expectSharedCutsAreLoweredAnew("    layer0[1] { batch -> replicate }\n", true);
}

TEST(BalanceStages, AreTheBestOfAllCuts) {
  int compared = 0;
  for (uint32_t seed = 0; seed < 150; ++seed) {
    RandomPlan random(1000 + seed);
    const int64_t stages = random.pick({2, 4});
    const auto plan =
        random.plan(stages, seed % 2 ? "one_f_one_b" : "gpipe", random.pick({1, 2}), {2, 3}, random.pick({2, 4, 32}));
    ASSERT_TRUE(plan);
    const auto layers = layersOfModel(*plan->model);
    if (layers.size() < static_cast<size_t>(stages) || plan->model->layers.empty()) continue;
    StepPrice best;
    std::vector<size_t> ends;
    allCuts(*plan, layers, static_cast<size_t>(stages), ends, best);
    if (!best.fits) continue;
    ir::Plan settled = *plan;
    Engine engine;
    settled.pipeline->stages = balancedStages(*plan, engine);
    if (settled.pipeline->stages.empty()) continue;
    const auto price = priceOf(settled);
    ASSERT_TRUE(price) << seed;
    ++compared;
    EXPECT_TRUE(price->fits) << seed;
    EXPECT_LE(price->step, best.step * (1 + kRounding))
        << seed << " longest " << price->longest << " of " << best.longest;
  }
  EXPECT_GT(compared, 120);
}

} // namespace
} // namespace planc::search
