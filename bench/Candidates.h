// The plans that the search benchmarks price: many ways to run a model on its devices.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/plan/PlanEdit.h"

#include <vector>

namespace planc::bench {

/// Returns changes of `bench/search.plan`, GPT-3 175B on 512 devices: tensor parallelism of 1 to 8, pipelines over the
/// divisors of 96 layers that leave whole replicas, micro-batches of 1 to 16, 1 to 6 chunks that divide the layers of a
/// stage, recomputation of nothing, attention or everything, sequence parallelism, ZeRO-0 and ZeRO-1. Plans that differ
/// only in schedule and states follow each other.
std::vector<ir::PlanEdit> searchEdits();

/// Returns changes of `bench/experts.plan`, DeepSeek-V3 on 2048 devices: tensor parallelism of 1 to 8, pipelines of 4
/// to 32, experts over 8 to 256 devices, micro-batches of 1 to 4, 1 to 4 chunks, recomputation of nothing, the norms or
/// all layers, ZeRO-0, ZeRO-1 and ZeRO-3. Plans that differ only in schedule and states follow each other.
std::vector<ir::PlanEdit> expertEdits();

} // namespace planc::bench
