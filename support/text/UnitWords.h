// Units as people write them elsewhere: what each word means here, and which units a quantity may be written in.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Quantity.h"

#include <string>
#include <string_view>
#include <vector>

namespace planc {

/// The unit of a literal as it is written, `GB/s` of `450GB/s`; empty if there is none.
std::string_view writtenUnit(std::string_view literal);
/// A way out for `number` behind which `written` stands, which is no unit: `did you mean `989TFLOP/s`?` for
/// `989TFLOPS`. What is offered counts the same thing: bits stay bits. Empty if the words mean nothing known.
std::string unitMeant(std::string_view number, std::string_view written);
/// The literals that it offers, the likeliest first; none where it has more to say.
std::vector<std::string> literalsMeant(std::string_view number, std::string_view written);
/// The same for a unit that stands apart from its number, `sec`: the unit if it has exactly one meaning, or empty.
std::string knownUnit(std::string_view written);
/// The units that a quantity may be written in, smallest first: `` one of `B/s`, `kB/s`, … ``. Empty for a plain
/// number and for what no unit of the table gives.
std::string unitsFor(const Unit& unit);

} // namespace planc
