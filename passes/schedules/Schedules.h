// The pipeline schedules: a function for the orders of each, one file per family, and the table of the words with their
// requirements on stages and micro-batches.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Task.h"
#include "ir/vocabulary/Schedules.h"

namespace planc::passes::schedules {

inline ir::Action act(ir::ActionKind kind, int64_t virtualStage, int64_t microBatch, bool paired = false) {
  return {kind, paired, static_cast<uint16_t>(virtualStage), static_cast<uint32_t>(microBatch)};
}
/// Returns the orders of all stages. `write(orders, stage)` adds the order of one stage.
template <class Write> ir::Orders eachStage(const ir::ScheduleShape& shape, Write write) {
  ir::Orders all;
  for (int64_t stage = 0; stage < shape.stages; ++stage) {
    all.addStage();
    write(all, stage);
  }
  return all;
}

// One pass after another; backward is not split.
ir::Orders gpipe(const ir::ScheduleShape& shape);
ir::Orders oneForwardOneBackward(const ir::ScheduleShape& shape);
ir::Orders interleaved(const ir::ScheduleShape& shape);
ir::Orders pairedOneForwardOneBackward(const ir::ScheduleShape& shape);
ir::Orders breadthFirst(const ir::ScheduleShape& shape);

/// Returns the 1F1B orders with at most `inFlight` micro-batches on a stage.
ir::Orders limitedOneForwardOneBackward(const ir::ScheduleShape& shape, int64_t inFlight);

// Split backward. The limit of micro-batches in flight is p, 2p - 1, or the first argument.
ir::Orders zeroBubbleH1(const ir::ScheduleShape& shape);
ir::Orders zeroBubbleH2(const ir::ScheduleShape& shape);
ir::Orders zeroBubble(const ir::ScheduleShape& shape);
// Alternative orders: the schedules that these start from, and greedy orders for the times of the passes.
std::vector<ir::NamedOrder> zeroBubbleH2Others();
std::vector<ir::NamedOrder> zeroBubbleOthers();

// A device holds one stage from the front and its mirror from the back.
int64_t foldedDevice(const ir::ScheduleShape& shape, int64_t route, int64_t virtualStage);
ir::Orders zeroBubbleV(const ir::ScheduleShape& shape);
ir::Orders dualPipeV(const ir::ScheduleShape& shape);

// Two routes in opposite directions.
int64_t mirroredDevice(const ir::ScheduleShape& shape, int64_t route, int64_t virtualStage);
ir::Orders dualPipe(const ir::ScheduleShape& shape);

using Shape = ir::ScheduleShape;

inline constexpr ir::ScheduleNeed kWholeGroups[] = {
    {[](const Shape& s) { return s.chunks == 1 || s.microBatches % s.stages == 0; },
     "micro-batches in whole groups of {p}",
     "choose a `global_batch` that gives a multiple of {p} micro-batches, or `one_f_one_b`"}};
inline constexpr ir::ScheduleNeed kBothLanesFull[] = {{[](const Shape& s) { return s.microBatches >= 2 * s.stages; },
                                                       "at least two micro-batches per stage, {p} stages here",
                                                       "choose a larger `global_batch` or a smaller `micro_batch`"}};
inline constexpr ir::ScheduleNeed kMirrored[] = {{[](const Shape& s) { return s.stages % 2 == 0; },
                                                  "an even number of stages, which mirror each other; there are {p}",
                                                  "give the pipeline axis an even size, or use `dualpipe_v`"},
                                                 {[](const Shape& s) { return s.microBatches % 2 == 0; },
                                                  "an even number of micro-batches, half of them for each direction",
                                                  "choose a `global_batch` that gives an even number of micro-batches"},
                                                 kBothLanesFull[0]};
inline constexpr ir::ScheduleNeed kThatMany[] = {
    {[](const Shape& s) { return s.arguments.empty() || s.arguments[0] <= s.microBatches; },
     "`in_flight` to be at most the micro-batches of a step, {m} here",
     "choose an `in_flight` of at most {m}, or remove it: the default is the number of stages"}};

constexpr const ir::Word* word(std::string_view name) {
  return ir::wordOf(ir::kScheduleWords, name);
}
inline constexpr ir::ScheduleKind kKinds[] = {
    {.word = word("one_f_one_b"), .orders = oneForwardOneBackward},
    {.word = word("gpipe"), .orders = gpipe},
    {.word = word("interleaved_1f1b"), .chunks = 0, .needs = kWholeGroups, .orders = interleaved},
    {.word = word("paired_1f1b"),
     .chunks = 0,
     .pairs = true,
     .needs = kWholeGroups,
     .orders = pairedOneForwardOneBackward},
    {.word = word("breadth_first"), .chunks = 0, .orders = breadthFirst},
    {.word = word("zero_bubble"),
     .splits = true,
     .waitsForAll = false,
     .needs = kThatMany,
     .orders = zeroBubble,
     .order = "ZB-H1",
     .makeOthers = zeroBubbleOthers},
    {.word = word("zb_h1"), .splits = true, .waitsForAll = false, .orders = zeroBubbleH1},
    {.word = word("zb_h2"),
     .splits = true,
     .waitsForAll = false,
     .orders = zeroBubbleH2,
     .order = "ZB-H2",
     .makeOthers = zeroBubbleH2Others},
    {.word = word("zb_v"),
     .chunks = 2,
     .splits = true,
     .waitsForAll = false,
     .device = foldedDevice,
     .orders = zeroBubbleV},
    {.word = word("dualpipe"),
     .routes = 2,
     .pairs = true,
     .splits = true,
     .device = mirroredDevice,
     .needs = kMirrored,
     .orders = dualPipe},
    {.word = word("dualpipe_v"),
     .chunks = 2,
     .pairs = true,
     .splits = true,
     .device = foldedDevice,
     .needs = kBothLanesFull,
     .orders = dualPipeV},
};
static_assert(ir::complete(ir::kScheduleWords, kKinds),
              "every word of ir/vocabulary/Schedules.h has one row here, and every row its word");

} // namespace planc::passes::schedules
