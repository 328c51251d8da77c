// What became of the priced plans of one side of a difference on the other.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/diff/DiffSide.h"
#include "driver/diff/Gates.h"
#include "report/diff/DiffReport.h"

#include <vector>

namespace planc::driver {

/// Pairs the plans, tells whose change each difference is, and holds it against the gates; worst first. Refers to the
/// results of both sides.
report::DiffReport compared(const Side& before, const Side& after, const std::vector<Gate>& gates);

} // namespace planc::driver
