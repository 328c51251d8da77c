// Writes values as text that reads back to the same value.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/values/Value.h"

#include <string>

namespace planc::frontend {

/// The shortest text of a float that reads back to the same value.
std::string floatText(double value);
/// A quantity in the most readable unit that represents it exactly; empty if no unit does.
std::string quantityText(double value, const Unit& unit);
/// The text of a number, quantity, word, string, curve, or list or record of these; empty for other values.
std::string literalText(const Value& value);

} // namespace planc::frontend
