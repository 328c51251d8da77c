// What holds, slows and pairs passes of a pipeline, on times that are counted by hand.
// SPDX-License-Identifier: Apache-2.0
#include "Pipelines.h"
#include "backends/cost/simulate/pipeline/SteadyState.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace planc::cost::test {
namespace {

using ir::Action;
using ir::ActionKind;

Action action(ActionKind kind, int64_t virtualStage, int64_t microBatch, bool paired = false) {
  Action a;
  a.kind = kind;
  a.virtualStage = static_cast<decltype(a.virtualStage)>(virtualStage);
  a.microBatch = static_cast<decltype(a.microBatch)>(microBatch);
  a.paired = paired;
  return a;
}
Action forward(int64_t virtualStage, int64_t microBatch, bool paired = false) {
  return action(ActionKind::Forward, virtualStage, microBatch, paired);
}
Action backward(int64_t virtualStage, int64_t microBatch) {
  return action(ActionKind::Backward, virtualStage, microBatch);
}

TEST(CostCauses, TheLastPassIsLongerAndItsReductionsRunOn) {
  PipelineInput in = input(oneForwardOneBackward(), 1, 1, 2, {1}, {2});
  in.virtualStages[0].last = {.4, .25, 1};
  const StageTimes t = runPipeline(in)[0];
  EXPECT_NEAR(t.booked(Cause::InLastPass), .4, 1e-12); // once, in the second backward pass
  EXPECT_NEAR(t.end, 6.4, 1e-12);
  EXPECT_NEAR(t.trailing, .25, 1e-12);
}

TEST(CostCauses, ReductionsOfTwoVirtualStagesQueue) {
  // Backward of the second chunk from 1 to 2, of the first from 2 to 3; the reductions of each run on for five seconds,
  // and the port that the second one finds is taken until 7.
  PipelineInput in = input(interleaved(), 1, 2, 1, {.5}, {1});
  for (VirtualStageCost& c : in.virtualStages) c.last = {0, 5, 5.5};
  const StageTimes t = runPipeline(in)[0];
  EXPECT_NEAR(t.end, 3, 1e-12);
  EXPECT_NEAR(t.trailing, 7 + 5.5 - 3, 1e-12);
}

TEST(CostCauses, ReductionsWaitForThePassesThatTakeTheirPort) {
  // As before, but the first chunk has none of its own, and its pass takes the port for .4 of its second.
  PipelineInput in = input(interleaved(), 1, 2, 1, {.5}, {1});
  in.virtualStages[1].last = {0, 5, 5.5};
  in.virtualStages[0].backward.onStep = .4;
  EXPECT_NEAR(runPipeline(in)[0].trailing, 7 + .4 - 3, 1e-12);
  in.virtualStages[1].last = {0, .3, 1}; // is through after .3 of the .6 that the pass leaves
  EXPECT_NEAR(runPipeline(in)[0].trailing, 0, 1e-12);
}

TEST(CostCauses, APortSendsOneThingAfterTheOther) {
  // Three forward passes of a second each, whose results take two on the way: they arrive at 3, 5 and 7.
  PipelineInput in = input(gpipe(), 2, 1, 3, {1, .5}, {1, .5}, 2, 0);
  in.actions = in.actions.forwardOnly();
  std::vector<StageTimes> t = runPipeline(in);
  EXPECT_NEAR(t[0].end, 3, 1e-12);
  EXPECT_NEAR(t[1].end, 7.5, 1e-12);
  // Communication of a pass follows transfers that are under way: the last two passes are longer by .25 s each.
  in.virtualStages[0].forward.onSends = .25;
  t = runPipeline(in);
  EXPECT_NEAR(t[1].end, 8, 1e-12);
  // Forward and backward share the way out, but for what their senders are held by.
  PipelineInput both = input(oneForwardOneBackward(), 3, 1, 64, {1}, {1}, 3, 0);
  EXPECT_GE(runPipeline(both)[1].end, 64 * 6);
  both.inlineSend = 1;
  EXPECT_NEAR(runPipeline(both)[1].booked(Cause::Send) + runPipeline(both)[1].booked(Cause::SendBack), 64 * 6, 1e-9);
}

/// Two stages, one micro-batch: the backward pass of the last one ends at 3.5, its gradient takes half a second.
PipelineInput gradientBack(double inlineSend) {
  return input(oneForwardOneBackward(), 2, 1, 1, {1}, {1}, .5, inlineSend);
}

TEST(CostCauses, ATransferWaitsForWhatAPassLeftOnItsPort) {
  PipelineInput in = gradientBack(0);
  in.virtualStages[1].backward.tail = .2;
  EXPECT_NEAR(runPipeline(in)[0].end, 5, 1e-12); // on ports of their own
  in.virtualStages[1].meets.tails = true;
  EXPECT_NEAR(runPipeline(in)[0].end, 5.2, 1e-12);
  EXPECT_NEAR(runPipeline(in)[1].trailing, .2, 1e-12);
  EXPECT_NEAR(runPipeline(in)[1].booked(Cause::BackwardTail), .2, 1e-12);
  in.inlineSend = .5; // half of it, and half of the wait for it, hold the sender
  StageTimes last = runPipeline(in)[1];
  EXPECT_NEAR(last.end, 3.5 + .1 + .25, 1e-12);
  EXPECT_NEAR(last.booked(Cause::BackwardTail), .1, 1e-12);
  in.inlineSend = 1;
  last = runPipeline(in)[1];
  EXPECT_NEAR(last.end, 3.5 + .2 + .5, 1e-12);
  EXPECT_NEAR(last.booked(Cause::BackwardTail), .2, 1e-12);
  EXPECT_NEAR(last.booked(Cause::SendBack), .5, 1e-12);
}

TEST(CostCauses, ReductionsPauseWhileTheirPortSends) {
  PipelineInput in = gradientBack(0);
  in.virtualStages[1].last = {0, .3, 1, .3, .3};
  EXPECT_NEAR(runPipeline(in)[1].trailing, .3, 1e-12); // on ports of their own
  in.virtualStages[1].meets.reductions = true;
  const std::vector<StageTimes> t = runPipeline(in);
  EXPECT_NEAR(t[0].end, 5, 1e-12);
  EXPECT_NEAR(t[1].trailing, .5 + .3, 1e-12);
  EXPECT_NEAR(t[1].booked(Cause::Reductions), .3, 1e-12);
  EXPECT_NEAR(t[1].booked(Cause::SendBack), .5, 1e-12);
  // Those that are inline have their place behind all passes, and behind the transfer if they take its port.
  in = gradientBack(0);
  EXPECT_NEAR(runPipeline(in)[1].trailing, 0, 1e-12);
  in.virtualStages[1].meets.inlined = true;
  EXPECT_NEAR(runPipeline(in)[1].trailing, .5, 1e-12);
  EXPECT_NEAR(runPipeline(in)[1].booked(Cause::SendBack), .5, 1e-12);
}

TEST(CostCauses, ReductionsWaitForTransfersThatCameBefore) {
  // Two micro-batches of GPipe: gradients leave at 4.5 and 7, the last pass ends at 5.5.
  PipelineInput in = input(gpipe(), 2, 1, 2, {1}, {1}, .5, 0);
  in.virtualStages[1].sendBack = 2.5;
  in.virtualStages[1].meets.reductions = true;
  in.virtualStages[1].last = {0, .3, .3, .3, .3};
  const std::vector<StageTimes> t = runPipeline(in);
  EXPECT_NEAR(t[1].end, 5.5, 1e-12);
  EXPECT_NEAR(t[1].end + t[1].trailing, 4.5 + 2 * 2.5 + .3, 1e-12);
  EXPECT_NEAR(t[1].booked(Cause::Reductions), .3, 1e-12);
}

TEST(CostCauses, ReductionsPauseForWhatAPassLeavesOnTheirPort) {
  // The second chunk of the stage is reduced from 3 to 5, what the last pass leaves runs from 4 to 5.
  PipelineInput in = input(interleaved(), 1, 2, 1, {1}, {1});
  in.virtualStages[1].last = {0, 2, 2, 0, 2};
  in.virtualStages[0].backward.tail = 1;
  EXPECT_NEAR(runPipeline(in)[0].trailing, 1, 1e-12); // on ports of their own
  in.virtualStages[0].meets.tailsAndReduced = true;
  const StageTimes t = runPipeline(in)[0];
  EXPECT_NEAR(t.end, 4, 1e-12);
  EXPECT_NEAR(t.trailing, 2, 1e-12);
  EXPECT_NEAR(t.booked(Cause::Reductions), 2, 1e-12);
  // Those of its own chunk hold it already.
  in.virtualStages[0].last = {0, 3, 3, 0, 2};
  EXPECT_NEAR(runPipeline(in)[0].trailing, 4, 1e-12);
}

TEST(CostCauses, GathersPauseWhileTheirPortSends) {
  // Two chunks on each of two stages. The parameters of the first chunk of stage 0 are there at 3, those of the second
  // at 9: the two transfers of the first, from 4 and from 5 on, make that 10.
  PipelineInput in = input(interleaved(), 2, 2, 2, {1}, {1}, .5, 0);
  in.virtualStages[0].gathers = {0, 3, 3};
  in.virtualStages[2].gathers = {0, 6, 6};
  const double alone = runPipeline(in)[0].booked(Cause::Gathers);
  for (VirtualStageCost& c : in.virtualStages) c.meets.gathers = true;
  const StageTimes t = runPipeline(in)[0];
  EXPECT_NEAR(t.booked(Cause::Gathers), alone, 1e-12);
  EXPECT_NEAR(t.booked(Cause::Send) + t.booked(Cause::SendBack), 1, 1e-12); // two transfers
}

TEST(CostCauses, GathersTakeTurnsWithWhatPassesCommunicate) {
  // One stage of two chunks: the parameters of the first are there at once, those of the second at 2. The pass of the
  // first, from 0 to 1, takes half a second of the port, so that the second begins at 2.5.
  PipelineInput in = input(interleaved(), 1, 2, 1, {1}, {1});
  in.virtualStages[1].gathers = {0, 2, 2};
  EXPECT_NEAR(runPipeline(in)[0].end, 2 + 3, 1e-12);
  in.virtualStages[0].forward.onGathers = .5;
  const StageTimes t = runPipeline(in)[0];
  EXPECT_NEAR(t.end, 2.5 + 3, 1e-12);
  EXPECT_NEAR(t.booked(Cause::Gathers), 1.5, 1e-12);
}

TEST(CostCauses, WeightsDoNotWaitForTheWayOfTheGradient) {
  // The gradient of an input leaves behind another one; the gradients of weights follow at once.
  PipelineInput in = input(scheduleNamed("zb_h1"), 2, 1, 2, {1}, {2}, 0, 0);
  for (VirtualStageCost& c : in.virtualStages) c.backward.weight = 1;
  in.virtualStages[1].sendBack = 4, in.waitsForAll = true;
  EXPECT_NEAR(runPipeline(in)[1].end, 1 + 6, 1e-12);
}

TEST(CostCauses, EveryRouteWaitsForItsNewParameters) {
  // DualPipe on two devices: each gathers one virtual stage for five seconds, then the other. The first device begins
  // with what it gathers first, the second one with the other route, whose parameters come behind.
  PipelineInput in = input(scheduleNamed("dualpipe"), 2, 1, 4, {1}, {2});
  for (VirtualStageCost& c : in.virtualStages) c.gathers = {0, 5, 5};
  const std::vector<StageTimes> t = runPipeline(in);
  EXPECT_NEAR(t[0].booked(Cause::Gathers), 5, 1e-12);
  EXPECT_NEAR(t[1].booked(Cause::Gathers), 10, 1e-12);
}

TEST(CostCauses, AReceiverIsHeldByWhatIsSentToIt) {
  // The stage that receives is never idle, so each of three transfers holds it. What it sends itself is free.
  PipelineInput back = input(oneForwardOneBackward(), 2, 1, 3, {5, .1}, {5, .1});
  back.inlineSend = 0, back.inlineReceive = 1;
  back.virtualStages[1].sendBack = .5;
  EXPECT_NEAR(runPipeline(back)[0].booked(Cause::ReceiveBack), 3 * .5, 1e-12);
  PipelineInput on = input(oneForwardOneBackward(), 2, 1, 3, {.1, 5}, {.1, 5});
  on.inlineSend = 0, on.inlineReceive = 1;
  on.virtualStages[0].send = .5;
  EXPECT_NEAR(runPipeline(on)[1].booked(Cause::Receive), 2 * .5, 1e-12); // it waits for the first
}

/// Two stages whose orders are given.
PipelineInput twoStages(const Seconds& f, const Seconds& b, const ir::ActionLists& orders) {
  PipelineInput in = input(oneForwardOneBackward(), 2, 1, 2, f, b);
  in.actions = orders;
  return in;
}

TEST(CostCauses, APairSavesByTheShareThatItRunsTogether) {
  // The forward of four seconds begins at 4, its backward arrives at 7: a quarter of the saving of two is left.
  PipelineInput in = twoStages({4, 1}, {2, 2},
                               {{forward(0, 0), forward(0, 1, true), backward(0, 0), backward(0, 1)},
                                {forward(1, 0), backward(1, 0), forward(1, 1), backward(1, 1)}});
  in.pairs[{0, 0}] = {4, 5, 3.5};
  std::vector<StageTimes> t = runPipeline(in);
  EXPECT_NEAR(t[0].together.at({0, 0}), .25, 1e-12);
  EXPECT_NEAR(t[0].busy, 4 + (6 - .25 * 2) + 2, 1e-12);
  EXPECT_NEAR(t[1].end, 4 + 4.25 + 1 + 2, 1e-12); // the forward's result is made between 4, as alone, and 5
  EXPECT_NEAR(t[0].end, 11.25 + 2, 1e-12);
}

TEST(CostCauses, WhatAPassLeavesRunsBesideTheRestOfItsPair) {
  // The backward pass begins at 10, its forward pass at 12: half of the saving is left, and the pair ends at 17. What
  // the backward pass leaves runs from 15.5, between its end if it were alone and the end of the pair.
  PipelineInput in = twoStages({6, 4}, {2, 4},
                               {{forward(0, 0), forward(0, 1), backward(0, 0), backward(0, 1)},
                                {forward(1, 0), forward(1, 1, true), backward(1, 0), backward(1, 1)}});
  in.pairs[{1, 1}] = {6, 6, 5};
  in.virtualStages[1].backward.tail = 3;
  in.virtualStages[1].backward.room = 0; // the next one waits for it
  StageTimes t = runPipeline(in)[1];
  EXPECT_NEAR(t.end, 15.5 + 3 + 4, 1e-12);
  EXPECT_NEAR(t.booked(Cause::BackwardTail), 1.5 + 3, 1e-12);
  in.virtualStages[1].forward.room = 2; // it takes the port for half of its seconds
  t = runPipeline(in)[1];
  EXPECT_NEAR(t.end, 15.5 + .75 + 3 + 4, 1e-12);
  EXPECT_NEAR(t.booked(Cause::BackwardTail), 2.25 + 3, 1e-12);
}

/// The first stage runs its second forward pass beside its first backward pass.
PipelineInput pairFirst(const Seconds& f, const Seconds& b) {
  return twoStages(f, b,
                   {{forward(0, 0), forward(0, 1, true), backward(0, 0), backward(0, 1)},
                    {forward(1, 0), backward(1, 0), forward(1, 1), backward(1, 1)}});
}

TEST(CostCauses, APairWaitsOnceForWhatWasLeft) {
  // The port is free at 6, the backward pass has what it receives at 4.
  PipelineInput in = pairFirst({1, 1}, {2, 2});
  in.pairs[{0, 0}] = {2.5, 2.5, 2.5};
  in.virtualStages[0].forward.tail = 5, in.virtualStages[0].backward.room = 0;
  const std::vector<StageTimes> t = runPipeline(in);
  EXPECT_NEAR(t[0].together.at({0, 0}), 1, 1e-12);
  EXPECT_NEAR(t[1].end, 6 + 2.5 + 1 + 2, 1e-12);
}

TEST(CostCauses, ResultsOfAFullPairLeaveBehindIt) {
  // The transfer of the first result ends at 12. The pair from 10 takes the port for 12 seconds, and so ends at 24.
  PipelineInput in = pairFirst({10, 1}, {2, 2});
  in.virtualStages[0].send = 2, in.inlineSend = 0;
  in.virtualStages[0].forward.onSends = 12;
  EXPECT_NEAR(runPipeline(in)[1].end, 24 + 2 + 1 + 2, 1e-12);
}

TEST(CostCauses, EitherResultOfAPairLeavesWhenItIsMade) {
  // The pair runs from 2 to 4; its backward's result leaves at 3.5, and two backward passes of three seconds follow.
  PipelineInput in = twoStages({1, 1}, {3, 2},
                               {{forward(0, 0), forward(0, 1), backward(0, 0), backward(0, 1)},
                                {forward(1, 0), forward(1, 1, true), backward(1, 0), backward(1, 1)}});
  in.pairs[{1, 1}] = {2, .5, 1.5};
  const std::vector<StageTimes> t = runPipeline(in);
  EXPECT_NEAR(t[1].end, 6, 1e-12);
  EXPECT_NEAR(t[0].end, 3.5 + 3 + 3, 1e-12);
  // Its transfer gets the half of the port that the rest of the pair leaves.
  in.virtualStages[1].sendBack = .1, in.virtualStages[1].backward.onSends = 1, in.inlineSend = 0;
  EXPECT_NEAR(runPipeline(in)[0].end, 3.5 + .2 + 3 + 3, 1e-12);
  // Where the pair leaves none it goes behind it, and shares the port with what the pair leaves behind.
  in.virtualStages[1].backward.onSends = 2, in.virtualStages[1].backward.tail = .05;
  in.virtualStages[1].meets.tails = true;
  EXPECT_NEAR(runPipeline(in)[0].end, 4 + .05 + .1 + 3 + 3, 1e-12);
}

TEST(CostCauses, StagesOfDifferentPeriodsHaveACommonOne) {
  // Two forwards and two backwards on the first stage, three of each on the second: six micro-batches. Of 245 the
  // middle of either order is where the direction changes.
  const int64_t microBatches = 245;
  ir::ActionLists orders(2);
  for (int64_t s = 0; s < 2; ++s)
    for (int64_t first = 0, each = 2 + s; first < microBatches; first += each) {
      const int64_t end = std::min(first + each, microBatches);
      for (int64_t k = first; k < end; ++k) orders[static_cast<size_t>(s)].push_back(forward(s, k));
      for (int64_t k = first; k < end; ++k) orders[static_cast<size_t>(s)].push_back(backward(s, k));
    }
  const auto steady = findSteadyOrders(orders, 2, 1, microBatches);
  ASSERT_EQ(steady.size(), 1u);
  EXPECT_EQ(steady[0].microBatches, 6);
  for (const Stretch& stretch : steady[0].stages) EXPECT_EQ(stretch.length, 12u);
}

} // namespace
} // namespace planc::cost::test
