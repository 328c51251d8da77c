// The factor that keeps lower bounds below the simulated time despite rounding.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace planc::cost {

/// Multiplies every lower bound, because it adds numbers in another order than the simulation.
inline constexpr double kRoundedDown = 1 - 1e-9;

} // namespace planc::cost
