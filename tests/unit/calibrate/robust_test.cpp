// The statistics under the fits.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/samples/Robust.h"

#include <cmath>
#include <gmock/gmock.h>

using namespace planc::calibrate;
using testing::DoubleNear;
using testing::ElementsAre;

namespace {

TEST(Robust, Quantiles) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(quantile({0, 10}, 0.25), 2.5);
}

TEST(Robust, ALineIsNotMovedByAFifthOfWildPoints) {
  std::vector<LinearRow> rows;
  for (int i = 0; i < 50; ++i) rows.push_back({{{0, 1}, {1, i / 10.0}}, 2 + 0.3 * i / 10.0 + (i % 5 == 0 ? 3 : 0)});
  EXPECT_THAT(fitLinear(rows, 2), ElementsAre(DoubleNear(2, 0.02), DoubleNear(0.3, 0.01)));
}

TEST(Robust, AClosedFormIsFoundFromFarAway) {
  std::vector<double> x, y;
  for (double v = 1; v < 1e6; v *= 2) x.push_back(v), y.push_back(5 + v / 1000);
  const auto found = fitClosed({1, 1}, y, [&](std::span<const double> p, size_t i) { return p[0] + x[i] / p[1]; });
  EXPECT_NEAR(found[0], 5, 1e-3);
  EXPECT_NEAR(found[1], 1000, 1);
}

TEST(Robust, CurvesAreReadLogLogAndHeldOutside) {
  const planc::ir::Table c{{1, 100}, {10, 1000}};
  EXPECT_DOUBLE_EQ(c.at(0.1), 10);
  EXPECT_NEAR(c.at(10), 100, 1e-9);
  EXPECT_DOUBLE_EQ(c.at(1e6), 1000);
}

TEST(Robust, APowerLawIsACurve) {
  std::vector<double> x, y;
  for (double v = 1; v < 1000; v *= 1.05) x.push_back(v), y.push_back(3 * std::sqrt(v));
  EXPECT_NEAR(fitCurve(x, y, 6).at(50), 3 * std::sqrt(50), 1e-3);
}

TEST(Robust, NeighboursArePooledUntilTimeRises) {
  const planc::ir::Table wavy{{1, 2, 3, 4}, {1, 4, 2, 5}};
  const auto same = [](double, double v) { return v; };
  const planc::ir::Table c = monotone(wavy, same, same);
  EXPECT_THAT(c.y, ElementsAre(1, DoubleNear(std::sqrt(8), 1e-9), DoubleNear(std::sqrt(8), 1e-9), 5));
}

TEST(Robust, FewDistinctValuesAreTheKnots) {
  EXPECT_THAT(knots({64, 128, 64, 96}, 8), ElementsAre(64, 96, 128));
  EXPECT_EQ(knots({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 4).size(), 4u);
  EXPECT_EQ(knots({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 4).back(), 10);
}

TEST(Robust, NothingIsNoTrouble) {
  EXPECT_THAT(fitClosed({7}, {}, [](auto, size_t) { return 1.0; }), ElementsAre(7));
  EXPECT_EQ(fitLinear({}, 2).size(), 2u);
}

} // namespace
