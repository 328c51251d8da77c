// The schedule table: one row per schedule; its orders are in passes/schedules.
// SPDX-License-Identifier: Apache-2.0
#include "passes/Passes.h"
#include "passes/schedules/Orders.h"

namespace planc::passes {
using namespace ir;

namespace {

const ScheduleParameter kChunks{"chunks", 1, "virtual stages per device"};
const ScheduleParameter kInFlight{"in_flight", 0, "micro-batches in flight at most; without it as many as stages"};

const ScheduleNeed kWholeGroups{[](const ScheduleShape& s) { return s.chunks == 1 || s.microBatches % s.stages == 0; },
                                "micro-batches in whole groups of {p}",
                                "choose a `global_batch` that gives a multiple of {p} micro-batches, or `one_f_one_b`"};
const ScheduleNeed kEvenStages{[](const ScheduleShape& s) { return s.stages % 2 == 0; },
                               "an even number of stages, which mirror each other; there are {p}",
                               "give the pipeline axis an even size, or use `dualpipe_v`"};
const ScheduleNeed kEvenMicroBatches{[](const ScheduleShape& s) { return s.microBatches % 2 == 0; },
                                     "an even number of micro-batches, half of them for each direction",
                                     "choose a `global_batch` that gives an even number of micro-batches"};
const ScheduleNeed kBothLanesFull{[](const ScheduleShape& s) { return s.microBatches >= 2 * s.stages; },
                                  "at least two micro-batches per stage, {p} stages here",
                                  "choose a larger `global_batch` or a smaller `micro_batch`"};

const ScheduleNeed kThatMany{
    [](const ScheduleShape& s) { return s.arguments.empty() || s.arguments[0] <= s.microBatches; },
    "`in_flight` to be at most the micro-batches of a step, {m} here",
    "choose an `in_flight` of {m} at most, or leave it out: as many as stages are then in flight"};

} // namespace

const std::vector<ScheduleKind>& scheduleKinds() {
  using namespace schedules;
  // The first row is what a plan without a pipeline runs.
  static const std::vector<ScheduleKind> kinds = {
      {.name = "one_f_one_b",
       .doc = "1F1B: one forward, one backward after the warm-up (arXiv 2006.09503)",
       .orders = oneForwardOneBackward},
      {.name = "gpipe", .doc = "all forward passes, then all backward passes (arXiv 1811.06965)", .orders = gpipe},
      {.name = "interleaved_1f1b",
       .doc = "1F1B over several virtual stages per device, depth-first (arXiv 2104.04473)",
       .parameters = {kChunks},
       .chunks = 0,
       .needs = {kWholeGroups},
       .orders = interleaved},
      {.name = "paired_1f1b",
       .doc = "1F1B, interleaved if there are chunks, a forward beside the backward of another micro-batch (Megatron "
              "Core, overlap_moe_expert_parallel_comm)",
       .parameters = {kChunks},
       .chunks = 0,
       .needs = {kWholeGroups},
       .orders = pairedOneForwardOneBackward},
      {.name = "breadth_first",
       .doc = "all micro-batches through one virtual stage after the other (arXiv 2211.05953)",
       .parameters = {kChunks},
       .chunks = 0,
       .orders = breadthFirst},
      {.name = "zero_bubble",
       .doc = "ZB-1p, ZB-2p: backward split, the order that suits the times of the stages (arXiv 2401.10241)",
       .parameters = {kInFlight},
       .waitsForAll = false,
       .needs = {kThatMany},
       .orders = schedules::zeroBubble,
       .order = "ZB-H1",
       .others = zeroBubbleOthers()},
      {.name = "zb_h1",
       .doc = "ZB-H1: backward split, memory of 1F1B (arXiv 2401.10241)",
       .waitsForAll = false,
       .orders = zeroBubbleH1},
      {.name = "zb_h2",
       .doc = "ZB-H2: backward split, 2p - 1 micro-batches in flight (arXiv 2401.10241)",
       .waitsForAll = false,
       .orders = zeroBubbleH2,
       .order = "ZB-H2",
       .others = zeroBubbleH2Others()},
      {.name = "zb_v",
       .doc = "ZB-V: backward split, two virtual stages per device, there and back (arXiv 2401.10241)",
       .chunks = 2,
       .waitsForAll = false,
       .device = foldedDevice,
       .orders = zeroBubbleV},
      {.name = "dualpipe",
       .doc = "two directions at once, forward beside backward (arXiv 2412.19437)",
       .routes = 2,
       .device = mirroredDevice,
       .needs = {kEvenStages, kEvenMicroBatches, kBothLanesFull},
       .orders = dualPipe},
      {.name = "dualpipe_v",
       .doc = "DualPipe cut in half: two virtual stages per device, there and back (github.com/deepseek-ai/DualPipe)",
       .chunks = 2,
       .device = foldedDevice,
       .needs = {kBothLanesFull},
       .orders = dualPipeV},
  };
  return kinds;
}

} // namespace planc::passes
