// The plans that the search benchmarks price: every way to run a model on its devices that they know.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/plan/PlanEdit.h"

#include <vector>

namespace planc::bench {

/// Changes of `bench/search.plan`, GPT-3 175B on 512 devices: tensor parallelism over 1 to 8, a pipeline over the
/// divisors of 96 layers that leave whole replicas, micro-batches of 1 to 16, chunks of 1 to 6 that divide the layers
/// of a stage, recomputation of nothing, attention or all, sequence parallelism, ZeRO-0 and ZeRO-1. Those that differ
/// in schedule and states alone follow each other.
std::vector<ir::PlanEdit> searchEdits();

/// Changes of `bench/experts.plan`, DeepSeek-V3 on 2048 devices: tensor parallelism over 1 to 8, pipelines of 4 to 32,
/// experts over 8 to 256 devices, micro-batches of 1 to 4, chunks of 1 to 4, recomputation of nothing, the norms or all
/// layers, ZeRO-0, ZeRO-1 and ZeRO-3. In the same order.
std::vector<ir::PlanEdit> expertEdits();

} // namespace planc::bench
