// The schedule table: every micro-batch of every chunk goes forward once and backward once, in an order that can run,
// with the known depth. SPDX-License-Identifier: Apache-2.0
#include "passes/Passes.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>

namespace planc {
namespace {

using namespace ir;

const ScheduleKind& kind(std::string_view name) {
  for (const ScheduleKind& k : passes::scheduleKinds())
    if (k.name == name) return k;
  throw std::runtime_error("no such schedule");
}

/// Most forwards without their backward, per stage.
int64_t depth(const std::vector<Action>& order) {
  int64_t live = 0, most = 0;
  for (const Action& a : order) {
    live += a.kind == ActionKind::Forward ? 1 : -1;
    most = std::max(most, live);
  }
  return most;
}

/// Can all stages run their orders to the end, each waiting for its neighbours only?
bool runs(const ScheduleKind& k, int64_t p, int64_t v, int64_t m) {
  std::vector<std::vector<Action>> orders;
  for (int64_t s = 0; s < p; ++s) orders.push_back(k.actions(p, v, m, s));
  std::map<std::tuple<bool, int64_t, uint32_t>, bool> done; // (backward, virtual stage, micro-batch)
  std::vector<size_t> at(static_cast<size_t>(p));
  for (bool moved = true; moved;) {
    moved = false;
    for (int64_t s = 0; s < p; ++s)
      for (auto& order = orders[static_cast<size_t>(s)]; at[static_cast<size_t>(s)] < order.size();
           ++at[static_cast<size_t>(s)], moved = true) {
        const Action& a = order[at[static_cast<size_t>(s)]];
        const int64_t stage = a.chunk * p + s;
        const bool back = a.kind == ActionKind::Backward;
        const bool ready = back ? done.count({false, stage, a.microBatch}) &&
                                      (stage == p * v - 1 || done.count({true, stage + 1, a.microBatch}))
                                : stage == 0 || done.count({false, stage - 1, a.microBatch});
        if (!ready) break;
        done[{back, stage, a.microBatch}] = true;
      }
  }
  return done.size() == static_cast<size_t>(2 * p * v * m);
}

TEST(Schedules, EveryPassOnceAndInAnOrderThatRuns) {
  for (const ScheduleKind& k : passes::scheduleKinds()) {
    if (!k.actions) continue;
    for (int64_t p : {1, 2, 3, 4, 8})
      for (int64_t v : k.takesChunks ? std::vector<int64_t>{1, 2, 3} : std::vector<int64_t>{1})
        for (int64_t m : {p, 2 * p, 5 * p})
          EXPECT_TRUE(runs(k, p, v, m)) << k.name << " p=" << p << " v=" << v << " m=" << m;
  }
}

TEST(Schedules, OneForwardOneBackwardHoldsStagesLeftMicroBatches) {
  for (int64_t s = 0; s < 4; ++s) EXPECT_EQ(depth(kind("one_f_one_b").actions(4, 1, 16, s)), 4 - s);
}

TEST(Schedules, GpipeHoldsAllMicroBatches) {
  EXPECT_EQ(depth(kind("gpipe").actions(4, 1, 16, 0)), 16);
}

// arXiv 2205.05198, section 4.2.3: the first stage holds L(1 + (p-1)/(p·v)) layers, that is p·v + p - 1 passes of
// L/(p·v) layers.
TEST(Schedules, InterleavedHoldsTheExtraPart) {
  EXPECT_EQ(depth(kind("interleaved_1f1b").actions(8, 3, 64, 0)), 8 * 3 + 8 - 1);
}

} // namespace
} // namespace planc
