// The fast pipeline against the reference on random pipelines, and the slices of the reference against its accounts.
// PLANC_PIPELINES=20000 tries more.
// SPDX-License-Identifier: Apache-2.0
#include "Pipelines.h"
#include "backends/cost/simulate/pipeline/FastPipeline.h"
#include "backends/cost/simulate/pipeline/SteadyState.h"
#include "backends/cost/simulate/pipeline/Timeline.h"
#include "passes/Passes.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <random>

namespace planc::cost::test {
namespace {

/// What the times of both engines may differ by, as a share of the step. A leap takes periods for equal that differ by
/// 2e-14 of the time so far (`kRounded`), on each of the two stages between which an input waits, and multiplies the
/// difference by up to 1,000 periods. Pairs that come late make it grow, by up to what `roundingShows` lets pass.
constexpr double kSameTime = 1e-10, kSameInPairs = 1e-8;

double lastEnd(const std::vector<StageTimes>& times) {
  double end = 0;
  for (const StageTimes& t : times) end = std::max(end, t.end);
  return end;
}

bool hasPairs(const PipelineInput& in) {
  const std::span<const ir::Action> written = in.actions.written();
  return std::any_of(written.begin(), written.end(), [](const ir::Action& a) { return a.paired; });
}

/// Whether rounding decides what the pairs of a pipeline save: where one waits about as long as the other takes, how
/// late it comes can grow from pair to pair. Then no simulation is the right one.
bool roundingShows(const PipelineInput& in) {
  PipelineInput moved = in;
  int k = 0;
  for (VirtualStageCost& c : moved.virtualStages) {
    c.forward.seconds *= 1 + 1e-13 * (++k % 3), c.backward.seconds *= 1 + 1e-13 * (k % 4);
    c.send *= 1 + 1e-13 * (k % 5), c.sendBack *= 1 + 1e-13 * (k % 2);
  }
  const auto before = runTimeline(in), after = runTimeline(moved);
  double most = 0, end = 0;
  for (size_t s = 0; s < before.size(); ++s) {
    end = std::max(end, before[s].end);
    most = std::max({most, std::fabs(after[s].end - before[s].end), std::fabs(after[s].busy - before[s].busy),
                     std::fabs(after[s].idle - before[s].idle)});
  }
  return most > 1e-10 * end;
}

/// The fast engine against the reference. What pairs save jumps where one waits as long as the other takes, so that
/// rounding shows in it.
void expectSame(const PipelineInput& in, const std::string& what) {
  const bool pairs = hasPairs(in);
  const auto fast = runPipeline(in), reference = runTimeline(in);
  ASSERT_EQ(fast.size(), reference.size());
  const double end = lastEnd(reference), unit = (pairs ? kSameInPairs : kSameTime) * end;
  for (size_t s = 0; s < fast.size(); ++s) {
    const StageTimes &f = fast[s], &r = reference[s];
    EXPECT_NEAR(f.end, r.end, unit) << what << " stage " << s;
    EXPECT_NEAR(f.begin, r.begin, unit) << what;
    EXPECT_NEAR(f.busy, r.busy, unit) << what;
    EXPECT_NEAR(f.idle, r.idle, unit) << what;
    EXPECT_NEAR(f.trailing, r.trailing, unit) << what;
    ASSERT_EQ(f.holds.size(), r.holds.size());
    for (size_t h = 0; h < r.holds.size(); ++h) {
      EXPECT_EQ(f.holds[h].virtualStage, r.holds[h].virtualStage) << what;
      EXPECT_EQ(f.holds[h].lastWeights, r.holds[h].lastWeights) << what;
      for (size_t c = 0; c < kCauses; ++c)
        EXPECT_NEAR(f.holds[h].booked[c], r.holds[h].booked[c], unit) << what << " cause " << c;
    }
    ASSERT_EQ(f.together.size(), r.together.size());
    for (const auto& [pair, share] : r.together)
      EXPECT_NEAR(f.together.at(pair), share, 1e-5 * std::max(1.0, share)) << what;
    for (const StageTimes& t : {f, r})
      EXPECT_NEAR(t.busy + t.idle + t.booked(), t.end - t.begin + t.trailing, 1e-9 * end) << what << " stage " << s;
  }
}

/// A wait shows no more of the step's communication than there is.
void expectBounds(const PipelineInput& in, const StageTimes& times, double unit, const std::string& what) {
  double beside = 0; // what passes communicate on the port of gathers, which wait for it
  for (const HeldStage& h : times.holds) {
    const VirtualStageCost& cost = in.virtualStages[h.virtualStage];
    beside += static_cast<double>(in.microBatches) * (cost.forward.onGathers + cost.backward.onGathers);
  }
  for (const HeldStage& h : times.holds) {
    const VirtualStageCost& cost = in.virtualStages[h.virtualStage];
    EXPECT_LE(h.booked[Cause::Gathers], cost.gathers.inlined + cost.gathers.total + beside + unit) << what;
    if (cost.last.carried == 0) {
      EXPECT_EQ(h.booked[Cause::Reductions], 0) << what;
    }
  }
}

/// Adds up the slices of every stage.
class SliceSums : public SliceObserver {
public:
  struct OfStage {
    double busy = 0, idle = 0, forPort = 0;
    std::map<int64_t, Booked> held; ///< by virtual stage
    std::array<double, 5> ends{};   ///< by stream
    double gaps = 0;                ///< seconds between slices of the compute stream
    size_t passes = 0;
  };
  explicit SliceSums(const std::vector<StageTimes>& times) : stages(times.size()) {
    for (size_t s = 0; s < times.size(); ++s) stages[s].ends.fill(times[s].begin);
  }
  void observe(const Slice& slice) override {
    OfStage& stage = stages[static_cast<size_t>(slice.stage)];
    double& last = stage.ends[slice.stream];
    overlaps += slice.begin < last || !(slice.end > slice.begin);
    const double seconds = slice.end - slice.begin;
    if (slice.stream == static_cast<uint32_t>(StageStream::Compute)) stage.gaps += slice.begin - last;
    last = slice.end;
    switch (slice.kind) {
    case SliceKind::Pass:
    case SliceKind::Pair:
      stage.busy += seconds, stage.passes += slice.kind == SliceKind::Pair ? 2 : 1;
      break;
    case SliceKind::Idle:
      stage.idle += seconds;
      break;
    case SliceKind::Held:
      stage.held[slice.virtualStage][slice.cause] += seconds;
      break;
    case SliceKind::WaitsForPort:
      stage.forPort += seconds;
      break;
    case SliceKind::Communication:
    case SliceKind::Task:
    case SliceKind::Waits:
    case SliceKind::Launches:
      break;
    }
  }
  std::vector<OfStage> stages;
  int overlaps = 0;
};

bool waitsForPort(Cause cause) {
  return cause == Cause::Send || cause == Cause::SendBack || cause == Cause::ForwardTail ||
         cause == Cause::BackwardTail;
}

/// The slices of a stage add up to its accounts, and no stream does two things at once.
void expectSlices(const PipelineInput& in, const std::string& what) {
  const std::vector<StageTimes> times = runTimeline(in);
  SliceSums sums(times);
  runTimeline(in, &sums);
  EXPECT_EQ(sums.overlaps, 0) << what;
  const double unit = 1e-9 * lastEnd(times);
  const bool computes = std::ranges::all_of(in.virtualStages, [](const VirtualStageCost& c) {
    return c.forward.seconds > 0 && c.backward.input() > 0 && c.backward.weight > 0;
  });
  for (size_t s = 0; s < times.size(); ++s) {
    const StageTimes& t = times[s];
    SliceSums::OfStage& sum = sums.stages[s];
    EXPECT_NEAR(sum.busy, t.busy, unit) << what << " stage " << s;
    EXPECT_NEAR(sum.idle, t.idle, unit) << what << " stage " << s;
    EXPECT_NEAR(sum.gaps, 0, unit) << what << " stage " << s;
    EXPECT_NEAR(sum.ends[0], t.end + t.trailing, unit) << what << " stage " << s;
    if (computes) {
      EXPECT_EQ(sum.passes, in.actions[s].size()) << what << " stage " << s;
    }
    std::map<int64_t, Booked> booked;
    for (const HeldStage& h : t.holds)
      for (size_t c = 0; c < kCauses; ++c) booked[h.virtualStage][c] += h.booked[c];
    double forPort = 0;
    for (const auto& [virtualStage, by] : booked)
      for (size_t c = 0; c < kCauses; ++c) {
        const double more = by[c] - sum.held[virtualStage][c];
        if (waitsForPort(static_cast<Cause>(c))) {
          EXPECT_GE(more, -unit) << what << " cause " << c;
          forPort += more;
        } else {
          EXPECT_NEAR(more, 0, unit) << what << " cause " << c;
        }
      }
    EXPECT_NEAR(forPort, sum.forPort, unit) << what << " stage " << s;
    expectBounds(in, t, unit, what);
  }
}

/// A pipeline of random stages.
class RandomPipeline {
public:
  explicit RandomPipeline(unsigned seed) : random_(seed) {}

  PipelineInput make(const ir::ScheduleKind& kind, std::string& what) {
    int64_t p = choose(1, 24), v = kind.chunks > 0 ? kind.chunks : choose(1, 6), m = choose(1, 600);
    if (choose(0, 1) || v > 1) m = p * choose(1, std::max<int64_t>(1, 600 / p));
    if (kind.routes == 2) p += p % 2, m += m % 2;
    if (!kind.needs.empty()) m = std::max(m, 2 * p);
    const double transfer = choose(0, 1) ? seconds(choose(0, 3) ? .3 : 6) : 0;
    PipelineInput in = input(kind, p, v, m, {1}, {2}, transfer, oneOf({0, .4, 1}));
    if (choose(0, 5) == 0) in.actions = in.actions.forwardOnly(), in.waitsForAll = true;
    in.inlineReceive = choose(0, 2) ? 0 : .5, in.slowdown = choose(0, 3) ? 0 : .1;
    setTimes(in);
    what = fmt::format("{} p={} v={} m={}", kind.name(), p, v, m);
    return in;
  }

private:
  double seconds(double most) { return std::uniform_real_distribution<double>(0, most)(random_); }
  int64_t choose(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random_); }
  double oneOf(std::initializer_list<double> all) {
    return *(all.begin() + choose(0, static_cast<int64_t>(all.size()) - 1));
  }

  /// All alike, all but the ends, none; some take nothing, but in pairs.
  void setTimes(PipelineInput& in) {
    const auto written = in.actions.written();
    const bool pairs = hasPairs(in);
    const int64_t kind = choose(0, pairs ? 2 : 3);
    const double forward = seconds(2), backward = seconds(3);
    const bool none = !pairs && choose(0, 4) == 0, states = choose(0, 2) == 0, tails = choose(0, 3) == 0;
    for (VirtualStageCost& c : in.virtualStages) {
      const bool edge = &c == &in.virtualStages.front() || &c == &in.virtualStages.back();
      const auto pick = [&](double all) {
        return kind == 0   ? all
               : kind == 1 ? all * (edge ? 1.3 : 1)
               : kind == 2 ? seconds(4)
                           : .25 * double(choose(0, 8));
      };
      c.forward.seconds = none && choose(0, 3) == 0 ? 0 : pick(forward);
      c.backward.seconds = none && choose(0, 3) == 0 ? 0 : pick(backward);
      c.backward.weight = c.backward.seconds * .4;
      c.backward.apart = choose(0, 1) * c.backward.seconds * .2;
      c.forward.last = c.forward.seconds * .3;
      if (kind == 3) c.joined = c.send * .25, c.joinedBack = c.sendBack;
      if (states) {
        c.gathers = {choose(0, 3) == 0 ? seconds(1) : 0, .05 + seconds(3)};
        c.gathers.wait = c.gathers.total * (choose(0, 3) == 0 ? 1 : .3);
        c.last = {seconds(.3), .05 + seconds(2), .1 + seconds(3), seconds(2), seconds(3)};
        c.lastWeights = {seconds(.2), .05 + seconds(2), .1 + seconds(3), seconds(2), seconds(2)};
      }
      if (states && choose(0, 1))
        c.backward.onStep = seconds(2), c.forward.onStep = seconds(1), c.forward.onGathers = seconds(1),
        c.backward.onGathers = seconds(1);
      if (in.inlineSend < 1 && choose(0, 2) == 0) c.backward.onSends = seconds(2), c.forward.onSends = seconds(1);
      c.meets.reductions = choose(0, 1), c.meets.tails = choose(0, 1), c.meets.inlined = choose(0, 1),
      c.meets.gathers = choose(0, 1), c.meets.tailsAndReduced = choose(0, 1);
      if (tails)
        c.backward.tail = seconds(.1), c.backward.inputTail = seconds(.2), c.forward.room = choose(0, 1) * seconds(.1);
    }
    for (size_t i = 0; i + 1 < written.size(); ++i)
      if (written[i].paired && choose(0, 2) > 0) {
        const double apart = in.virtualStages[written[i].virtualStage].forward.seconds +
                             in.virtualStages[written[i + 1].virtualStage].backward.seconds;
        in.pairs[{written[i].virtualStage, written[i + 1].virtualStage}] = {apart * .8, apart * .6, apart * .7};
      }
  }

  std::mt19937 random_;
};

TEST(CostTimeline, TheFastEngineEqualsTheReference) {
  const char* more = std::getenv("PLANC_PIPELINES");
  const int pipelines = more ? std::atoi(more) : 700;
  int undecided = 0;
  for (int round = 0; round < pipelines; ++round) {
    const auto& kinds = passes::scheduleKinds().rows();
    std::string what;
    const PipelineInput in =
        RandomPipeline(static_cast<unsigned>(round)).make(*kinds[static_cast<size_t>(round) % kinds.size()], what);
    what = fmt::format("{} round {}", what, round);
    if (hasPairs(in) && roundingShows(in))
      ++undecided;
    else
      expectSame(in, what);
    expectSlices(in, what);
  }
  EXPECT_LE(undecided * 175, pipelines);
}

/// Pipelines of one shape share the turn of their actions, whatever the passes take.
TEST(CostTimeline, WhatIsKnownOfAShapeChangesNoTime) {
  FastPipeline engine;
  for (unsigned round = 0; round < 300; ++round) {
    const auto& kinds = passes::scheduleKinds().rows();
    std::string what;
    PipelineInput in = RandomPipeline(round % 60).make(*kinds[round % kinds.size()], what);
    const double scale = 1 + .125 * (round / 60);
    for (VirtualStageCost& c : in.virtualStages) {
      c.forward.seconds *= scale, c.send *= scale;
      if (round % 4 == 0) c.forward.tail = .4 * c.forward.seconds, c.backward.room = 0;
    }
    const auto alone = runPipeline(in);
    for (int again = 0; again < 2; ++again) {
      const auto shared = engine.simulate(in);
      ASSERT_EQ(shared.size(), alone.size());
      for (size_t s = 0; s < alone.size(); ++s) {
        EXPECT_EQ(shared[s].begin, alone[s].begin) << what << " round " << round;
        EXPECT_EQ(shared[s].end, alone[s].end) << what << " round " << round << " stage " << s;
        EXPECT_EQ(shared[s].busy, alone[s].busy) << what;
        EXPECT_EQ(shared[s].idle, alone[s].idle) << what;
        EXPECT_EQ(shared[s].trailing, alone[s].trailing) << what;
        for (size_t h = 0; h < alone[s].holds.size(); ++h)
          EXPECT_EQ(shared[s].holds[h].booked, alone[s].holds[h].booked) << what << " round " << round;
      }
    }
  }
}

/// Micro-batches may overtake each other in an order that somebody writes: then every action is simulated.
TEST(CostTimeline, OrdersOutOfTurnAreSimulatedAsTheyAre) {
  PipelineInput in = input(gpipe(), 3, 1, 90, {1, 1.2, .8}, {2, 1.9, 2.2}, .1);
  ir::ActionLists lists = in.actions.lists();
  for (auto& list : lists) std::reverse(list.begin() + 90, list.end());
  in.actions = lists;
  expectSame(in, "gpipe with its last micro-batch first");
}

/// A stage that is slower than the ones before it lets them run ahead, as far as the order has them.
TEST(CostTimeline, StagesHaveRatesOfTheirOwnForAWhile) {
  for (const char* name : {"gpipe", "breadth_first", "one_f_one_b", "zb_h2"})
    for (const double slow : {1.001, 1.3, 5.}) {
      PipelineInput in =
          input(scheduleNamed(name), 6, 1, 580, {1, 1, slow, .5, 1, slow * slow}, {2, 2.5, 2, 1, 2, 2}, .2, 0);
      expectSame(in, fmt::format("{} {}", name, slow));
      in.actions = in.actions.forwardOnly(), in.waitsForAll = true;
      expectSame(in, fmt::format("{} {} forward", name, slow));
    }
}

TEST(CostTimeline, OrdersHaveTheirPeriods) {
  auto periods = [](std::string_view name, int64_t p, int64_t v, int64_t m) {
    const PipelineInput in = input(scheduleNamed(name), p, v, m, {1}, {2});
    const auto routes = static_cast<int64_t>(in.devices.routes());
    std::vector<int64_t> all;
    for (const SteadyOrders& steady : findSteadyOrders(in.actions, in.virtualStages.size(), routes, m / routes))
      all.push_back(steady.microBatches);
    return all;
  };
  using Periods = std::vector<int64_t>;
  EXPECT_EQ(periods("one_f_one_b", 8, 1, 256), Periods{1});
  EXPECT_EQ(periods("interleaved_1f1b", 4, 3, 256), Periods{4});
  EXPECT_EQ(periods("zb_h1", 8, 1, 256), Periods{1});
  EXPECT_EQ(periods("dualpipe", 8, 1, 256), Periods{1});
  EXPECT_EQ(periods("gpipe", 8, 1, 256), (Periods{1, 1})); // forward, then backward
  EXPECT_EQ(periods("one_f_one_b", 8, 1, 8), Periods{});   // too few
}

} // namespace
} // namespace planc::cost::test
