// Settles `stages = balanced`: prices the layers, cuts them, and prices the cuts that may be best as whole plans.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/Plan.h"

#include <vector>

namespace planc::driver {

/// The stage lines for which the device with the most work has the least, of the cuts that fit in the memory. Empty
/// where the plan cannot be priced, or cannot be lowered whatever its cut: whoever lowers it says why.
std::vector<ir::StageLine> balancedStages(const ir::Plan& plan);

} // namespace planc::driver
