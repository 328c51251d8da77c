// How values and their types are called in messages.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/values/Value.h"

#include <string>

namespace planc::frontend {

/// `an int`, `a time`, `a list`, `model `x``: the type, for messages.
std::string describe(const Value& v);
/// The value itself: `3`, `1.30 ms`, `"text"`, `flash`.
std::string show(const Value& v);

} // namespace planc::frontend
