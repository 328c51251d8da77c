// The schedule table: every micro-batch passes every virtual stage once in each direction, on its device, in an order
// that can run, with the known depth.
// SPDX-License-Identifier: Apache-2.0
#include "ListedOrders.h"
#include "passes/Passes.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>

namespace planc::ir {
namespace {

const ScheduleKind& kind(std::string_view name) {
  if (const ScheduleKind* k = passes::scheduleKinds().find(name)) return *k;
  throw std::runtime_error("no such schedule");
}

ScheduleShape shapeOf(const ScheduleKind& k, int64_t p, int64_t v, int64_t m) {
  ScheduleShape shape{p, k.chunks > 0 ? k.chunks : v, m, k.standardArguments(), {}};
  if (k.chunks == 0) shape.arguments.front() = v;
  return shape;
}

ActionLists orders(std::string_view name, int64_t p, int64_t v, int64_t m) {
  return kind(name).orders(shapeOf(kind(name), p, v, m)).lists();
}

/// Who bounds a step trusts the row: passes run beside each other where it says so, and nowhere else.
TEST(Schedules, RowsSayWhetherPassesArePaired) {
  for (const ScheduleKind* k : passes::scheduleKinds().rows()) {
    bool paired = false;
    for (const auto& order : k->orders(shapeOf(*k, 4, 2, 16)).lists())
      for (const Action& action : order) paired |= action.paired;
    EXPECT_EQ(paired, k->pairs) << k->name();
  }
}

/// Who prices passes trusts the row: halves of backward passes run where it says so, and nowhere else.
TEST(Schedules, RowsSayWhetherBackwardPassesAreSplit) {
  for (const ScheduleKind* k : passes::scheduleKinds().rows()) {
    bool split = false;
    for (const auto& order : k->orders(shapeOf(*k, 4, 2, 16)).lists())
      for (const Action& action : order) split |= action.kind == ActionKind::BackwardWeight;
    EXPECT_EQ(split, k->splits) << k->name();
  }
}

/// Most forwards of a device without their backward, until the gradients of weights if those come later.
int64_t depth(const std::vector<Action>& order) {
  int64_t live = 0, most = 0;
  for (const Action& a : order) {
    if (a.kind == ActionKind::BackwardInput) continue;
    live += a.kind == ActionKind::Forward ? 1 : -1;
    most = std::max(most, live);
  }
  return most;
}

/// Runs all orders against each other: (what, virtual stage, micro-batch) in the order of time.
std::map<std::tuple<ActionKind, int64_t, int64_t>, int> run(const ScheduleKind& k, const ScheduleShape& shape,
                                                            OrderMaker make) {
  const ActionLists all = make(shape).lists();
  const int64_t last = shape.virtualStages() - 1;
  std::map<std::tuple<ActionKind, int64_t, int64_t>, int> done;
  auto has = [&](bool forward, int64_t stage, int64_t mb) {
    return forward ? done.count({ActionKind::Forward, stage, mb})
                   : done.count({ActionKind::Backward, stage, mb}) + done.count({ActionKind::BackwardInput, stage, mb});
  };
  auto ready = [&](const Action& a) {
    const int64_t stage = a.virtualStage, mb = a.microBatch;
    if (a.kind == ActionKind::Forward) return stage == 0 || has(true, stage - 1, mb) > 0;
    if (a.kind == ActionKind::BackwardWeight) return has(false, stage, mb) > 0;
    return has(true, stage, mb) > 0 && (stage == last || has(false, stage + 1, mb) > 0);
  };
  std::vector<size_t> at(all.size());
  for (bool moved = true; moved;) {
    moved = false;
    for (size_t s = 0; s < all.size(); ++s)
      while (at[s] < all[s].size()) {
        const size_t n = all[s][at[s]].paired ? 2 : 1;
        bool all_ready = true;
        for (size_t i = 0; i < n; ++i) all_ready = all_ready && ready(all[s][at[s] + i]);
        if (!all_ready) break;
        for (size_t i = 0; i < n; ++i) {
          const Action& a = all[s][at[s] + i];
          ++done[{a.kind, a.virtualStage, a.microBatch}];
          const int64_t route = a.microBatch / (shape.microBatches / k.routes);
          EXPECT_EQ(k.device(shape, route, a.virtualStage), static_cast<int64_t>(s)) << k.name();
        }
        at[s] += n, moved = true;
      }
  }
  return done;
}

/// Every pass of every virtual stage runs once.
void expectComplete(const ScheduleKind& k, const ScheduleShape& shape, OrderMaker make) {
  const std::string what = std::string(k.name()) + " p=" + std::to_string(shape.stages) +
                           " v=" + std::to_string(shape.chunks) + " m=" + std::to_string(shape.microBatches);
  std::map<std::pair<bool, int64_t>, int64_t> passes; // forward, input and weight gradients by virtual stage
  int64_t inputs = 0, weights = 0;
  for (const auto& [action, times] : run(k, shape, make)) {
    EXPECT_EQ(times, 1) << what;
    const ActionKind kind = std::get<0>(action);
    inputs += kind == ActionKind::Backward || kind == ActionKind::BackwardInput;
    weights += kind == ActionKind::Backward || kind == ActionKind::BackwardWeight;
    passes[{kind == ActionKind::Forward, std::get<1>(action)}] += 1;
  }
  const int64_t all = shape.virtualStages() * shape.microBatches;
  EXPECT_EQ(inputs, all) << what;
  EXPECT_EQ(weights, all) << what;
  for (int64_t vs = 0; vs < shape.virtualStages(); ++vs) EXPECT_EQ((passes[{true, vs}]), shape.microBatches) << what;
}

TEST(Schedules, EveryPassOnceOnItsDeviceAndInAnOrderThatRuns) {
  for (const ScheduleKind* row : passes::scheduleKinds().rows())
    for (int64_t p : {1, 2, 3, 4, 8})
      for (int64_t v : {1, 2, 3})
        for (int64_t m : std::vector<int64_t>{1, 3, 2 * p, 4 * p, 5 * p + 1, 6 * p}) {
          const ScheduleKind& k = *row;
          const ScheduleShape shape = shapeOf(k, p, v, m);
          if (!std::all_of(k.needs.begin(), k.needs.end(), [&](const ScheduleNeed& n) { return n.holds(shape); }))
            continue;
          expectComplete(k, shape, k.orders);
          for (const NamedOrder& other : k.others()) expectComplete(k, shape, other.make);
        }
}

TEST(Schedules, ShortFormsAreTheListsOfTheirPapers) {
  std::mt19937 random(5);
  const auto choose = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  int compared = 0;
  for (int round = 0; round < 1500; ++round) {
    const auto& rows = passes::scheduleKinds().rows();
    const ScheduleKind& k = *rows[static_cast<size_t>(round) % rows.size()];
    const int64_t p = choose(1, 12), m = round % 2 ? p * choose(1, 9) : choose(1, 90);
    ScheduleShape shape = shapeOf(k, p, choose(1, 6), m);
    if (k.name() == "zero_bubble") shape.arguments[0] = choose(0, m);
    if (!std::all_of(k.needs.begin(), k.needs.end(), [&](const ScheduleNeed& n) { return n.holds(shape); })) continue;
    const Orders orders = k.orders(shape);
    const ActionLists lists = passes::listed::orders(k.name(), shape);
    ASSERT_EQ(orders.size(), lists.size());
    for (size_t s = 0; s < lists.size(); ++s) {
      ASSERT_EQ(orders[s].size(), lists[s].size()) << k.name() << " p=" << p << " m=" << m << " stage " << s;
      ASSERT_TRUE(orders[s].list() == lists[s]) << k.name() << " p=" << p << " v=" << shape.chunks << " m=" << m;
    }
    ++compared;
  }
  EXPECT_GT(compared, 700);
}

TEST(Schedules, MoreMicroBatchesMakeNoLongerForms) {
  for (const ScheduleKind* k : passes::scheduleKinds().rows()) {
    const auto written = [&](int64_t m) { return k->orders(shapeOf(*k, 8, 3, m)).written().size(); };
    EXPECT_EQ(written(8192), written(512)) << k->name();
    EXPECT_LT(written(8192), 8u * 200) << k->name();
  }
}

TEST(Schedules, OneForwardOneBackwardHoldsStagesLeftMicroBatches) {
  for (size_t s = 0; s < 4; ++s) EXPECT_EQ(depth(orders("one_f_one_b", 4, 1, 16)[s]), 4 - static_cast<int64_t>(s));
}

TEST(Schedules, GpipeAndBreadthFirstHoldAllMicroBatches) {
  EXPECT_EQ(depth(orders("gpipe", 4, 1, 16)[0]), 16);
  EXPECT_EQ(depth(orders("breadth_first", 4, 3, 16)[0]), 3 * 16);
}

// arXiv 2205.05198, section 4.2.3: the first stage holds L(1 + (p-1)/(p·v)) layers, that is p·v + p - 1 passes of
// L/(p·v) layers.
TEST(Schedules, InterleavedHoldsTheExtraPart) {
  EXPECT_EQ(depth(orders("interleaved_1f1b", 8, 3, 64)[0]), 8 * 3 + 8 - 1);
}

// Megatron Core runs one forward more before the first backward, so that the two passes of a pair need nothing of each
// other.
TEST(Schedules, PairsHoldOnePassMoreAndAreIndependent) {
  EXPECT_EQ(depth(orders("paired_1f1b", 4, 1, 16)[0]), 2 * 4); // what goes up and what comes back take a pair per stage
  EXPECT_EQ(depth(orders("paired_1f1b", 8, 3, 64)[0]), 8 * 3 + 8 - 1 + 1);
  for (const int64_t v : {1, 3})
    for (const std::vector<Action>& order : orders("paired_1f1b", 4, v, 16)) {
      int64_t pairs = 0;
      for (size_t i = 0; i + 1 < order.size(); ++i) {
        if (!order[i].paired) continue;
        ++pairs;
        EXPECT_EQ(order[i].kind, ActionKind::Forward);
        EXPECT_EQ(order[i + 1].kind, ActionKind::Backward);
        EXPECT_FALSE(order[i].virtualStage == order[i + 1].virtualStage &&
                     order[i].microBatch == order[i + 1].microBatch);
      }
      EXPECT_GE(pairs, 16 * v - depth(order));
    }
}

// arXiv 2401.10241, Table 2: p and 2p - 1 micro-batches; ZB-V holds p micro-batches in 2p halves (section 6).
TEST(Schedules, ZeroBubbleHoldsWhatItsTableSays) {
  for (int64_t p : {2, 4, 8, 16})
    for (size_t s = 0; s < static_cast<size_t>(p); ++s) {
      EXPECT_LE(depth(orders("zb_h1", p, 1, 8 * p)[s]), p);
      EXPECT_LE(depth(orders("zb_h2", p, 1, 8 * p)[s]), 2 * p - 1);
      EXPECT_LE(depth(orders("zb_v", p, 1, 8 * p)[s]), 2 * p);
    }
  EXPECT_EQ(depth(orders("zb_h1", 8, 1, 64)[0]), 8);
  EXPECT_EQ(depth(orders("zb_h2", 8, 1, 64)[0]), 15);
  EXPECT_EQ(depth(orders("zb_v", 8, 1, 64)[0]), 16);
}

// `in_flight` bounds every order that may be chosen.
TEST(Schedules, ZeroBubbleHoldsNoMoreThanItsArgument) {
  const ScheduleKind& k = kind("zero_bubble");
  std::vector<OrderMaker> makers{k.orders};
  for (const NamedOrder& other : k.others()) makers.push_back(other.make);
  for (int64_t p : {2, 4, 8})
    for (int64_t inFlight : {1, 3, 8, 15})
      for (const OrderMaker make : makers) {
        ScheduleShape shape{p, 1, 4 * p, {inFlight}, {}};
        for (const std::vector<Action>& order : make(shape).lists()) EXPECT_LE(depth(order), inFlight) << p;
        expectComplete(k, shape, make);
      }
}

// arXiv 2412.19437, Table 2: PP + 1 micro-batches of one stage; cut in half, the same on half of the devices.
TEST(Schedules, DualPipeHoldsOneMoreThanStages) {
  for (int64_t p : {4, 8, 16}) {
    EXPECT_EQ(depth(orders("dualpipe", p, 1, 6 * p)[0]), p + 1);
    for (const auto& order : orders("dualpipe", p, 1, 6 * p)) EXPECT_LE(depth(order), p + 1);
    EXPECT_EQ(depth(orders("dualpipe_v", p / 2, 1, 3 * p)[0]), p + 1);
  }
}

} // namespace
} // namespace planc::ir
