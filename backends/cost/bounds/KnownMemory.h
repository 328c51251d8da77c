// Memory of a plan that has not been simulated.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/memory/Memory.h"
#include "backends/cost/simulate/KnownPrices.h"
#include "ir/program/Task.h"

#include <optional>

namespace planc::cost {

/// Returns the memory of the devices, bit-identical to the memory in the estimate of the schedule. Returns nothing if
/// the memory depends on simulated times, because the schedule chooses between several orders by time.
std::optional<Memory> memoryWithoutTimes(const ir::Schedule& schedule, KnownPrices& known);

} // namespace planc::cost
