// The time of a run in which devices fail: against runs that are played out, against the published optima, and its
// sums.
// SPDX-License-Identifier: Apache-2.0
#include "Fixtures.h"
#include "backends/cost/result/Run.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace planc::cost;

namespace {

constexpr double kMin = 60, kH = 3600, kD = 24 * kH;

/// One run played out, failure by failure.
class Played {
public:
  Played(const RunTerms& r, uint64_t seed) : r_(r), random_(seed) {
    for (double left = r.work; left > 0; left -= r.every) segment(std::min(r.every, left));
  }
  RunTimes times;

private:
  RunTerms r_;
  std::mt19937_64 random_;

  /// By hand: a distribution of the library is not the same everywhere.
  double untilFailure() {
    const double u = static_cast<double>(random_() >> 11) / 9007199254740992.0; // 2^53
    return -r_.mtbf * std::log1p(-u);
  }
  void segment(double work) {
    for (;;) {
      const double failure = untilFailure();
      if (failure > work + r_.checkpoint) break;
      times.lost += failure;
      restart();
    }
    times.productive += work;
    times.checkpointing += r_.checkpoint;
    ++times.checkpoints;
  }
  void restart() {
    ++times.failures;
    for (double failure = untilFailure(); failure < r_.restart; failure = untilFailure()) {
      times.restarting += failure;
      ++times.failures;
    }
    times.restarting += r_.restart;
  }
};

/// The interval with the shortest run, by search over a grid of tenths of a percent.
double shortest(RunTerms r) {
  double best = 0, least = INFINITY;
  for (double every = r.checkpoint / 4; every < r.work; every *= 1.001) {
    r.every = every;
    if (const double time = runTimes(r).time(); time < least) least = time, best = every;
  }
  return best;
}

// A law of large numbers: 20000 segments, so that the mean of each part is within 3 % of its expectation.
TEST(Run, IsWhatPlayedOutRunsTakeInTheMean) {
  struct Case {
    double mtbf, checkpoint, every, restart;
  };
  for (const Case& c : {Case{3 * kH, 3 * kMin, 33 * kMin, 10 * kMin}, Case{30 * kMin, 5 * kMin, 20 * kMin, 10 * kMin},
                        Case{kH, 1 * kMin, 2 * kH, 30 * kMin}}) {
    RunTerms r;
    r.mtbf = c.mtbf, r.checkpoint = c.checkpoint, r.every = c.every, r.restart = c.restart;
    r.work = 20000 * c.every;
    const RunTimes expected = runTimes(r), played = Played(r, 7).times;
    EXPECT_NEAR(played.time() / expected.time(), 1, 0.02);
    EXPECT_NEAR(played.lost / expected.lost, 1, 0.03);
    EXPECT_NEAR(played.restarting / expected.restarting, 1, 0.03);
    EXPECT_NEAR(played.failures / expected.failures, 1, 0.03);
    EXPECT_NEAR(played.checkpoints / expected.checkpoints, 1, 1e-4);
    EXPECT_NEAR(played.productive / expected.productive, 1, 1e-9);
  }
}

// Daly 2006, the complete cost function: T = M·e^(R/M)·(e^((τ+δ)/M) - 1)·T_s/τ, the whole of it; and failures come at
// their rate.
TEST(Run, AddsUpToDalysTotal) {
  RunTerms r;
  r.work = 50 * kD, r.mtbf = 2 * kH, r.checkpoint = 4 * kMin, r.every = 25 * kMin, r.restart = 12 * kMin;
  RunTimes t = runTimes(r);
  const double total =
      r.mtbf * std::exp(r.restart / r.mtbf) * std::expm1((r.every + r.checkpoint) / r.mtbf) * r.work / r.every;
  EXPECT_NEAR(t.time() / total, 1, 1e-12);
  EXPECT_NEAR(t.failures * r.mtbf / total, 1, 1e-12);
  r.utilisation = 0.9;
  t = runTimes(r);
  EXPECT_NEAR((t.time() - t.unused) / t.time(), 0.9, 1e-12);
  EXPECT_NEAR((t.productive + t.checkpointing + t.lost + t.restarting + t.unused) / t.time(), 1, 1e-12);
  EXPECT_NEAR(t.goodput(), 0.9 * r.work / total, 1e-12);
}

// Daly 2006, figures 3 to 5: δ = 5 min and R = 10 min; the best interval is 117, 57 and 9.1 min.
TEST(Run, HasThePublishedBestIntervals) {
  struct Case {
    double mtbf, best;
  };
  for (const Case& c : {Case{24 * kH, 117 * kMin}, Case{6 * kH, 57 * kMin}, Case{15 * kMin, 9.1 * kMin}}) {
    RunTerms r;
    r.work = 500 * kH, r.mtbf = c.mtbf, r.checkpoint = 5 * kMin, r.restart = 10 * kMin;
    EXPECT_NEAR(shortest(r) / c.best, 1, 0.01);
  }
}

// √(2δM) is longer than the best by some two thirds of δ; what that costs shrinks faster than δ/M.
TEST(Run, TakesTheIntervalThatIsBestToFirstOrder) {
  EXPECT_DOUBLE_EQ(bestInterval(2, 100), 20);
  for (const double share : {1e-4, 1e-3, 1e-2}) {
    RunTerms r;
    r.mtbf = 10 * kH, r.checkpoint = share * r.mtbf, r.work = 1000 * kH, r.restart = 10 * kMin;
    const double best = shortest(r), first = bestInterval(r.checkpoint, r.mtbf);
    EXPECT_NEAR(first / best, 1, 1.5 * std::sqrt(share));
    r.every = best;
    const double least = runTimes(r).time();
    r.every = first;
    EXPECT_LE(runTimes(r).time() / least, 1 + 0.1 * share);
    EXPECT_NEAR((first - best) / r.checkpoint, 2.0 / 3, 0.1);
  }
}

TEST(Run, WithoutFailuresOnlySaves) {
  RunTerms r;
  r.work = 10 * kD;
  RunTimes t = runTimes(r);
  EXPECT_EQ(t.time(), r.work);
  EXPECT_EQ(t.goodput(), 1);
  r.every = kH, r.checkpoint = 2 * kMin;
  t = runTimes(r);
  EXPECT_DOUBLE_EQ(t.checkpoints, 240);
  EXPECT_DOUBLE_EQ(t.time(), r.work + 240 * 2 * kMin);
  r.every = 30 * kD; // no longer than the run: it is saved once, at its end
  EXPECT_DOUBLE_EQ(runTimes(r).time(), r.work + 2 * kMin);
}

// arXiv 2407.21783, section 3.3.4: 16,384 H100, 54 days, 419 unexpected interruptions, more than 90 % of the time
// effective. That is one interruption in 50,700 device-hours, so 50000 h of a device predict their number; with
// 14 bytes of each of 405e9 parameters on storage of 2 TB/s (section 3.3.1) and ten minutes to restart the effective
// time follows.
TEST(Run, PredictsTheInterruptionsOfLlama3) {
  RunTerms r;
  r.mtbf = 50000 * kH / 16384;
  EXPECT_NEAR(54 * kD / r.mtbf / 419, 1, 0.02);
  r.checkpoint = 405e9 * 14 / 2e12, r.every = bestInterval(r.checkpoint, r.mtbf);
  r.restart = 10 * kMin, r.work = 50 * kD;
  const RunTimes t = runTimes(r);
  EXPECT_NEAR(t.failures / 419, 1, 0.05);
  EXPECT_GT(t.goodput(), 0.9);
}

} // namespace
