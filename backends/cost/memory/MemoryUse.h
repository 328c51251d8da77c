// What every device stage holds at its fullest moment, by kind.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/facts/Facts.h"
#include "backends/cost/memory/Memory.h"
#include "ir/program/Task.h"

#include <vector>

namespace planc::cost {

class KnownParts;

/// `actions`: per device stage, in order. `lines`: with what lives at the fullest moment of each stage, line by line.
/// `known`: what layers hold that other schedules share.
Memory accountMemory(const ir::Schedule& schedule, const ir::Orders& actions, Facts& facts, bool lines = true,
                     KnownParts* known = nullptr);

} // namespace planc::cost
