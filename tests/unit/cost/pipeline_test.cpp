// The pipeline against closed forms, against an independent simulation of unequal stages, and its own cost.
// SPDX-License-Identifier: Apache-2.0
#include "Fixtures.h"
#include "backends/cost/Pipeline.h"

#include <chrono>
#include <gtest/gtest.h>
#include <numeric>

namespace planc::cost::test {
namespace {

using Seconds = std::vector<double>; ///< by virtual stage: chunk · stages + stage

PipelineInput input(const ir::ScheduleKind& kind, int64_t p, int64_t v, int64_t m, const Seconds& forward,
                    const Seconds& backward, double transfer = 0, double inlineSend = 1) {
  PipelineInput in;
  in.stages = p;
  in.microBatches = m;
  in.waitsForAll = kind.waitsForAll;
  in.inlineSend = inlineSend;
  ir::ScheduleShape shape{p, v, m, std::vector<int64_t>(kind.parameters.size(), v), {}};
  in.actions = kind.orders(shape);
  for (int64_t vs = 0; vs < p * v; ++vs) {
    VirtualStageCost c;
    std::vector<int64_t>& devices = in.devices.emplace_back();
    for (int64_t route = 0; route < kind.routes; ++route) devices.push_back(kind.device(shape, route, vs));
    c.forward.seconds = forward[static_cast<size_t>(vs) % forward.size()];
    c.backward.seconds = backward[static_cast<size_t>(vs) % backward.size()];
    c.send = vs + 1 < p * v ? transfer : 0;
    c.sendBack = vs > 0 ? transfer : 0;
    in.virtualStages.push_back(c);
  }
  return in;
}

std::vector<double> ends(const PipelineInput& in) {
  std::vector<double> all;
  for (const StageTimes& t : runPipeline(in)) all.push_back(t.end);
  return all;
}

void expectEnds(const std::vector<double>& actual, const std::vector<double>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-9) << i;
}

TEST(CostPipeline, EqualStagesTakeTheClosedForm) {
  // (M + p - 1)·(f + b) for 1F1B and GPipe; interleaving divides the bubble by v (arXiv 2104.04473, section 2.2)
  for (int64_t p : {1, 2, 4, 8})
    for (int64_t m : {8, 16, 64}) {
      const double f = 1, b = 2;
      const double whole = static_cast<double>(m + p - 1) * (f + b);
      EXPECT_NEAR(ends(input(oneForwardOneBackward(), p, 1, m, {f}, {b}))[0], whole, 1e-9);
      EXPECT_NEAR(ends(input(gpipe(), p, 1, m, {f}, {b}))[0], whole, 1e-9);
      for (int64_t v : {2, 3}) {
        const double chunked = (static_cast<double>(m) + static_cast<double>(p - 1) / static_cast<double>(v)) * (f + b);
        const double n = static_cast<double>(v);
        EXPECT_NEAR(ends(input(interleaved(), p, v, m, {f / n}, {b / n}))[0], chunked, 1e-9)
            << p << " " << m << " " << v;
      }
    }
}

TEST(CostPipeline, BusyBubbleAndEndAddUp) {
  for (const StageTimes& t : runPipeline(input(oneForwardOneBackward(), 4, 1, 8, {1}, {2}, .1))) {
    EXPECT_NEAR(t.busy, 24, 1e-9);
    EXPECT_NEAR(t.bubble(), t.end - 24, 1e-9);
    EXPECT_GE(t.bubble(), 0);
  }
}

// Expected values: an independent simulation in Python with the inputs of the call.
TEST(CostPipeline, BlockingTransfers) {
  expectEnds(ends(input(oneForwardOneBackward(), 4, 1, 8, {1}, {2}, .1)), {34.9, 32.9, 30.8, 28.7});
}
TEST(CostPipeline, UnequalStages) {
  const Seconds f{1, 1.5, .7, 1.2}, b{2, 2.2, 1.9, 3};
  expectEnds(ends(input(oneForwardOneBackward(), 4, 1, 8, f, b, .13)), {44.59, 42.59, 40.26, 38.23});
  expectEnds(ends(input(oneForwardOneBackward(), 4, 1, 8, f, b, .13, .4)), {44.044, 41.966, 39.636, 37.606});
  expectEnds(ends(input(gpipe(), 4, 1, 8, f, b, .13)), {47.6, 45.6, 43.27, 41.24});
}
TEST(CostPipeline, UnequalInterleavedStages) {
  const Seconds f{1, 1.5, .7, 1.2, .9, 1, .8, 1.1}, b{2, 2.2, 1.9, 3, 1.8, 2.1, 1.7, 2.5};
  expectEnds(ends(input(interleaved(), 4, 2, 8, f, b, .13)), {76.37, 74.37, 72.04, 70.01});
}

TEST(CostPipeline, SplitBackwardHandsGradientsOnEarlier) {
  PipelineInput split = input(splitBackward(), 4, 1, 8, {1}, {2});
  for (VirtualStageCost& c : split.virtualStages) c.backward.weight = 1;
  const PipelineInput whole = input(oneForwardOneBackward(), 4, 1, 8, {1}, {2});
  EXPECT_LT(ends(split)[0], ends(whole)[0]);
  for (const StageTimes& t : runPipeline(split)) EXPECT_NEAR(t.busy, 24, 1e-9);
}

TEST(CostPipeline, ReductionsHideUnderTheLastBackward) {
  auto run = [](double total, double edge) {
    PipelineInput in = input(oneForwardOneBackward(), 1, 1, 4, {1}, {2});
    in.virtualStages[0].backward.first = .1;
    in.virtualStages[0].reductions = {total, edge};
    return runPipeline(in)[0];
  };
  EXPECT_NEAR(run(1, .1).end, 12, 1e-12);
  EXPECT_NEAR(run(1, .1).trailing, .1, 1e-12);            // the last bucket has nothing left to hide under
  EXPECT_NEAR(run(3, .1).trailing, 10.1 + 3 - 12, 1e-12); // more than one backward can hide
}

TEST(CostPipeline, NewParametersArriveUnderTheFirstForward) {
  auto run = [](double total) {
    PipelineInput in = input(oneForwardOneBackward(), 2, 1, 4, {1}, {2});
    for (VirtualStageCost& c : in.virtualStages) {
      c.forward.last = .1;
      c.gathers = {total, .1};
    }
    return runPipeline(in);
  };
  EXPECT_NEAR(run(.5)[0].exposed, .1, 1e-12); // the first bucket
  EXPECT_NEAR(run(.5)[1].exposed, 0, 1e-12);  // the second stage waits for its input anyway
  EXPECT_NEAR(run(5)[0].exposed, 5.1 - 1, 1e-12);
}

TEST(CostPipeline, StateCommunicationOfOnePassDelaysTheNext) {
  PipelineInput in = input(oneForwardOneBackward(), 1, 1, 3, {1}, {2});
  in.virtualStages[0].backward.tail = .25;
  in.virtualStages[0].forward.waitsForComm = true;
  const StageTimes t = runPipeline(in)[0];
  EXPECT_NEAR(t.exposed, 2 * .25, 1e-12); // before the second and third micro-batch
  EXPECT_NEAR(t.trailing, .25, 1e-12);    // after the last
  EXPECT_NEAR(t.end, 9.5, 1e-12);
}

TEST(CostPipeline, OrdersThatWaitForEachOtherAreAnInternalError) {
  PipelineInput in = input(oneForwardOneBackward(), 2, 1, 2, {1}, {2});
  std::swap(in.actions[0].front(), in.actions[0].back());
  EXPECT_THROW(runPipeline(in), std::logic_error);
}

// ---- laws ------------------------------------------------------------------------

TEST(CostPipeline, SlowerStagesAndMoreMicroBatchesNeverHelp) {
  const Seconds f{1, 1.5, .7, 1.2}, b{2, 2.2, 1.9, 3};
  double last = 0;
  for (int64_t m : {4, 8, 12, 64}) {
    const double t = ends(input(oneForwardOneBackward(), 4, 1, m, f, b, .1))[0];
    EXPECT_GT(t, last);
    last = t;
  }
  for (size_t s = 0; s < 4; ++s) {
    Seconds slower = f;
    slower[s] += .3;
    EXPECT_GE(ends(input(oneForwardOneBackward(), 4, 1, 8, slower, b, .1))[0],
              ends(input(oneForwardOneBackward(), 4, 1, 8, f, b, .1))[0]);
  }
}

TEST(CostPipeline, EndsNoEarlierThanItsBusiestStage) {
  const Seconds f{1, 4, .7, 1.2}, b{2, 7, 1.9, 3};
  const auto times = runPipeline(input(interleaved(), 4, 2, 8, f, b, .2));
  double busiest = 0, end = 0;
  for (const StageTimes& t : times) busiest = std::max(busiest, t.busy), end = std::max(end, t.end);
  EXPECT_GE(end, busiest);
}

/// Best of several runs: the machine may be busy.
double milliseconds(const PipelineInput& in) {
  double best = 1e9;
  for (int i = 0; i < 20; ++i) {
    const auto start = std::chrono::steady_clock::now();
    runPipeline(in);
    best = std::min(best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

TEST(CostPipeline, IsFast) {
  const double large = milliseconds(input(oneForwardOneBackward(), 64, 1, 512, {1}, {2}, .01));
  const double small = milliseconds(input(interleaved(), 8, 3, 64, {1}, {2}, .01));
  RecordProperty("stages_64_micro_batches_512_us", static_cast<int>(1000 * large));
  RecordProperty("stages_8_chunks_3_micro_batches_64_us", static_cast<int>(1000 * small));
  std::printf("64 stages x 512: %.3f ms, 8 x 3 x 64: %.3f ms\n", large, small);
#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__)
  EXPECT_LT(large, 3 * 10); // an order of magnitude above what it takes on an idle machine
  EXPECT_LT(small, .2 * 10);
#endif
}

} // namespace
} // namespace planc::cost::test
