// Orders in their short form: what they yield, what is folded, and what is visited of what repeats.
// SPDX-License-Identifier: Apache-2.0
#include "ir/program/Orders.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <utility>

namespace planc::ir {
namespace {

Action forwardOf(uint32_t microBatch, bool paired = false) {
  return {ActionKind::Forward, paired, 0, microBatch};
}
Action backwardOf(uint32_t microBatch) {
  return {ActionKind::Backward, false, 0, microBatch};
}

/// Two forwards of warm-up, rounds of two forwards and two backwards, and what is left.
Orders rounds(int64_t times) {
  Orders orders;
  orders.addStage();
  orders.add({forwardOf(0)}, 2);
  orders.repeat(times, 2, [&] {
    orders.add({forwardOf(2)}, 2);
    orders.add({backwardOf(0)}, 2);
  });
  const auto left = static_cast<uint32_t>(2 * times);
  orders.add({backwardOf(left)}, 2);
  return orders;
}

TEST(Orders, YieldTheirActionsOneByOne) {
  const Orders orders = rounds(2);
  const std::vector<Action> expected = {forwardOf(0),  forwardOf(1),  forwardOf(2),  forwardOf(3),
                                        backwardOf(0), backwardOf(1), forwardOf(4),  forwardOf(5),
                                        backwardOf(2), backwardOf(3), backwardOf(4), backwardOf(5)};
  EXPECT_TRUE(orders[0].list() == expected);
  EXPECT_EQ(orders[0].size(), expected.size());
  EXPECT_EQ(orders.written().size(), 4u);
  EXPECT_TRUE(rounds(0)[0].list() == (std::vector<Action>{forwardOf(0), forwardOf(1), backwardOf(0), backwardOf(1)}));
}

TEST(Orders, SkipWhatRepeats) {
  const Orders orders = rounds(9);
  OrderCursor cursor = orders[0].begin();
  for (int i = 0; i < 3; ++i) ++cursor; // the second forward of the first round
  cursor.skip(6, true);
  const std::vector<Action> all = orders[0].list();
  for (size_t i = 3 + 6 * 4; i < all.size(); ++i, ++cursor) {
    ASSERT_FALSE(cursor == std::default_sentinel);
    EXPECT_TRUE(*cursor == all[i]) << i;
  }
  EXPECT_TRUE(cursor == std::default_sentinel);
}

TEST(Orders, ListsAreFoldedAndComeBack) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    const int64_t times = static_cast<int64_t>(random() % 60);
    ActionLists lists{rounds(times)[0].list(), {}};
    if (round % 3 == 0)
      for (size_t i = 0; i + 1 < lists[0].size(); ++i)
        lists[0][i].paired = lists[0][i].kind == ActionKind::Forward && lists[0][i + 1].kind == ActionKind::Backward;
    if (round % 3 == 1) lists[0].erase(lists[0].begin() + static_cast<int64_t>(random() % lists[0].size()));
    const Orders orders(lists);
    EXPECT_TRUE(orders.lists() == lists);
    for (const Order& order : orders) // a pair is not cut
      for (const Repeat& phase : order.phases())
        for (const Repeat& block : order.blocks(phase)) EXPECT_FALSE(order.actions(block).back().paired);
  }
  const Orders folded(ActionLists{rounds(60)[0].list()});
  EXPECT_LT(folded.written().size(), 20u);
}

TEST(Orders, ForwardAloneLeavesNoPairs) {
  ActionLists lists{rounds(20)[0].list()};
  for (Action& a : lists[0]) a.paired = a.kind == ActionKind::Forward;
  std::erase_if(lists[0], [](const Action& a) { return a.microBatch > 30; });
  lists[0].back().paired = false;
  std::vector<Action> expected;
  for (Action a : lists[0])
    if (a.kind == ActionKind::Forward) a.paired = false, expected.push_back(a);
  EXPECT_TRUE(Orders(lists).forwardOnly()[0].list() == expected);
}

/// What is alive after every action: the ends of what repeats see the most of it.
TEST(Orders, EndsSeeTheMost) {
  for (const int64_t times : {0, 1, 2, 3, 40})
    for (const int64_t each : {1, -1, 3}) { // backward frees as much, adds, or frees more
      const Orders orders = rounds(times);
      const auto effect = [&](const Action& a) { return a.kind == ActionKind::Forward ? 1 : -each; };
      int64_t alive = 0, most = 0, ends = 0, seen = 0;
      for (const Action& a : orders[0]) most = std::max(most, alive += effect(a));
      const int64_t last = std::exchange(alive, 0);
      orders[0].eachEnd([&](const Action& a) { seen = std::max(seen, alive += effect(a)), ++ends; },
                        [&](std::span<const Action> actions, int64_t n) {
                          for (const Action& a : actions) alive += n * effect(a);
                        });
      EXPECT_EQ(seen, most);
      EXPECT_EQ(alive, last);
      EXPECT_LE(ends, 12);
    }
}

TEST(Orders, EachWrittenCountsAll) {
  const Orders orders = rounds(17);
  size_t all = 0;
  orders[0].eachWritten([&](const Action&, int64_t times) { all += static_cast<size_t>(times); });
  EXPECT_EQ(all, orders[0].size());
}

} // namespace
} // namespace planc::ir
