// Values as text that reads back to the same.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/values/Value.h"

#include <string>

namespace planc::frontend {

/// A float as its shortest text that reads back to the same.
std::string floatText(double value);
/// A quantity in the unit that a person would choose, among those that say it exactly; empty if none does.
std::string quantityText(double value, const Unit& unit);
/// A number, a quantity, a word, a text, a curve, or a list or record of these; empty for all else.
std::string literalText(const Value& value);

} // namespace planc::frontend
