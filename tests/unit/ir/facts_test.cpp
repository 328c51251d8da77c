// Names and small facts: element types, operator kinds, classes, curves, clusters, selectors, precision of a program.
// SPDX-License-Identifier: Apache-2.0
#include "TinyProgram.h"
#include "ir/facts/ClusterFacts.h"

#include <gtest/gtest.h>
#include <optional>

namespace planc::ir {
namespace {

TEST(DType, NamesAndWidths) {
  EXPECT_EQ(allDTypes().size(), 20u);
  for (DType t : allDTypes()) EXPECT_EQ(parseDType(name(t)), t);
  EXPECT_EQ(width(DType::fp4), 0.5);
  EXPECT_EQ(width(DType::int4), 0.5 + 2.5 / 128);
  EXPECT_EQ(width(DType::tf32), 4);
  EXPECT_EQ(width(DType::boolean), 1);
  EXPECT_FALSE(parseDType("float"));
  EXPECT_TRUE(isFloat(DType::fp8));
  EXPECT_FALSE(isFloat(DType::int32));
}

TEST(DType, RecipesAreFp8OrFp4WithScales) {
  EXPECT_EQ(width(DType::fp8_block), 1 + 4.0 / 128);
  EXPECT_EQ(width(DType::fp8_tensor), 1);
  for (DType t : allDTypes()) {
    const bool narrow = arithmetic(t) == DType::fp8 || arithmetic(t) == DType::fp4;
    EXPECT_TRUE(narrow || !isRecipe(t)) << name(t);
  }
  EXPECT_TRUE(isRecipe(DType::mxfp8) && isRecipe(DType::fp8_row) && !isRecipe(DType::fp8));
  EXPECT_EQ(castReads(DType::fp8_tensor), 2);
  EXPECT_EQ(castReads(DType::fp8_row), 3);
}

TEST(Precision, FactsSetTheirTypes) {
  Precision p;
  EXPECT_EQ(p.stateType(Symbol("m")), DType::fp32);
  p.set({PrecisionKey::State, Symbol("m"), DType::bf16, {}});
  p.set({PrecisionKey::Saved, Symbol(), DType::fp8, {}});
  EXPECT_EQ(p.stateType(Symbol("m")), DType::bf16);
  EXPECT_EQ(p.stateType(Symbol("v")), DType::fp32);
  EXPECT_EQ(p.saved, DType::fp8);
  EXPECT_EQ((PrecisionFact{PrecisionKey::State, Symbol("m"), DType::bf16, {}}).str(), "optimizer.m");
}

TEST(OpKind, APlanNamesOnlyTheEquations) {
  EXPECT_EQ(parseOpKind("grouped_gemm"), OpKind::GroupedGemm);
  EXPECT_EQ(name(OpKind::Carry), "carry");
  EXPECT_FALSE(parseOpKind("carry"));
  EXPECT_FALSE(parseOpKind("cast"));
  EXPECT_TRUE(isContraction(OpKind::Gemm));
  EXPECT_FALSE(isContraction(OpKind::Scores));
}

TEST(Names, OfEnumerations) {
  EXPECT_EQ(name(CollectiveClass::Exchange), "exchange");
  EXPECT_EQ(parseCollectiveClass("statistic"), CollectiveClass::Statistic);
  EXPECT_FALSE(parseCollectiveClass("tensor"));
  EXPECT_EQ(name(StateKind::Optimizer), "optimizer");
  EXPECT_EQ(name(Phase::Step), "step");
  EXPECT_EQ(name(Role::WGrad), "wgrad");
  EXPECT_EQ(name(Role::Save), "save");
  EXPECT_EQ(name(Role::Optimizer), "optimizer");
  EXPECT_EQ(name(CollectiveKind::SendRecv), "send_recv");
}

TEST(Table, InterpolatesLogLogAndHoldsOutside) {
  Table c;
  EXPECT_EQ(c.at(3), 0);
  c.x = {1, 100};
  c.y = {10, 1000};
  EXPECT_DOUBLE_EQ(c.at(10), 100);
  EXPECT_EQ(c.at(0.5), 10);
  EXPECT_EQ(c.at(1e6), 1000);
  EXPECT_TRUE(c.covers(50));
  EXPECT_FALSE(c.covers(101));
  c.y = {0, 1000};
  EXPECT_DOUBLE_EQ(c.at(50.5), 500); // a zero has no logarithm
}

TEST(Cluster, MultipliesItsLevels) {
  Cluster c;
  EXPECT_EQ(c.devices(), 1);
  c.levels.resize(2);
  c.levels[0].count = 8;
  c.levels[1].count = 64;
  EXPECT_EQ(c.devices(), 512);
}

Selector selector(std::vector<std::string> steps) {
  Selector s;
  for (const std::string& text : steps) s.steps.push_back({text == "*", Symbol(text), std::nullopt});
  return s;
}

TEST(Selector, MatchesAPrefix) {
  std::vector<Symbol> path{Symbol("decoder"), Symbol("attn"), Symbol("q")};
  EXPECT_EQ(selector({}).matches(path), 0);
  EXPECT_EQ(selector({"decoder"}).matches(path), 1);
  EXPECT_EQ(selector({"*", "attn"}).matches(path), 2);
  EXPECT_FALSE(selector({"attn"}).matches(path));
  EXPECT_FALSE(selector({"decoder", "attn", "q", "w"}).matches(path));
}

TEST(Selector, PrintsAsWritten) {
  Selector s = selector({"decoder", "*"});
  s.steps[0].slice = RangeSet{{{0, 20, 1}}};
  EXPECT_EQ(s.str(), "decoder[0:20].*");
  EXPECT_EQ(Selector().str(), "");
}

TEST(Program, ElementTypesFollowThePrecision) {
  test::Tiny t;
  t.plan.precision.params = DType::fp32;
  t.plan.precision.activations = DType::fp16;
  EXPECT_EQ(t.program.dtypeOf(t.w1), DType::fp32);
  EXPECT_EQ(t.program.widthOf(t.up), 2);
  t.model().values[t.up].dtype = DType::int64;
  EXPECT_EQ(t.program.widthOf(t.up), 8);
  EXPECT_EQ(t.program.extents({t.batch, t.ffn}), (std::vector<int64_t>{8, 128}));
  t.model().dims[t.batch].kind = DimKind::Routed;
  EXPECT_EQ(t.program.unordered({t.batch, t.ffn}), (std::vector<bool>{true, false}));
}

TEST(Placement, KnowsItsAxes) {
  test::Tiny t;
  const Placement& p = t.body().placements[0];
  EXPECT_EQ(p.axesOf(t.ffn), AxisList{t.tp});
  EXPECT_TRUE(p.axesOf(t.hidden).empty());
  EXPECT_EQ(p.mask(), maskOf(t.tp) | maskOf(t.dp));
}

// A port begins at the network cards, or where a level says so; all other levels share that of the level below.
TEST(Cluster, LevelsShareAPortUpToTheNetworkCards) {
  Cluster cluster;
  cluster.levels.resize(4);
  EXPECT_EQ(cluster.portOf(3), 0u);
  cluster.levels[2].fabric.set(FabricFact::NicEfficiency, Number{});
  cluster.levels[3].fabric.set(FabricFact::NicEfficiency, Number{});
  for (const auto& [level, port] : {std::pair{0, 0}, {1, 0}, {2, 2}, {3, 2}})
    EXPECT_EQ(cluster.portOf(static_cast<size_t>(level)), static_cast<size_t>(port)) << level;
  cluster.levels[1].set(LevelFact::OwnPort, Number{.value = 1});
  cluster.levels[2].set(LevelFact::OwnPort, Number{});
  for (const auto& [level, port] : {std::pair{0, 0}, {1, 1}, {2, 1}, {3, 1}})
    EXPECT_EQ(cluster.portOf(static_cast<size_t>(level)), static_cast<size_t>(port)) << level;
  cluster.levels[3].set(LevelFact::OwnPort, Number{.value = 1});
  EXPECT_EQ(cluster.portOf(3), 3u);
}

} // namespace
} // namespace planc::ir
