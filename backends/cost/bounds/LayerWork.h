// Lower bounds of the step time from the work of the layers alone, for any schedule.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Program.h"
#include "ir/program/Task.h"
#include "support/Memo.h"

#include <optional>

namespace planc::cost {

/// Seconds that one micro-batch keeps the compute streams busy: all layers, forward and backward.
struct LayerWork {
  double alone = 0;     ///< one instance after the other, with the communication that they wait for
  double computing = 0; ///< without communication; the bound for schedules that run two passes at once
};

/// Sums the prices of all layers of a schedule. Returns nullopt if a price is not in the memos of its machine.
std::optional<LayerWork> layerWork(const ir::Schedule& schedule, Memos& memos);

/// Returns a lower bound in seconds of the step of a plan with this work. The step takes at least as long as its
/// busiest stage, and that stage is at least as busy as the mean of all stages (docs/cost-model.md, section 3). Returns
/// 0 if the plan does not train or lacks a stack or a batch. `pairs`: the schedule runs two passes at once.
double stepFloor(const LayerWork& work, const ir::Plan& plan, bool pairs);

/// Returns a closer lower bound in seconds of the step of a schedule. A device computes everything that it holds, after
/// the first micro-batch reached it and before the last micro-batch returns. Returns 0 if the plan does not train, a
/// price is not in the memos of its machine, or the schedule has several routes.
double pipelineFloor(const ir::Schedule& schedule, Memos& memos);

} // namespace planc::cost
