// The in-order streams: dependencies, waiting, and computing slowed beside communication.
// SPDX-License-Identifier: Apache-2.0
#include "KeptSlices.h"
#include "backends/cost/simulate/Streams.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace planc::cost {
namespace {

constexpr ir::Stream kCompute = ir::kComputeStream;

TEST(CostStreams, TasksStartWhenStreamAndDependenciesAreReady) {
  Streams s(0);
  const auto a = s.add(kCompute, 2, {}, 0);
  const auto gather = s.add(0, 3, std::vector{a}, 1);
  s.add(kCompute, 1, {}, 2); // beside the gather
  const auto user = s.add(kCompute, 4, std::vector{gather}, 3);
  s.add(1, 10, std::vector{a}, 4); // another level: beside everything
  s.run();
  EXPECT_TRUE(s.done(user));
  EXPECT_DOUBLE_EQ(s.computeEnd(), 2 + 3 + 4);
  EXPECT_DOUBLE_EQ(s.now(), 12);
  EXPECT_DOUBLE_EQ(s.spent()[0].computing, 2);
  EXPECT_DOUBLE_EQ(s.spent()[1].exposed, 2); // waited for: 3 less the second that was used
  EXPECT_DOUBLE_EQ(s.spent()[4].exposed, 3); // nothing left to compute
}

TEST(CostStreams, AnObserverIsToldWhenTasksRun) {
  // The inline share holds the compute stream from 2 to 3; the port carries it meanwhile, and pauses the gather.
  Streams s(0);
  test::KeptSlices slices;
  s.watch(&slices);
  const auto a = s.add(kCompute, 2, {}, 0);
  s.add(0, 4, {}, 1);
  s.addInline(0, 1, std::vector{a}, 2);
  s.addMarker({}, 0);
  s.add(kCompute, 3, {}, 3);
  s.run();
  struct Expected {
    uint32_t slot;
    int64_t tag;
    double begin, end;
  };
  const std::vector<Expected> expected{{0, 0, 0, 2}, {0, 2, 2, 3}, {2, 2, 2, 3}, {3, 1, 0, 5}, {0, 3, 3, 6}};
  ASSERT_EQ(slices.all.size(), expected.size());
  for (const Expected& e : expected)
    EXPECT_TRUE(std::ranges::any_of(slices.all,
                                    [&](const Slice& slice) {
                                      return slice.stream == e.slot && slice.task == e.tag && slice.begin == e.begin &&
                                             slice.end == e.end;
                                    }))
        << e.slot << " " << e.tag;
}

TEST(CostStreams, OneStreamRunsInOrder) {
  Streams s(0);
  const auto late = s.add(kCompute, 5, {});
  s.add(0, 1, std::vector{late});
  const auto second = s.add(0, 1, {}); // could start at 0, but stands behind the first
  s.add(kCompute, 1, std::vector{second});
  s.run();
  EXPECT_DOUBLE_EQ(s.now(), 8);
}

/// Time of computing `c` beside communication `comm`, in `pieces` kernels.
double beside(double c, double comm, double slowdown, int pieces) {
  Streams s(slowdown);
  s.addMarker({}, slowdown * c);
  for (int i = 0; i < pieces; ++i) s.add(kCompute, c / pieces, {});
  s.add(0, comm, {});
  s.run();
  return s.now();
}

TEST(CostStreams, ComputingIsSlowedBesideCommunication) {
  // max(c + slowdown · min(c, comm), comm), however the computing is cut into kernels
  for (double c : {.2, .7, .8, .95, 1., 1.3, 5.})
    for (double slowdown : {0., .1, .3, .9})
      for (int pieces : {1, 7, 50})
        EXPECT_NEAR(beside(c, 1, slowdown, pieces), std::max(c + slowdown * std::min(c, 1.), 1.), 1e-12)
            << c << " " << slowdown;
}

TEST(CostStreams, AStreamMayTakeAPartOfTheSlowdown) {
  // Half of it beside stream 1, all beside stream 0 and wherever both run; the seconds beside either count alike.
  const auto slowed = [](double c, double inner, double outer) {
    Streams s(.4, {1, .5});
    s.addMarker({}, .4 * c);
    s.add(kCompute, c, {});
    if (inner > 0) s.add(0, inner, {});
    if (outer > 0) s.add(1, outer, {});
    s.run();
    return s.now();
  };
  EXPECT_NEAR(slowed(10, 0, 1), 10 + .2 * 1, 1e-12);
  EXPECT_NEAR(slowed(10, 1, 0), 10 + .4 * 1, 1e-12);
  EXPECT_NEAR(slowed(10, 1, 3), 10 + .4 * 1 + .2 * 2, 1e-12);
  EXPECT_NEAR(slowed(1, 0, 5), 5, 1e-12);
  EXPECT_NEAR(slowed(1, 0, 1), 1 + .2 * 1, 1e-12); // as long as computing takes by itself
}

TEST(CostStreams, InlineCommunicationIsNotSlowed) {
  Streams s(.5);
  s.addMarker({}, 10);
  s.addInline(0, 2, {}, Streams::kNoTag);
  s.add(1, 2, {});
  s.run();
  EXPECT_DOUBLE_EQ(s.now(), 2);
}

TEST(CostStreams, APortCarriesOneTransferAtATime) {
  // A gather of 5 is issued ahead on port 0. From 1 to 3 the port carries an inline share, from 3 to 4 what of the same
  // collective is not inline, while the gather pauses: it ends at 5 + 3.
  Streams s(0);
  const auto gather = s.add(0, 5, {}, 0);
  const auto before = s.add(kCompute, 1, {}, 1);
  Streams::Batch batch(3);
  const uint32_t shared = batch.addInline(0, 2, {}, 0);
  batch.add(0, 1, std::vector{shared}, 0);
  const uint32_t reader = batch.add(kCompute, .5, std::vector{shared}, 1);
  batch.add(kCompute, 1, std::vector{reader}, 2);
  s.add(batch, before, 2);
  s.add(kCompute, 1, std::vector{gather}, 5);
  s.run();
  EXPECT_DOUBLE_EQ(s.now(), 5 + 3 + 1);
  EXPECT_DOUBLE_EQ(s.spent()[2].exposed, 2); // the inline share; its rest hides under what computes until 4.5
  EXPECT_DOUBLE_EQ(s.spent()[0].exposed, 8 - 4.5);
}

TEST(CostStreams, WhatTakesNoTimeTakesItsTurn) {
  // From 1 to 3 port 0 carries an inline share; what waits for an empty transfer on it begins at 3.
  Streams s(0);
  const auto before = s.add(kCompute, 1, {}, 0);
  Streams::Batch batch(2);
  batch.addInline(0, 2, {}, 0);
  s.add(batch, before);
  const auto empty = s.add(0, 0, std::vector{before}, 1);
  s.add(1, 5, std::vector{empty}, 2);
  s.run();
  EXPECT_DOUBLE_EQ(s.now(), 3 + 5);
}

TEST(CostStreams, AnInlineShareFollowsTheCollectivesBeforeItOnItsPort) {
  // The rest of the first collective takes the port from 1 to 4. The compute stream stands still for the second one's
  // share from 1 to 3, and its reader waits until the port has carried that, from 4 to 6.
  Streams s(0);
  Streams::Batch batch(4);
  const uint32_t first = batch.addInline(0, 1, {}, 0);
  batch.add(0, 3, std::vector{first}, 0);
  const uint32_t second = batch.addInline(0, 2, {}, 1);
  batch.add(kCompute, 1, std::vector{second}, 2);
  s.add(batch, s.addMarker({}, 0));
  s.run();
  EXPECT_DOUBLE_EQ(s.now(), 7);
  EXPECT_DOUBLE_EQ(s.spent()[0].exposed, 4); // nothing exposes more than it takes
  EXPECT_DOUBLE_EQ(s.spent()[1].exposed, 2);
}

TEST(CostStreams, QueueingIsOfTheCollectiveThatRuns) {
  // The compute stream waits for `second`, which stands behind `first` on its stream and behind `other` as what it
  // reads.
  Streams s(0);
  s.add(0, 3, {}, 0);
  const auto other = s.add(1, 4, {}, 1);
  const auto second = s.add(0, 1, std::vector{other}, 2);
  s.add(kCompute, 1, std::vector{second}, 3);
  s.run();
  EXPECT_DOUBLE_EQ(s.spent()[0].exposed, 3);
  EXPECT_DOUBLE_EQ(s.spent()[1].exposed, 1); // from 3 to 4
  EXPECT_DOUBLE_EQ(s.spent()[2].exposed, 1);
  EXPECT_DOUBLE_EQ(s.spent()[3].computing, 1);
}

TEST(CostStreams, SecondsAreBookedByWhatTheyAre) {
  Streams s(.5);
  s.addMarker({}, 10);
  const auto gather = s.add(0, 2, {}, 0);
  s.add(kCompute, 3, {}, 1); // 1 of it takes 2 seconds beside the gather
  s.addInline(0, 1, std::vector{gather}, 2);
  const auto begin = s.addMarker({}, 0);
  s.addMarker(std::vector{s.addHost(4, begin, 3)}, 0);
  s.run();
  EXPECT_DOUBLE_EQ(s.spent()[1].computing, 3);
  EXPECT_DOUBLE_EQ(s.spent()[1].slowed, 1);
  EXPECT_DOUBLE_EQ(s.spent()[2].exposed, 1);
  EXPECT_DOUBLE_EQ(s.spent()[3].launches, 4);
  double sum = 0;
  for (const Spent& spent : s.spent()) sum += spent.sum();
  EXPECT_DOUBLE_EQ(sum, s.now());
}

TEST(CostStreams, TheHostLaunchesMeanwhile) {
  // From 0 to 2 the device computes, slowed by nobody, from 2 to 3 it waits for the gather, and only from 3 to 5 for
  // the host.
  Streams s(.5);
  const auto begin = s.addMarker({}, 10);
  const auto host = s.addHost(5, begin, 3);
  const auto early = s.add(kCompute, 2, {}, 1);
  const auto gather = s.add(0, 1, std::vector{early}, 0);
  s.addMarker(std::vector{gather, host}, 0);
  EXPECT_DOUBLE_EQ(s.backlog(), 1); // the host is no communication
  s.run();
  EXPECT_DOUBLE_EQ(s.now(), 5);
  EXPECT_DOUBLE_EQ(s.spent()[1].computing, 2);
  EXPECT_DOUBLE_EQ(s.spent()[0].exposed, 1);
  EXPECT_DOUBLE_EQ(s.spent()[3].launches, 2);
}

TEST(CostStreams, MarkersMayAddTasks) {
  Streams s(0);
  const auto a = s.add(kCompute, 1, {});
  s.addMarker(std::vector{a}, 0, [&] { s.add(kCompute, 2, {}); });
  s.run();
  EXPECT_DOUBLE_EQ(s.now(), 3);
}

} // namespace
} // namespace planc::cost
