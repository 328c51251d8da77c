// Memory of a plan whose times are not known yet.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/memory/Memory.h"
#include "backends/cost/simulate/KnownPrices.h"
#include "ir/program/Task.h"

#include <optional>

namespace planc::cost {

/// What the devices hold, bit for bit as the estimate of the schedule says; nothing where that depends on times: some
/// schedules choose between orders by them.
std::optional<Memory> memoryWithoutTimes(const ir::Schedule& schedule, KnownPrices& known);

} // namespace planc::cost
