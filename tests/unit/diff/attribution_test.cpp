// The parts of a difference: they add up, pair by what they are, and are nothing between a step and itself.
// SPDX-License-Identifier: Apache-2.0
#include "backends/diff/Attribution.h"

#include <gtest/gtest.h>

namespace planc::diff::test {
namespace {

cost::LayerRow layer(const std::string& path, double onPath, double slowed, double launches) {
  cost::LayerRow row;
  row.layer = *ir::parseLayerRef(path);
  row.onPath = onPath;
  row.slowed = slowed;
  row.launches = launches;
  return row;
}

cost::CollectiveRow collective(const std::string& op, ir::CollectiveClass cls, double onPath) {
  cost::CollectiveRow row;
  row.op = op;
  row.cls = cls;
  row.onPath = onPath;
  return row;
}

/// A step whose rows and totals add up, as those of every estimate do (tests/accounts).
cost::Estimate step(std::vector<cost::LayerRow> layers, std::vector<cost::CollectiveRow> collectives, double bubble,
                    double optimizer) {
  cost::Estimate e;
  e.totals.bubble = bubble;
  e.totals.optimizer = optimizer;
  e.totals.overhead = 0.01;
  e.totals.straggler = 0.02;
  e.totals.stepTime = bubble + optimizer + 0.03;
  for (const cost::LayerRow& r : layers) e.totals.stepTime += r.onPath + r.slowed + r.launches;
  for (const cost::CollectiveRow& r : collectives) e.totals.stepTime += r.onPath;
  e.layers = std::move(layers);
  e.collectives = std::move(collectives);
  return e;
}

cost::Estimate sharded() {
  return step({layer("decoder.attn", 0.3, 0.01, 0), layer("decoder.mlp", 0.6, 0.02, 0.001)},
              {collective("all_gather", ir::CollectiveClass::State, 0.05),
               collective("all_gather", ir::CollectiveClass::State, 0.03)},
              0, 0.004);
}
cost::Estimate pipelined() {
  return step({layer("decoder.mlp", 0.31, 0, 0.002), layer("head", 0.07, 0, 0)},
              {collective("send_recv", ir::CollectiveClass::Pipeline, 0.02)}, 0.2, 0.003);
}

double differences(const std::vector<Part>& parts) {
  double sum = 0;
  for (const Part& p : parts) sum += p.difference();
  return sum;
}

TEST(Attribution, PlacesAPartWhereItsLargestRowOfTheSecondStepComesFrom) {
  const Subject gather = {"", "all_gather", "state"}, reduce = {"", "all_reduce", "grad"};
  const Account a = {{{Cause::Collectives, gather, 5, "a:1"}, {Cause::Collectives, reduce, 2, "a:2"}}, 7};
  const Account b = {{{Cause::Collectives, gather, 1, "b:1"},
                      {Cause::Collectives, gather, 2, "b:2"},
                      {Cause::Collectives, gather, 1, "b:3"}},
                     4};
  const Attribution parts = attribute(a, b);
  ASSERT_EQ(parts.parts.size(), 2u);
  EXPECT_EQ(parts.parts[0].because, "b:2");
  EXPECT_EQ(parts.parts[1].because, "a:2") << "the second step has no such part";
}

TEST(Attribution, AddsUpToTheDifference) {
  const cost::Estimate a = sharded(), b = pipelined();
  for (const double scale : {1.0, 0.5, 3.0}) {
    const Attribution found = attribute(a, b, 1, scale);
    EXPECT_NEAR(differences(found.parts), scale * b.totals.stepTime - a.totals.stepTime, 1e-12);
  }
}

TEST(Attribution, PairsRowsByWhatTheyAre) {
  const Attribution found = attribute(sharded(), pipelined());
  const auto of = [&](Cause cause, const std::string& what) {
    for (const Part& p : found.parts)
      if (p.cause == cause && p.what.str() == what) return p;
    return Part{};
  };
  EXPECT_DOUBLE_EQ(of(Cause::Layers, "decoder.attn").difference(), -0.3) << "the other stage has it";
  EXPECT_DOUBLE_EQ(of(Cause::Layers, "decoder.mlp").difference(), 0.31 - 0.6);
  EXPECT_DOUBLE_EQ(of(Cause::Layers, "head").difference(), 0.07);
  EXPECT_DOUBLE_EQ(of(Cause::Collectives, "all_gather, state").difference(), -0.08) << "rows of one kind together";
  EXPECT_DOUBLE_EQ(of(Cause::Bubble, "").difference(), 0.2);
}

TEST(Attribution, TurnsRound) {
  const Attribution there = attribute(sharded(), pipelined()), back = attribute(pipelined(), sharded());
  EXPECT_DOUBLE_EQ(differences(there.parts), -differences(back.parts));
}

TEST(Attribution, OfAStepAndItselfIsNothing) {
  for (const Part& p : attribute(sharded(), sharded()).parts) EXPECT_EQ(p.difference(), 0) << p.what.str();
}

} // namespace
} // namespace planc::diff::test
