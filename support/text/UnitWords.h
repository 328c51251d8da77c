// Units as people write them elsewhere: their meaning here, and the units that a quantity may be written in.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Quantity.h"

#include <string>
#include <string_view>
#include <vector>

namespace planc {

/// The unit part of a literal, as written: `GB/s` of `450GB/s`; empty if it has none.
std::string_view writtenUnit(std::string_view literal);
/// A suggestion for `number` followed by `written`, which is not a unit: `did you mean `989TFLOP/s`?` for `989TFLOPS`.
/// Suggested units count the same thing: bits stay bits. Empty if `written` has no likely meaning.
std::string unitMeant(std::string_view number, std::string_view written);
/// The literals that `unitMeant` suggests, likeliest first; empty if its text explains more than a literal.
std::vector<std::string> literalsMeant(std::string_view number, std::string_view written);
/// The unit meant by a word that stands apart from its number, such as `sec`; empty unless it has exactly one meaning.
std::string knownUnit(std::string_view written);
/// The units that a quantity may be written in, smallest first: `` one of `B/s`, `kB/s`, … ``. Empty for a plain number
/// and for a unit that no table entry expresses.
std::string unitsFor(const Unit& unit);

} // namespace planc
