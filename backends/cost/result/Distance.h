// How far a plan lies from the published runs of its stack, and how much less sure that makes its step time
// (docs/cost-model.md, section 5).
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cost/facts/Facts.h"
#include "backends/cost/result/Estimate.h"
#include "ir/Program.h"

#include <vector>

namespace planc::cost {

/// One term for each way in which the stack's runs do not reach the plan: its architecture, its type of products, its
/// number of devices, its sequences. The whole step stands on each, on a type by its share of the products. A stack
/// that does not say what it ran on ran nowhere.
std::vector<RecordShare> distances(const ir::Program& program, const Facts& facts, const ir::Accuracy& accuracy);

/// Keys of the attention with the most of them; 0 without attention in one kernel.
double longestKeys(const ir::Program& program);

} // namespace planc::cost
