// Memory of every device stage at its peak, by kind.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/facts/Facts.h"
#include "backends/cost/memory/MemoryTimeline.h"
#include "ir/program/Task.h"

#include <vector>

namespace planc::cost {

/// Returns the memory of all device stages. `actions`: order of actions per device stage. `lines`: also list the
/// contents at each peak. `observer` receives the memory over all actions; null: no observer.
Memory accountMemory(const ir::Schedule& schedule, const ir::Orders& actions, Facts& facts, bool lines = true,
                     MemoryObserver* observer = nullptr);

} // namespace planc::cost
