// The plans that the search benchmark prices: every way to run GPT-3 175B on 512 devices that it knows.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/PlanEdit.h"

#include <vector>

namespace planc::bench {

/// Changes of `bench/search.plan`: tensor parallelism over 1 to 8, a pipeline over the divisors of 96 layers that leave
/// whole replicas, micro-batches of 1 to 16, chunks of 1 to 6 that divide the layers of a stage, recomputation of
/// nothing, attention or all, sequence parallelism, ZeRO-0 and ZeRO-1. Those that differ in schedule and states alone
/// follow each other.
std::vector<ir::PlanEdit> searchEdits();

} // namespace planc::bench
