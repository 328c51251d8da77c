// Deep equality of values, within the limit on work.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/eval/Context.h"

#include <optional>

namespace planc::frontend {

/// Whether two values are deeply equal. Values of different kinds differ, except that numbers compare by amount. Every
/// compared value costs one step of `context`, charged at `at`: lists share items, so that a few lines can produce a
/// value with 2^40 items. Returns nullopt, after a report, when the steps are used up.
std::optional<bool> equal(Context& context, SourceRange at, const Value& a, const Value& b);

} // namespace planc::frontend
