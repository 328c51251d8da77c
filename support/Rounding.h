// The relative tolerance below which two amounts are equal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace planc {

/// Amounts (bytes, seconds, FLOPs) whose difference is a smaller share of the larger amount are equal: the same sum,
/// added in another order. A smaller change by a statement counts as no change, and a plan that is better by less does
/// not count as better (docs/language.md, section 11).
inline constexpr double kRounding = 1e-9;

} // namespace planc
