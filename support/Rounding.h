// From which share on two amounts differ.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace planc {

/// Amounts (bytes, seconds, FLOPs) that differ by a smaller share of the larger one are equal: the same sum, added up
/// in another order. What a statement changes by less it does not change, and of plans that differ by less none is
/// better (docs/language.md, section 11).
inline constexpr double kRounding = 1e-9;

} // namespace planc
