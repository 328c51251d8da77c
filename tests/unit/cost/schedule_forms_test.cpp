// Schedules against the closed forms of docs/cost-model.md, section 3.1, and against each other.
// SPDX-License-Identifier: Apache-2.0
#include "Pipelines.h"
#include "ir/vocabulary/Schedules.h"
#include "passes/Passes.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace planc::cost::test {
namespace {

/// Equal stages, free transfers: what the device that takes longest takes beyond its passes, of the best order of the
/// schedule. F, B and W per micro-batch and device; `pair`: seconds of a pair, 0 for one pass after the other.
double bubble(std::string_view name, int64_t p, int64_t v, int64_t m, double f, double b, double w, double pair = 0) {
  const ir::ScheduleKind& kind = scheduleNamed(name);
  const int64_t chunks = kind.chunks > 0 ? kind.chunks : v;
  const double share = 1 / static_cast<double>(chunks);
  PipelineInput in = input(kind, p, chunks, m, {f * share}, {(b + w) * share});
  for (VirtualStageCost& c : in.virtualStages) c.backward.weight = w * share;
  const double together = pair * share;
  if (pair > 0)
    for (int64_t i = 0; i < p * chunks; ++i)
      for (int64_t k = 0; k < p * chunks; ++k) in.pairs[{i, k}] = {together, together, together};
  double least = std::numeric_limits<double>::infinity();
  std::vector<ir::OrderMaker> makers{kind.orders};
  for (const ir::NamedOrder& other : kind.others()) makers.push_back(other.make);
  for (const ir::OrderMaker make : makers) {
    ir::ScheduleShape shape{p, chunks, m, {}, {}};
    shape.arguments = kind.standardArguments();
    if (kind.chunks == 0) shape.arguments.front() = chunks;
    in.actions = make(shape);
    double most = 0;
    for (const StageTimes& t : runPipeline(in)) {
      EXPECT_NEAR(t.idle, t.end - t.begin - t.busy, 1e-9);
      most = std::max(most, t.idle);
    }
    least = std::min(least, most);
  }
  return least;
}

struct Form {
  std::string_view name;
  /// Of F, B, W, p and v.
  double (*bubble)(double f, double b, double w, double p, double v);
  int64_t leastPerStage = 1; ///< micro-batches from which on the form holds
};

// arXiv 2401.10241, Table 2; 2104.04473, section 2.2; 2211.05953; 2412.19437, Table 2, whose B holds W.
const std::vector<Form>& forms() {
  static const std::vector<Form> all = {
      {"one_f_one_b", [](double f, double b, double w, double p, double) { return (p - 1) * (f + b + w); }},
      {"gpipe", [](double f, double b, double w, double p, double) { return (p - 1) * (f + b + w); }},
      {"interleaved_1f1b", [](double f, double b, double w, double p, double v) { return (p - 1) * (f + b + w) / v; }},
      {"paired_1f1b", [](double f, double b, double w, double p, double v) { return (p - 1) * (f + b + w) / v; }},
      {"breadth_first", [](double f, double b, double w, double p, double v) { return (p - 1) * (f + b + w) / v; }},
      {"zb_h1", [](double f, double b, double w, double p, double) { return (p - 1) * (f + b - w); }, 2},
      {"zero_bubble", [](double f, double b, double w, double p, double) { return (p - 1) * (f + b - w); }, 2},
      {"zb_h2", [](double f, double b, double w, double p, double) { return (p - 1) * (f + b - 2 * w); }, 2},
      {"zb_v", [](double, double, double, double, double) { return 0.; }, 2},
      {"dualpipe", [](double f, double b, double w, double p, double) { return (p / 2 - 1) * (f + b + w + b - 2 * w); },
       2},
      {"dualpipe_v", // p devices hold 2p halves
       [](double f, double b, double w, double p, double) { return (p - 1) * (f + b + w + b - 2 * w) / 2; }, 2},
  };
  return all;
}

TEST(CostSchedules, EveryScheduleHasItsClosedForm) {
  for (const ir::Word* word : ir::scheduleWords().words())
    ASSERT_TRUE(std::any_of(forms().begin(), forms().end(), [&](const Form& f) { return f.name == word->name; }))
        << "no closed form of `" << word->name << "`";
  for (const Form& form : forms()) {
    const ir::ScheduleKind& kind = scheduleNamed(form.name);
    for (const int64_t p : {2, 4, 6, 8, 16})
      for (const int64_t v : {1, 2, 3, 4})
        for (const int64_t rounds : {1, 2, 3, 8, 20}) {
          if (rounds < form.leastPerStage || (kind.chunks > 0 && v > 1)) continue;
          const double expected = form.bubble(1, 1, 1, static_cast<double>(p), static_cast<double>(v));
          EXPECT_NEAR(bubble(form.name, p, v, p * rounds, 1, 1, 1), expected, 1e-6)
              << form.name << " p=" << p << " v=" << v << " m=" << p * rounds;
        }
  }
}

// Passes of other lengths, too, where the forms hold for them, and any number of micro-batches.
TEST(CostSchedules, WholePassesHaveTheirFormsForAnyTimes) {
  for (const int64_t p : {1, 2, 3, 5, 8})
    for (const int64_t m : {8, 9, 31}) {
      const double n = static_cast<double>(p - 1), f = 1.3, b = 1.1, w = .8;
      for (const std::string_view name : {"one_f_one_b", "gpipe", "paired_1f1b"})
        EXPECT_NEAR(bubble(name, p, 1, m, f, b, w), n * (f + b + w), 1e-9) << name << " p=" << p << " m=" << m;
      EXPECT_NEAR(bubble("breadth_first", p, 3, m, f, b, w), n * (f + b + w) / 3, 1e-9);
    }
}

// arXiv 2412.19437, Table 2, with B for a whole backward pass: (PP/2 - 1)(F&B + B - 3W), F&B the time of a pair.
TEST(CostSchedules, DualPipesBubbleIsThatOfItsTable) {
  const double f = 1, b = 2, w = 1;
  for (int64_t p : {4, 8, 16}) {
    const double n = static_cast<double>(p / 2 - 1);
    for (double pair : {f + b, .8 * (f + b)}) {
      EXPECT_NEAR(bubble("dualpipe", p, 1, 6 * p, f, b - w, w, pair), n * (pair + b - 3 * w), 1e-9) << p << " " << pair;
      EXPECT_NEAR(bubble("dualpipe_v", p / 2, 1, 3 * p, 2 * f, 2 * (b - w), 2 * w, 2 * pair), n * (pair + b - 3 * w),
                  1e-9);
    }
  }
}

// A transfer beside the rest of its pair lengthens no pair: the bubble does not grow with the micro-batches.
TEST(CostSchedules, PairsHideTheirTransfers) {
  const auto most = [](int64_t v, int64_t m) {
    const double share = 1 / static_cast<double>(v);
    PipelineInput in = input(scheduleNamed("paired_1f1b"), 8, v, m, {share}, {2 * share}, .01, 0);
    for (int64_t i = 0; i < 8 * v; ++i)
      for (int64_t k = 0; k < 8 * v; ++k) in.pairs[{i, k}] = {3 * share, 2 * share, 3 * share};
    double bubble = 0;
    for (const StageTimes& t : runPipeline(in)) bubble = std::max(bubble, t.idle);
    return bubble;
  };
  for (const int64_t v : {1, 2, 3}) {
    EXPECT_NEAR(most(v, 32), most(v, 256), 1e-9) << v;
    const double hops = static_cast<double>(2 * 8 * v); // filling and emptying the pipeline waits for them
    EXPECT_LE(most(v, 32), 7 * 3. / static_cast<double>(v) + .01 * hops) << v;
  }
}

/// One operator in each direction and one for the weights' gradient per stage, of random times; transfers between them.
struct Uneven {
  Builder b;
  Uneven(std::mt19937& random, int64_t p, int64_t m) : b(p, {{"tp", 8}, {"pp", p}}) {
    const auto seconds = [&](double least, double most) {
      return std::uniform_real_distribution<double>(least, most)(random);
    };
    const double spread = seconds(0, 1), transfer = seconds(0, 2e9);
    std::vector<std::vector<int64_t>> pieces;
    for (int64_t s = 0; s < p; ++s) {
      const ir::LayerClassId id = b.unit("stage" + std::to_string(s));
      const ir::OpId op = b.op("work", ir::OpKind::Memory);
      const auto lasting = [&](bool back) { return b.lasting(op, 1 + spread * seconds(-.9, 2), back); };
      b.body(id).forward.edit() = {lasting(false)};
      b.body(id).backward.edit() = {lasting(true), lasting(true)};
      b.body(id).backward.edit()[1].compute().role = ir::Role::WGrad;
      pieces.emplace_back(static_cast<size_t>(s) + 1)[static_cast<size_t>(s)] = 1;
    }
    b.stages(p, 1, pieces);
    ir::Value stream;
    const ir::ValueId value = b.program.model.edit().values.add(stream);
    for (int64_t s = 0; s + 1 < p; ++s)
      b.program.kindOf(static_cast<size_t>(s)).sends = {{value, transfer, true, 0, {}}};
    b.program.stageAxes = b.axis("pp");
    b.program.microBatches = m;
    const double held[]{0, .4, 1};
    b.schedule.blockingShare[static_cast<size_t>(ir::CollectiveClass::Pipeline)] = held[random() % 3];
    setReceive(edit(b.plan.stack), held[random() % 3]);
  }
  double step(std::string_view name) {
    b.schedule.kind = b.program.kind = &scheduleNamed(name);
    b.program.scheduleArguments = b.schedule.kind->standardArguments();
    DiagnosticEngine diagnostics;
    const auto e = b.estimate(diagnostics);
    return e ? e->totals.stepTime : 0;
  }
};

TEST(CostSchedules, AChosenOrderIsNeverSlowerThanWhatItStartsFrom) {
  std::mt19937 random(11);
  double gained = 0;
  for (int round = 0; round < 60; ++round) {
    const int64_t p = 2 + static_cast<int64_t>(random() % 7), m = p + static_cast<int64_t>(random() % 40);
    Uneven u(random, p, m);
    const double whole = u.step("one_f_one_b"), h1 = u.step("zb_h1"), h2 = u.step("zb_h2"),
                 best = u.step("zero_bubble");
    ASSERT_GT(best, 0);
    EXPECT_LE(best, whole * (1 + 1e-9)) << "p=" << p << " m=" << m;
    EXPECT_LE(best, h1 * (1 + 1e-9)) << "p=" << p << " m=" << m;
    EXPECT_LE(h2, h1 * (1 + 1e-9)) << "p=" << p << " m=" << m;
    EXPECT_LE(h2, whole * (1 + 1e-9)) << "p=" << p << " m=" << m;
    gained = std::max(gained, 1 - best / whole);
  }
  EXPECT_GT(gained, .1); // the choice is one
}

} // namespace
} // namespace planc::cost::test
