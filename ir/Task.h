// Level `task`: tasks on the compute stream and one comm stream per level of each stage, the order of each stage's work, symbolic micro-batches.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/Program.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace planc::ir {

/// The compute stream is -1; comm streams are numbered by cluster level.
using Stream = int;
inline constexpr Stream kComputeStream = -1;

/// A share of a node's time on one stream.
struct Task {
  Stream stream = kComputeStream;
  NodeIndex node = 0;         ///< in the body's list of the segment's phase
  double fraction = 1;        ///< of the node's time
  std::vector<uint32_t> deps; ///< tasks of the same segment
};

/// The work of one instance of a body in one direction. State collectives of the direction are issued `prefetch` instances ahead.
struct Segment {
  BodyId body;
  bool backward = false;
  std::vector<Task> tasks; ///< program order
};

/// What a stage does next: forward, backward, or (split backward) input and weight gradients of one micro-batch of one chunk.
enum class ActionKind : uint8_t { Forward, Backward, BackwardInput, BackwardWeight };
struct Action {
  ActionKind kind = ActionKind::Forward;
  uint16_t chunk = 0;
  uint32_t microBatch = 0;
};

/// A row of the schedule table (passes/schedules): p stages, v chunks, m micro-batches.
struct ScheduleKind {
  std::string_view name;
  bool takesChunks = false;
  bool splitsBackward = false;
  std::string_view doc;
  std::vector<Action> (*actions)(int64_t p, int64_t v, int64_t m, int64_t stage) = nullptr;
};

struct Schedule {
  const Program* program = nullptr;
  const ScheduleKind* kind = nullptr;
  std::vector<Segment> forward, backward; ///< by body
  /// Inline share by class, after `overlap`; prefetch, slowdown.
  std::array<double, kCollectiveClasses> inlineShare{};
  int64_t prefetch = 1;
  double slowdown = 0;
  double bucketBytes = 0; ///< 0: one bucket per instance
  /// Actions of a device stage, in order.
  std::vector<Action> actions(int64_t stage) const {
    return kind->actions(program->stages, program->chunks, program->microBatches, stage);
  }
};

/// Segments with their tasks, then the order of each stage's work; micro-batch numbers near the end are written from `m`.
std::string print(const Schedule& schedule);
/// Acyclic; one stream per task; every receive has its send.
std::vector<std::string> verify(const Schedule& schedule);

} // namespace planc::ir
