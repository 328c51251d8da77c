// Memory from the order of passes alone, for schedules whose order is fixed.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/bounds/KnownMemory.h"

#include "backends/cost/memory/MemoryUse.h"

namespace planc::cost {

std::optional<Memory> memoryWithoutTimes(const ir::Schedule& schedule, KnownPrices& known) {
  const ir::Plan& plan = *schedule.program->plan;
  if (!plan.stack || !plan.cluster || schedule.kind->makeOthers) return std::nullopt;
  Facts facts(*plan.cluster, *plan.stack);
  known.prepare(schedule);
  ir::Orders actions = known.pipelines().ordersOf(schedule.kind->orders, schedule.shape());
  if (actions.empty()) return std::nullopt;
  if (!plan.workload.hasBackward()) actions = actions.forwardOnly();
  return accountMemory(schedule, actions, facts, false, &known.parts());
}

} // namespace planc::cost
