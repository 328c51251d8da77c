// Gates: what they read, and on which side of the bound a change lies.
// SPDX-License-Identifier: Apache-2.0
#include "driver/diff/Gates.h"

#include <gtest/gtest.h>

namespace planc::driver {
namespace {

Gate gate(const std::string& word) {
  GateMistake mistake;
  const std::optional<Gate> read = gateOfWord(word, mistake);
  EXPECT_TRUE(read) << word << ": " << mistake.problem;
  return read.value_or(Gate());
}

std::string problem(const std::string& word) {
  GateMistake mistake;
  EXPECT_FALSE(gateOfWord(word, mistake)) << word;
  return mistake.problem;
}

TEST(Gates, ARiseBeyondItsBoundFails) {
  const Gate share = gate("step_time > +3%");
  EXPECT_EQ(share.metric, verdict::findMetric("step_time"));
  EXPECT_TRUE(share.relative);
  EXPECT_FALSE(share.fails(100, 103));
  EXPECT_TRUE(share.fails(100, 103.001));
  EXPECT_FALSE(share.fails(100, 10));
  const Gate amount = gate("memory.peak>+ 2GB");
  EXPECT_FALSE(amount.relative);
  EXPECT_EQ(amount.bound, 2e9);
  EXPECT_FALSE(amount.fails(1e9, 3e9));
  EXPECT_TRUE(amount.fails(1e9, 3.1e9));
}

TEST(Gates, ExactlyTheBoundIsWithinWhateverRoundingDoes) {
  EXPECT_FALSE(gate("memory.capacity > +10%").fails(120.7e9, 132.77e9));
  EXPECT_FALSE(gate("memory.capacity > +12.07GB").fails(120.7e9, 132.77e9));
  EXPECT_FALSE(gate("memory.capacity < -29%").fails(96e9, 68.16e9));
  EXPECT_TRUE(gate("memory.capacity > +10%").fails(120.7e9, 132.78e9));
}

TEST(Gates, AFallBeyondItsBoundFails) {
  const Gate share = gate("tokens_per_second < -5%");
  EXPECT_FALSE(share.fails(100, 95));
  EXPECT_TRUE(share.fails(100, 94.9));
  EXPECT_FALSE(share.fails(100, 200));
  const Gate amount = gate("mfu < -0.02");
  EXPECT_FALSE(amount.relative);
  EXPECT_FALSE(amount.fails(0.5, 0.49));
  EXPECT_TRUE(amount.fails(0.5, 0.47));
}

TEST(Gates, WhatMustHoldFailsWhereItNoLongerDoes) {
  const Gate fits = gate("not memory.fits");
  EXPECT_EQ(fits.str(), "not memory.fits");
  EXPECT_TRUE(fits.fails(1, 0));
  EXPECT_FALSE(fits.fails(1, 1));
  EXPECT_FALSE(fits.fails(0, 0)) << "it did not before";
  EXPECT_EQ(fits.beforeNew(), 1.0);
  EXPECT_EQ(gate("step_time > +3%").beforeNew(), std::nullopt);
}

TEST(Gates, ABoundOfNothingTellsTheSidesApart) {
  EXPECT_TRUE(gate("step_time > +0%").fails(1, 1.1));
  EXPECT_FALSE(gate("step_time > +0%").fails(1, 0.9));
  EXPECT_FALSE(gate("step_time > +0%").fails(1, 1));
  EXPECT_TRUE(gate("step_time < -0s").fails(1, 0.9));
  EXPECT_FALSE(gate("step_time < -0s").fails(1, 1.1));
}

TEST(Gates, WhatIsWrongWithAWordIsSaid) {
  EXPECT_EQ(problem("step_time +3%"), "`step_time +3%` is not a gate: it has neither `>` nor `<`");
  EXPECT_EQ(problem("step_tme > +3%"), "gate on `step_tme`, which is not a metric");
  EXPECT_EQ(problem("memory.fits > +3%"),
            "`+3%` is not a bound for `memory.fits`: it is true or false, so it cannot change by an amount");
  EXPECT_EQ(problem("not step_time"), "`true` is not a bound for `step_time`: it has no sign");
  EXPECT_EQ(problem("not memory"), "gate on `memory`, which is not a metric");
  EXPECT_EQ(problem("step_time > 3%"), "`3%` is not a bound for `step_time`: it has no sign");
  EXPECT_EQ(problem("step_time > +-3%"),
            "`+-3%` is not a bound for `step_time`: write a number with a unit after the sign");
  EXPECT_EQ(problem("step_time > "), "`` is not a bound for `step_time`: it is empty");
  EXPECT_EQ(problem("step_time > +1 000 ms"), "`+1 000 ms` is not a bound for `step_time`: ` ms` is not a unit");
  EXPECT_EQ(problem("step_time > +2GB"), "`step_time` is time, but `+2GB` is bytes");
  EXPECT_EQ(problem("step_time > -3%"), "`step_time > -3%` is true for every small change");
  EXPECT_EQ(problem("tokens_per_second < +3%"), "`tokens_per_second < +3%` is true for every small change");
}

TEST(Gates, WordsGoBeforeTheFileMetricByMetric) {
  const std::vector<Gate> words = {gate("step_time > +1%"), gate("step_time > +50ms")};
  const std::vector<Gate> file = {gate("step_time > +3%"), gate("memory.peak > +2GB")};
  const std::vector<Gate> all = merged(words, file);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].text, "+1%");
  EXPECT_EQ(all[1].text, "+50ms");
  EXPECT_EQ(all[2].text, "+2GB");
}

} // namespace
} // namespace planc::driver
