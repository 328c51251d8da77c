// Compares the priced plans of the two sides of a difference.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/diff/DiffSide.h"
#include "driver/diff/Gates.h"
#include "report/diff/DiffReport.h"

#include <vector>

namespace planc::driver {

/// Pairs the plans, attributes each difference to its cause, and judges it by the gates; worst first. The result refers
/// to data of both sides.
report::DiffReport compared(const DiffSide& before, const DiffSide& after, const std::vector<Gate>& gates);

} // namespace planc::driver
