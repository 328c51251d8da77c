// Texts of values and their types for messages.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/values/Value.h"

#include <string>

namespace planc::frontend {

/// The type of a value: `an int`, `a time`, `a list`, `model `x``.
std::string describe(const Value& v);
/// The value itself: `3`, `1.30 ms`, `"text"`, `flash`.
std::string show(const Value& v);

} // namespace planc::frontend
