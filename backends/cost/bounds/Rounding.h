// The factor that keeps lower bounds below the simulated time despite rounding.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace planc::cost {

/// The factor of every lower bound. Bounds add numbers in another order than the simulation, so they round differently.
inline constexpr double kRoundedDown = 1 - 1e-9;

} // namespace planc::cost
