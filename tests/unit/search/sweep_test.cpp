// Points of sweeps against estimates of the same facts set, and knees against closed forms.
// SPDX-License-Identifier: Apache-2.0
#include "api/PlanFile.h"
#include "api/Sweeps.h"
#include "report/search/SweepReport.h"
#include "search/Knees.h"

#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace planc::search {
namespace {

// ---- curves

std::vector<double> equalRatios(double from, double to, int count) {
  std::vector<double> x;
  for (int i = 0; i < count; ++i) x.push_back(from * std::pow(to / from, i / (count - 1.0)));
  return x;
}

std::vector<Knee> kneesOf(const std::vector<double>& x, const CurveAt& curve) {
  std::vector<std::optional<double>> y;
  for (const double one : x) y.push_back(curve(one));
  return findKnees(x, y, curve);
}

TEST(Knees, OfARoofIsWhereItsSidesMeet) {
  for (const double corner : {1.3, 2.0, 3.7, 7.9, 14.2}) // a point of the sweep among them
    for (const int count : {5, 8, 17}) {
      const auto found =
          kneesOf(equalRatios(1, 16, count), [&](double x) { return std::optional(std::max(1.0, corner / x)); });
      ASSERT_EQ(found.size(), 1u) << corner << " " << count;
      EXPECT_FALSE(found[0].jump);
      EXPECT_NEAR(found[0].at, corner, 1e-9 * corner);
      EXPECT_NEAR(found[0].slopeBelow, -1, 1e-9);
      EXPECT_NEAR(found[0].slopeAbove, 0, 1e-9);
    }
}

/// a + b / x bends everywhere and has no knee, however coarse the sweep is.
TEST(Knees, AnEvenBendIsNone) {
  for (const double share : {0.1, 1.0, 4.0, 10.0})
    for (const int count : {3, 5, 16, 100})
      EXPECT_TRUE(kneesOf(equalRatios(1, 16, count), [&](double x) { return std::optional(1 + share / x); }).empty())
          << share << " " << count;
}

TEST(Knees, OfASumAreFoundInEachOfItsParts) {
  const auto curve = [](double x) {
    return std::optional(1 + std::max(0.0, 1 / x - 0.5) + std::max(0.0, 3 / x - 0.3));
  };
  const auto found = kneesOf(equalRatios(1, 16, 16), curve);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NEAR(found[0].at, 2, 1e-2);
  EXPECT_NEAR(found[1].at, 10, 5e-2);
}

TEST(Knees, AJumpIsNoKink) {
  const auto found = kneesOf(equalRatios(1, 16, 16), [](double x) { return std::optional((x < 5 ? 1.1 : 1.0) / x); });
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].jump);
  EXPECT_NEAR(found[0].at, 5, 0.05);
  EXPECT_NEAR(found[0].change, 1 / 1.1 - 1, 1e-3);
  EXPECT_LE(found[0].below, 5);
  EXPECT_GE(found[0].above, 5);
}

std::optional<FlatEnds> flatOf(const std::vector<double>& x, const CurveAt& curve) {
  std::vector<std::optional<double>> y;
  for (const double one : x) y.push_back(curve(one));
  return flatEnds(x, y);
}

/// From where on more of something stops to matter, by the points alone.
TEST(Knees, ACurveIsFlatBehindTheLastSlope) {
  const std::vector<double> x{1, 2, 4, 8, 16};
  const auto roof = flatOf(x, [](double v) { return std::optional(std::max(1.0, 4 / v)); });
  ASSERT_TRUE(roof && roof->from);
  EXPECT_EQ(*roof->from, 4);
  EXPECT_FALSE(roof->upTo);
  EXPECT_NEAR(roof->first, -0.5, 1e-12) << "half the time";
  EXPECT_EQ(roof->last, 0);
  const auto floor = flatOf(x, [](double v) { return std::optional(std::max(1.0, v / 4)); });
  ASSERT_TRUE(floor && floor->upTo);
  EXPECT_EQ(*floor->upTo, 4);
  EXPECT_FALSE(floor->from);
  const auto slow = flatOf(x, [](double v) { return std::optional(std::pow(v, 0.014)); }); // 0.98 % per doubling
  ASSERT_TRUE(slow && slow->from && slow->upTo);
  EXPECT_EQ(*slow->from, 1);
  EXPECT_EQ(*slow->upTo, 16);
  const auto steep = flatOf(x, [](double v) { return std::optional(std::pow(v, 0.015)); });
  ASSERT_TRUE(steep);
  EXPECT_FALSE(steep->from || steep->upTo);
  // Of a curve with a hole the longest part counts, the last of equal ones.
  const auto hole = flatOf({1, 2, 3, 4, 8, 16}, [](double v) {
    return v == 3 ? std::nullopt : std::optional(v < 3 ? v : std::max(1.0, 8 / v));
  });
  ASSERT_TRUE(hole && hole->from);
  EXPECT_EQ(*hole->from, 8);
  EXPECT_FALSE(flatOf({1, 2, 3}, [](double v) { return v == 2 ? std::nullopt : std::optional(v); }));
}

TEST(Knees, HolesOfACurveAreLeftOut) {
  const auto curve = [](double x) { return x > 3 && x < 6 ? std::nullopt : std::optional(std::max(1.0, 2.0 / x)); };
  const auto found = kneesOf(equalRatios(1, 16, 16), curve);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].at, 2, 1e-9);
}

// ---- plans

/// One product of 2 * 8192 * 8192 * 4096 FLOPs, or its bytes, whichever takes longer.
const char* const kProduct = R"(import std.ops
device bare {
  memory = 80GB
  bandwidth = 2TB/s
  price = 3.6USD/h
  peak { bf16 = 100TFLOP/s }
  calibration {
    gemm { bf16 { efficiency = 1; memory_efficiency = 1; start = 0s } }
    memory { efficiency = 1; start = 0s }
  }
}
fabric wire { sampled_at = 100GB/s; all_reduce = [{ranks = 2, a = 0s, b = 100GB/s}] }
cluster two {
  device = bare
  level node * 2 { link = wire; bandwidth = 100GB/s; topology = switch }
}
stack plain { unattributed = 1; step = 0s; workspace = 0B; fragmentation = 1; reserved = 0B }
model m() {
  in x: [batch, rows, from = 8192] bf16 counts rows
  param w: [from = 8192, to = 8192]
  y = ops.matmul(x, w)
}
plan p {
  model = m
  cluster = two
  software = plain
  infer { batch = 1; rows = 8192 }
  mesh { tp = 2 }
  place { to -> tp }
  search { vary mesh.tp in [1, 2, 4, 8] }
}
)";

struct Swept {
  api::PlanFile file;
  ir::SearchWords words;
  std::unique_ptr<api::Search> search;
  Sweep found;

  Swept(const std::string& text, const std::vector<std::string>& vary) : words{.vary = vary} {
    words.alone = true;
    file.loadText("sweep.plan", text);
    search = api::Search::of(file, "", words);
    if (search)
      found = sweep(search->space(), search->candidates(),
                    {verdict::findMetric("step_time"), verdict::findMetric("memory.peak")});
  }
  std::vector<NamedKnee> knees() { return api::knees(file, "", words, found); }
};

TEST(Sweep, FindsWhereMemoryGivesWayToComputing) {
  Swept swept(kProduct, {"cluster.device.bandwidth in steps(10GB/s, 500GB/s, 9)"});
  ASSERT_TRUE(swept.search);
  ASSERT_EQ(swept.found.points.size(), 9u) << "what the plan's own search varies is left out";
  const double flops = 2.0 * 8192 * 8192 * 4096, bytes = 2.0 * (8192.0 * 8192 + 2 * 8192.0 * 4096);
  for (const SweepPoint& point : swept.found.points)
    EXPECT_NEAR(*point.values[0], std::max(flops / 100e12, bytes / swept.found.at(point)), 1e-9);
  const auto found = swept.knees();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].knee.at / (bytes * 100e12 / flops), 1, 1e-6);
  EXPECT_EQ(found[0].cause, "layers y: bound by memory, then by compute");
}

TEST(Sweep, NamesTheStageThatBecomesCritical) {
  Swept swept(kProduct, {"cluster.device.bandwidth in steps(10GB/s, 500GB/s, 9)"});
  ASSERT_TRUE(swept.search);
  EXPECT_TRUE(stageChanges(swept.found).empty());
  for (size_t i = 6; i < 9; ++i) swept.found.points[i].critical = 2;
  swept.found.points[7].priced = false; // a hole is no change
  const std::vector<StageChange> changes = stageChanges(swept.found);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].from, swept.found.at(swept.found.points[5]));
  EXPECT_EQ(changes[0].to, swept.found.at(swept.found.points[6]));
  EXPECT_EQ(changes[0].before, 0);
  EXPECT_EQ(changes[0].then, 2);
  const auto knees = swept.knees();
  ASSERT_FALSE(knees.empty());
  DiagnosticEngine unread;
  PricedPlan plans[4];
  for (size_t i = 0; i < 4; ++i) plans[i] = pricedPlan(swept.search->candidates(), 2 * i, unread);
  for (size_t i = 2; i < 4; ++i) plans[i].estimate->totals.critical = 1;
  EXPECT_NE(kneeCause(knees[0].knee, {plans[0].estimate.get(), plans[1].estimate.get(), plans[2].estimate.get(),
                                      plans[3].estimate.get()})
                .find("; the critical stage is 0, then 1"),
            std::string::npos);
}

TEST(Sweep, PointsAreEstimatesOfTheFactsSet) {
  struct Row {
    const char* vary;
    const char* path;
  };
  const std::string text = R"(import std.models.llama
import std.clusters.hgx
import std.optimizers
import std.stacks.te
plan p(nodes: int = 2) {
  model    = llama.llama3_8b(layers = 8)
  cluster  = hgx.hgx_h100(nodes = nodes)
  software = te.te
  train { seq = 2048; global_batch = 64; micro_batch = 1; optimizer = optimizers.adam }
  precision { params = bf16; compute = bf16 }
  mesh  { tp = 2; pp = 2; dp = 2 * nodes }
  place { batch -> dp }
  place decoder { seq -> tp }
  place decoder.mlp { ffn -> tp uneven }
  pipeline pp { schedule = one_f_one_b }
  states { params -> dp { regather = false }; optimizer -> dp }
}
)";
  for (const Row& row :
       {Row{"nodes in [1, 2, 4]", "nodes"}, Row{"train.micro_batch in [1, 2, 3, 8]", "train.micro_batch"},
        Row{"cluster.node.bandwidth in steps(100GB/s, 900GB/s, 5)", "cluster.node.bandwidth"},
        Row{"recompute in [none, decoder]", "recompute"}, Row{"train.seq in [1024, 3000]", "train.seq"}}) {
    Swept swept(text, {row.vary});
    ASSERT_TRUE(swept.search) << row.vary;
    for (const SweepPoint& point : swept.found.points) {
      const std::string value = swept.search->space().choices[0].values[point.digits[0]].texts[0];
      api::PlanFile file;
      file.loadText("sweep.plan", text);
      ASSERT_TRUE(file.set({{row.path, value}}));
      const auto plan = file.bind("p");
      ASSERT_EQ(point.priced, plan && plan->priceAlone()) << row.path << " = " << value;
      if (!point.priced) continue;
      EXPECT_EQ(*point.values[0], plan->estimate()->totals.stepTime) << row.path << " = " << value;
      EXPECT_EQ(*point.values[1], plan->estimate()->memory.peak) << row.path << " = " << value;
    }
  }
}

TEST(Sweep, AMapHasTheOrderInWhichItIsWritten) {
  Swept swept(kProduct, {"mesh.tp in [1, 2]", "cluster.device.bandwidth in [1TB/s, 2TB/s]"});
  ASSERT_TRUE(swept.search);
  ASSERT_EQ(swept.found.axes.size(), 2u);
  EXPECT_EQ(swept.found.axes[0].path, "mesh.tp");
  ASSERT_EQ(swept.found.points.size(), 4u);
  EXPECT_EQ(swept.found.at(swept.found.points[1], 1), 2e12);
  EXPECT_EQ(swept.found.at(swept.found.points[1], 0), 1);
  EXPECT_TRUE(swept.knees().empty());
}

} // namespace
} // namespace planc::search
