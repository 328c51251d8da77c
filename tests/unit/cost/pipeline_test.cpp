// The pipeline against closed forms, against an independent simulation of unequal stages, and how long it takes.
// SPDX-License-Identifier: Apache-2.0
#include "Pipelines.h"
#include "passes/Passes.h"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <numeric>

namespace planc::cost::test {
namespace {

std::vector<double> ends(const PipelineInput& in) {
  std::vector<double> all;
  for (const StageTimes& t : runPipeline(in)) all.push_back(t.end);
  return all;
}

void expectEnds(const std::vector<double>& actual, const std::vector<double>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-9) << i;
}

/// Waits for communication of states.
double waited(const StageTimes& t) {
  return t.booked(Cause::ForwardTail) + t.booked(Cause::BackwardTail) + t.booked(Cause::Gathers) +
         t.booked(Cause::Reductions);
}

TEST(CostPipeline, ReceivingHoldsAFreeStage) {
  // Two stages, three micro-batches, transfers of a half. A stage that is idle when a value arrives has lost nothing
  // ...
  PipelineInput in = input(oneForwardOneBackward(), 2, 1, 3, {1}, {2}, 0.5);
  const double sent = ends(in)[0];
  in.inlineReceive = 1;
  const double both = ends(in)[0];
  // ... in a steady state every transfer is paid at both ends: one more half per micro-batch and stage.
  EXPECT_GT(both, sent);
  for (int64_t m : {16, 64}) {
    PipelineInput one = input(oneForwardOneBackward(), 4, 1, m, {1}, {2}, 0.5),
                  more = input(oneForwardOneBackward(), 4, 1, m + 1, {1}, {2}, 0.5);
    one.inlineReceive = more.inlineReceive = 1;
    EXPECT_NEAR(ends(more)[1] - ends(one)[1], 3 + 4 * 0.5, 1e-9);
  }
}

TEST(CostPipeline, StepsThatDoNotWaitFollowEachOther) {
  // ZB-H1 on two stages, three micro-batches of F = B = W = 1: 9 seconds of work, one of bubble. On the last stage
  // every step begins with 5 seconds of gathers, which no first forward of another stage hides.
  PipelineInput in = input(scheduleNamed("zb_h1"), 2, 1, 3, {1}, {2});
  for (VirtualStageCost& c : in.virtualStages) c.backward.weight = 1;
  const auto period = [&] {
    double longest = 0;
    for (const StageTimes& t : runPipeline(in)) {
      EXPECT_NEAR(t.busy + t.idle + t.booked(), t.end - t.begin + t.trailing, 1e-9);
      longest = std::max(longest, t.end - t.begin + t.trailing);
    }
    return longest;
  };
  EXPECT_NEAR(period(), 10, 1e-9);
  in.virtualStages[1].gathers = {0, 5, 5};
  EXPECT_NEAR(period(), 14, 1e-9);
  in.virtualStages[1].gathers = {5}; // inline: before the first forward arrives, or not, the stage stands still
  EXPECT_NEAR(period(), 14, 1e-9);
  in.virtualStages[1].gathers = {};
  in.between = {0, 2}; // the last stage has its second to spare
  EXPECT_NEAR(period(), 11, 1e-9);
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
    EXPECT_NEAR(t.idle + t.booked(), t.end - 24, 1e-9);
    EXPECT_NEAR(t.booked(), t.booked(Cause::Send) + t.booked(Cause::SendBack), 1e-12);
    EXPECT_GE(t.idle, 0);
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
  PipelineInput in = input(oneForwardOneBackward(), 1, 1, 4, {1}, {2});
  in.virtualStages[0].last = {0, .1, 1};
  EXPECT_NEAR(runPipeline(in)[0].end, 12, 1e-12);
  EXPECT_NEAR(runPipeline(in)[0].trailing, .1, 1e-12); // the last message has nothing left to hide under
}

/// Receivers put the parts of a transfer together over links of their own: the port of the sender is free meanwhile.
TEST(CostPipeline, PartsAreJoinedBehindThePort) {
  for (const double joined : {0., 2.}) {
    PipelineInput in = input(scheduleNamed("gpipe"), 2, 1, 16, {.1}, {.1}, 4);
    in.inlineSend = 0;
    in.virtualStages[0].joined = in.virtualStages[1].joinedBack = joined;
    double end = 0;
    for (const StageTimes& t : runPipeline(in)) end = std::max(end, t.end);
    EXPECT_NEAR(end, .1 + 16 * (4 - joined) + joined + 2 * .1 + 16 * (4 - joined) + joined + .1, 1e-9) << joined;
  }
}

TEST(CostPipeline, WhatWasIssuedAheadTakesTurnsWithAPass) {
  EXPECT_DOUBLE_EQ(takenTurns(1, 2, 4, 4), 1); // half of the time is its own: through after two seconds
  EXPECT_DOUBLE_EQ(takenTurns(3, 2, 4, 4), 2); // not through when they part
  EXPECT_DOUBLE_EQ(takenTurns(1, 5, 4, 3), 3); // nothing is
  EXPECT_DOUBLE_EQ(takenTurns(1, 0, 4, 4), 0);
}

TEST(CostPipeline, NewParametersArriveUnderTheFirstForward) {
  auto run = [](double total) {
    PipelineInput in = input(oneForwardOneBackward(), 2, 1, 4, {1}, {2});
    for (VirtualStageCost& c : in.virtualStages) {
      c.forward.last = .1;
      c.gathers = {0, total, .1};
    }
    return runPipeline(in);
  };
  EXPECT_NEAR(waited(run(.5)[0]), .1, 1e-12); // the first bucket
  EXPECT_NEAR(waited(run(.5)[1]), 0, 1e-12);  // the second stage waits for its input anyway
  EXPECT_NEAR(waited(run(5)[0]), 5.1 - 1, 1e-12);
}

TEST(CostPipeline, StateCommunicationOfOnePassDelaysTheNext) {
  PipelineInput in = input(oneForwardOneBackward(), 1, 1, 3, {1}, {2});
  in.virtualStages[0].backward.tail = .25;
  in.virtualStages[0].forward.room = 0;
  const StageTimes t = runPipeline(in)[0];
  EXPECT_NEAR(t.booked(Cause::BackwardTail), 3 * .25, 1e-12); // before the second and third micro-batch, and
  EXPECT_NEAR(t.trailing, .25, 1e-12);                        // after the last
  EXPECT_NEAR(t.end, 9.5, 1e-12);
}

TEST(CostPipeline, OrdersThatWaitForEachOtherAreAnInternalError) {
  PipelineInput in = input(oneForwardOneBackward(), 2, 1, 2, {1}, {2});
  ir::ActionLists lists = in.actions.lists();
  std::swap(lists[0].front(), lists[0].back());
  in.actions = lists;
  EXPECT_THROW(runPipeline(in), std::logic_error);
}

TEST(CostPipeline, PairsSaveWhatTheyOverlap) {
  PipelineInput in = input(scheduleNamed("dualpipe"), 4, 1, 16, {1}, {2});
  for (int64_t i = 0; i < 4; ++i) in.pairs[{i, 3 - i}] = {2.5, 2, 2.5};
  for (const StageTimes& t : runPipeline(in)) {
    double saved = 0;
    for (const auto& [pair, share] : t.together) saved += share * (in.pairs.contains(pair) ? 3 - 2.5 : 0);
    EXPECT_NEAR(t.busy + saved, 16 * 3, 1e-9);
    EXPECT_GT(saved, 0);
  }
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

TEST(CostPipeline, TransfersBesideComputeAreNeverSlower) {
  const Seconds f{1, 1.5, .7, 1.2}, b{2, 2.2, 1.9, 3};
  for (std::string_view name : {"one_f_one_b", "gpipe", "interleaved_1f1b", "breadth_first"}) {
    const ir::ScheduleKind& kind = scheduleNamed(name);
    const int64_t v = kind.chunks == 0 ? 2 : 1;
    double last = 0;
    for (double share : {0., .4, 1.}) { // of a transfer that holds the compute stream
      const auto all = ends(input(kind, 4, v, 8, f, b, .13, share));
      const double end = *std::max_element(all.begin(), all.end());
      EXPECT_GE(end, last) << name << " " << share;
      last = end;
    }
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
  const double huge = milliseconds(input(interleaved(), 64, 6, 8192, {1}, {2}, .01));
  RecordProperty("stages_64_chunks_6_micro_batches_8192_us", static_cast<int>(1000 * huge));
#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__)
  EXPECT_LT(huge, 3 * 10);
  EXPECT_LT(large, 3 * 10); // an order of magnitude above what it takes on an idle machine
  EXPECT_LT(small, .2 * 10);
#endif
}

} // namespace
} // namespace planc::cost::test
