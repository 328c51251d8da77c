// How a GPU spends the steps of a profile: unions of intervals, and what its gaps wait for.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/compare/TraceSteps.h"

#include <gtest/gtest.h>
#include <random>

using namespace planc;
using namespace planc::calibrate;

namespace {

constexpr double kMicro = 1e-6;

/// Two steps of the host, 1000 us each, and their kernels.
struct Steps {
  Trace trace;
  std::vector<bool> moves;

  Steps() { trace.steps = {{Symbol("ProfilerStep#0"), 0, 0, 1000}, {Symbol("ProfilerStep#1"), 0, 1000, 2000}}; }
  Steps& kernel(double launched, double begin, double lasts, bool communicates = false) {
    TraceKernel kernel;
    kernel.launched = launched, kernel.begin = begin, kernel.seconds = lasts * kMicro;
    trace.kernels.push_back(kernel);
    moves.push_back(communicates);
    return *this;
  }
  std::vector<TraceStep> all() const { return stepsOf(trace, moves, 0); }
};

TEST(TraceSteps, PartsOfAStep) {
  const auto steps = Steps()
                         .kernel(10, 20, 100)
                         .kernel(1010, 1100, 100)      // the second step begins here
                         .kernel(1020, 1150, 100)      // 50 us beside the first: at once
                         .kernel(1030, 1240, 60, true) // 10 us hidden, 50 us exposed
                         .kernel(1340, 1350, 100)      // 40 us until its launch, 10 us after it
                         .all();
  ASSERT_EQ(steps.size(), 1u) << "the first step warms up";
  const TraceStep& s = steps[0];
  EXPECT_EQ(s.kernels.size(), 4u);
  EXPECT_NEAR(s.operators, 300 * kMicro, 1e-12);
  EXPECT_NEAR(s.together, 50 * kMicro, 1e-12);
  EXPECT_NEAR(s.exposed, 50 * kMicro, 1e-12);
  EXPECT_NEAR(s.idle, 10 * kMicro, 1e-12);
  EXPECT_NEAR(s.host, 40 * kMicro + (1100 + 1000 - 1450) * kMicro, 1e-12)
      << "the rest of the host's step is the host's";
  EXPECT_NEAR(s.seconds, 1000 * kMicro, 1e-12);
}

TEST(TraceSteps, AStepLastsUntilTheNextOne) {
  Steps made;
  made.trace.steps.push_back({Symbol("ProfilerStep#2"), 0, 2000, 3000});
  const auto steps = made.kernel(5, 10, 50).kernel(1005, 1200, 50).kernel(2005, 2100, 50).all();
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_NEAR(steps[0].seconds, 900 * kMicro, 1e-12) << "from first kernel to first kernel";
}

TEST(TraceSteps, KernelsCountWhereTheyWereLaunched) {
  // Launched in the first step, run in the second.
  const auto steps = Steps().kernel(900, 1500, 50).kernel(1100, 1600, 70).kernel(2500, 2600, 1).all();
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_NEAR(steps[0].operators, 70 * kMicro, 1e-12) << "what was launched after the last step does not count";
}

TEST(TraceSteps, OtherDevicesDoNotCount) {
  Steps made;
  made.kernel(10, 20, 100).kernel(1010, 1100, 100);
  made.trace.kernels[1].device = 3;
  EXPECT_EQ(made.all().size(), 1u);
  EXPECT_EQ(devicesOf(made.trace), (std::vector<double>{0, 3}));
}

/// A law: whatever the intervals, no part is negative and the parts add up to the step.
TEST(TraceSteps, PartsAddUp) {
  std::mt19937 random(7);
  const auto number = [&](double most) { return std::uniform_real_distribution<double>(0, most)(random); };
  for (int round = 0; round < 200; ++round) {
    Steps made;
    for (int k = 0; k < 30; ++k) {
      const double launched = number(2200) - 100;
      made.kernel(k % 7 ? launched : -1, launched + number(300), number(80), k % 5 == 0);
    }
    for (const TraceStep& s : made.all()) {
      for (const double part : {s.operators, s.together, s.exposed, s.host, s.idle}) EXPECT_GE(part, -1e-15);
      EXPECT_NEAR(s.operators - s.together + s.exposed + s.host + s.idle, s.seconds, 1e-12);
      double first = 1e9;
      for (const size_t k : s.kernels) first = std::min(first, made.trace.kernels[k].begin);
      double last = first;
      for (const size_t k : s.kernels) last = std::max(last, made.trace.kernels[k].end());
      EXPECT_GE(s.seconds, (last - first) * kMicro - 1e-12) << "the last step ends no sooner than its kernels";
    }
  }
}

} // namespace
