// The orders of the schedule table, one file per family; each gives the actions of every device stage.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/Task.h"

namespace planc::passes::schedules {

inline ir::Action act(ir::ActionKind kind, int64_t virtualStage, int64_t microBatch, bool paired = false) {
  return {kind, paired, static_cast<uint16_t>(virtualStage), static_cast<uint32_t>(microBatch)};
}
/// The orders of all stages from the order of one.
template <class Order> ir::Orders eachStage(const ir::ScheduleShape& shape, Order order) {
  ir::Orders all;
  for (int64_t stage = 0; stage < shape.stages; ++stage) all.push_back(order(stage));
  return all;
}

// One pass after another, backward whole.
ir::Orders gpipe(const ir::ScheduleShape& shape);
ir::Orders oneForwardOneBackward(const ir::ScheduleShape& shape);
ir::Orders interleaved(const ir::ScheduleShape& shape);
ir::Orders pairedOneForwardOneBackward(const ir::ScheduleShape& shape);
ir::Orders breadthFirst(const ir::ScheduleShape& shape);

/// 1F1B with at most `inFlight` micro-batches on a stage.
ir::Orders limitedOneForwardOneBackward(const ir::ScheduleShape& shape, int64_t inFlight);

// Split backward; the limit of micro-batches in flight is p, 2p - 1, or the first argument.
ir::Orders zeroBubbleH1(const ir::ScheduleShape& shape);
ir::Orders zeroBubbleH2(const ir::ScheduleShape& shape);
ir::Orders zeroBubble(const ir::ScheduleShape& shape);
// Beside those the schedules that they start from, and greedy ones for the times of the passes.
std::vector<ir::NamedOrder> zeroBubbleH2Others();
std::vector<ir::NamedOrder> zeroBubbleOthers();

// A device holds one stage from the front and its mirror from the back.
int64_t foldedDevice(const ir::ScheduleShape& shape, int64_t route, int64_t virtualStage);
ir::Orders zeroBubbleV(const ir::ScheduleShape& shape);
ir::Orders dualPipeV(const ir::ScheduleShape& shape);

// Two routes in opposite directions.
int64_t mirroredDevice(const ir::ScheduleShape& shape, int64_t route, int64_t virtualStage);
ir::Orders dualPipe(const ir::ScheduleShape& shape);

} // namespace planc::passes::schedules
