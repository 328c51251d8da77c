// Cuts of layers into stages against all cuts there are: the longest stage has the least work, and everything fits.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/Balance.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <set>

namespace planc::cost {
namespace {

constexpr double kBalanceNever = std::numeric_limits<double>::infinity();

/// Seconds of the longest stage; infinite if one has no room.
double longestOf(const StageLoads& loads, const std::vector<int64_t>& held, bool fits) {
  double longest = 0;
  size_t at = 0;
  for (size_t s = 0; s < held.size(); ++s) {
    double seconds = loads.passes * loads.transfers[s], bytes = 0, working = 0;
    for (int64_t i = 0; i < held[s]; ++i, ++at) {
      const LayerLoad& l = loads.layers[at];
      seconds += loads.passes * l.pass + l.step;
      bytes += l.states + loads.inFlight[s] * l.saved;
      working = std::max(working, l.working);
    }
    if (fits && bytes + working > loads.room) return kBalanceNever;
    longest = std::max(longest, seconds);
  }
  return longest;
}

/// The best of all cuts of the layers from `stage` on.
double bruteForce(const StageLoads& loads, std::vector<int64_t>& held, size_t stage, int64_t left, bool fits) {
  if (stage + 1 == held.size()) {
    held[stage] = left;
    return longestOf(loads, held, fits);
  }
  double best = kBalanceNever;
  for (int64_t n = 1; n <= left - static_cast<int64_t>(held.size() - stage - 1); ++n) {
    held[stage] = n;
    best = std::min(best, bruteForce(loads, held, stage + 1, left - n, fits));
  }
  return best;
}

StageLoads randomLoads(std::mt19937& random) {
  const auto number = [&](double low, double high) { return std::uniform_real_distribution<>(low, high)(random); };
  StageLoads loads;
  const int layers = std::uniform_int_distribution<>(4, 9)(random);
  const int stages = std::uniform_int_distribution<>(1, 4)(random);
  for (int i = 0; i < layers; ++i)
    loads.layers.push_back({number(0, 2), number(0, 5), number(0, 4), number(0, 1), number(0, 1)});
  loads.passes = 8;
  for (int s = 0; s < stages; ++s) loads.transfers.push_back(number(0, 0.2)), loads.inFlight.push_back(stages - s);
  loads.room = number(4, 30);
  return loads;
}

TEST(Balance, HasTheLeastLongestStageOfAllCuts) {
  std::mt19937 random(7);
  int impossible = 0;
  for (int i = 0; i < 300; ++i) {
    const StageLoads loads = randomLoads(random);
    for (const bool fits : {false, true}) {
      std::vector<int64_t> all(loads.transfers.size());
      const double best = bruteForce(loads, all, 0, static_cast<int64_t>(loads.layers.size()), fits);
      const std::vector<RankedCut> cuts = shortestCuts(loads, fits, 1);
      impossible += cuts.empty();
      ASSERT_EQ(cuts.empty(), best == kBalanceNever) << i;
      if (!cuts.empty()) {
        EXPECT_DOUBLE_EQ(longestOf(loads, cuts[0].held, fits), best) << i;
      }
    }
  }
  EXPECT_GT(impossible, 10);
  EXPECT_LT(impossible, 200);
}

/// Adds the seconds of every cut whose longest stage has at most `limit`.
void cutsWithin(const StageLoads& loads, std::vector<int64_t>& held, size_t stage, int64_t left, bool fits,
                double limit, std::vector<double>& found) {
  if (stage + 1 == held.size()) {
    held[stage] = left;
    if (const double longest = longestOf(loads, held, fits); longest <= limit) found.push_back(longest);
    return;
  }
  for (int64_t n = 1; n <= left - static_cast<int64_t>(held.size() - stage - 1); ++n) {
    held[stage] = n;
    cutsWithin(loads, held, stage + 1, left - n, fits, limit, found);
  }
}

TEST(Balance, ListsTheCutsThatFollowInOrderAndOnce) {
  std::mt19937 random(11);
  for (int i = 0; i < 200; ++i) {
    const StageLoads loads = randomLoads(random);
    for (const bool fits : {false, true}) {
      const std::vector<RankedCut> cuts = shortestCuts(loads, fits, 1000);
      if (cuts.empty()) continue;
      std::vector<int64_t> all(loads.transfers.size());
      std::vector<double> expected;
      cutsWithin(loads, all, 0, static_cast<int64_t>(loads.layers.size()), fits, 8 * cuts[0].longest * (1 - 1e-12),
                 expected);
      std::sort(expected.begin(), expected.end());
      ASSERT_GE(cuts.size(), expected.size()) << i;
      std::set<std::vector<int64_t>> once;
      for (size_t k = 0; k < expected.size(); ++k) {
        EXPECT_NEAR(cuts[k].longest, expected[k], 1e-9 * expected[k]) << i;
        EXPECT_DOUBLE_EQ(longestOf(loads, cuts[k].held, fits), cuts[k].longest) << i;
        EXPECT_TRUE(once.insert(cuts[k].held).second) << i;
      }
    }
  }
}

TEST(Balance, NeedsALayerForEveryStage) {
  StageLoads loads;
  loads.layers.resize(3);
  loads.transfers.resize(4);
  loads.inFlight.resize(4, 1);
  EXPECT_TRUE(shortestCuts(loads, false, 1).empty());
}

} // namespace
} // namespace planc::cost
