// Memory of every device stage at its peak, by kind.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/facts/Facts.h"
#include "backends/cost/memory/Memory.h"
#include "ir/program/Task.h"

#include <vector>

namespace planc::cost {

/// Returns the memory of all device stages. `actions`: order of actions per device stage. `lines`: also list the
/// contents at each peak.
Memory accountMemory(const ir::Schedule& schedule, const ir::Orders& actions, Facts& facts, bool lines = true);

} // namespace planc::cost
