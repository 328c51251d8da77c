// The words for the order in which pipeline stages work: `schedule = interleaved_1f1b(chunks = 3)`. passes/schedules
// makes the orders.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/vocabulary/Vocabulary.h"

namespace planc::ir {

inline constexpr double kMostArgument = 0x1p62; // limit for arguments of schedules, which are whole numbers

inline constexpr Parameter kChunks[] = {
    {.name = "chunks", .doc = "virtual stages per device", .least = 1, .most = kMostArgument, .standard = 1}};
inline constexpr Parameter kInFlight[] = {{.name = "in_flight",
                                           .doc = "micro-batches in flight at most (default: the number of stages)",
                                           .least = 1,
                                           .most = kMostArgument}};

/// The first word is the schedule of a plan without a pipeline.
inline constexpr Word kScheduleWords[] = {
    {"one_f_one_b", "1F1B: one forward, one backward after the warm-up", "arXiv 2006.09503"},
    {"gpipe", "all forward passes, then all backward passes", "arXiv 1811.06965"},
    {"interleaved_1f1b", "1F1B over several virtual stages per device, depth-first", "arXiv 2104.04473", kChunks},
    {"paired_1f1b",
     "1F1B, interleaved if there are chunks, a forward together with the backward of another micro-batch",
     "Megatron Core, overlap_moe_expert_parallel_comm", kChunks},
    {"breadth_first", "all micro-batches through one virtual stage after the other", "arXiv 2211.05953", kChunks},
    {"zero_bubble", "ZB-1p, ZB-2p: backward split, with the fastest order for the times of the stages",
     "arXiv 2401.10241", kInFlight},
    {"zb_h1", "ZB-H1: backward split, memory of 1F1B", "arXiv 2401.10241"},
    {"zb_h2", "ZB-H2: backward split, 2p - 1 micro-batches in flight", "arXiv 2401.10241"},
    {"zb_v", "ZB-V: backward split, two virtual stages per device, there and back", "arXiv 2401.10241"},
    {"dualpipe", "two directions at once, forward together with backward", "arXiv 2412.19437"},
    {"dualpipe_v", "DualPipe cut in half: two virtual stages per device, there and back",
     "github.com/deepseek-ai/DualPipe"},
};

Vocabulary& scheduleWords();

} // namespace planc::ir
