// Pictures: names are escaped, axes hold their values, ticks are round.
// SPDX-License-Identifier: Apache-2.0
#include "report/tables/Svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace planc::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(Svg, EscapesWhatXmlReads) {
  EXPECT_EQ(xmlText("a<b & \"c\">'d'\x01\n"), "a&lt;b &amp; &quot;c&quot;&gt;&#39;d&#39;\xEF\xBF\xBD");
  EXPECT_EQ(xmlText("\xFF é \xEF\xBF\xBE"), "\xEF\xBF\xBD é \xEF\xBF\xBD") << "bytes and characters that are no XML";
  Svg svg(10, 10, "<title>");
  svg.words(1, 2, "x < y");
  svg.dot(1, 2, 3, "a", "tip & more");
  EXPECT_THAT(svg.str(), HasSubstr("&lt;title&gt;"));
  EXPECT_THAT(svg.str(), HasSubstr("x &lt; y</text>"));
  EXPECT_THAT(svg.str(), HasSubstr("<title>tip &amp; more</title></circle>"));
  EXPECT_THAT(svg.str(), testing::EndsWith("</svg>\n"));
}

TEST(Svg, HasAnInkForDarkPages) {
  EXPECT_THAT(Svg(10, 10, "").str(), HasSubstr("prefers-color-scheme: dark"));
}

TEST(PictureAxis, HoldsItsValues) {
  for (const bool log : {false, true})
    for (const std::vector<double>& values :
         {std::vector<double>{1, 5, 100}, {3}, {2e9, 2e9}, {1e-6, 1}, {0, 1, 2}, {0}, {-3, 4}}) {
      PictureAxis axis = axisOver(values, log, "", units::none);
      axis.from = 100, axis.to = 0;
      for (const double value : values) {
        EXPECT_GE(axis.at(value), 0);
        EXPECT_LE(axis.at(value), 100);
      }
      EXPECT_GE(ticks(axis).size(), 2u) << values.front();
      for (const double tick : ticks(axis)) {
        EXPECT_GE(axis.at(tick), -1e-6);
        EXPECT_LE(axis.at(tick), 100 + 1e-6);
      }
    }
}

TEST(PictureAxis, IsOfRatiosWhereTheStepsAre) {
  EXPECT_TRUE(inRatios({1, 2, 4, 8, 16}));
  EXPECT_TRUE(inRatios({400, 100, 25}));
  EXPECT_FALSE(inRatios({1, 2, 3, 4, 5}));
  EXPECT_FALSE(inRatios({0, 1, 100}));
  EXPECT_FALSE(inRatios({1, 2}));
}

TEST(PictureAxis, TicksAreRound) {
  EXPECT_THAT(ticks({.least = 0, .most = 1.1}),
              ElementsAre(0, 0.2, testing::DoubleNear(0.4, 1e-12), testing::DoubleNear(0.6, 1e-12),
                          testing::DoubleNear(0.8, 1e-12), 1));
  const auto found = ticks({.least = 1, .most = 100, .log = true});
  ASSERT_EQ(found.size(), 7u);
  EXPECT_NEAR(found[1], 2, 1e-9);
  EXPECT_NEAR(found[6], 100, 1e-9);
}

TEST(Shades, GoFromDarkToLight) {
  EXPECT_EQ(shade(0), "#440154");
  EXPECT_EQ(shade(1), "#fde725");
  EXPECT_EQ(shade(0.5), "#21918c");
  EXPECT_EQ(shade(7), shade(1));
  EXPECT_FALSE(isLight(0));
  EXPECT_TRUE(isLight(1));
}

} // namespace
} // namespace planc::report
