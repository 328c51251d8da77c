// What floors are rounded by.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace planc::cost {

/// For all sums that a floor takes in another order than the simulation takes them.
inline constexpr double kRoundedDown = 1 - 1e-9;

} // namespace planc::cost
