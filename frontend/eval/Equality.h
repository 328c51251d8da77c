// Deep equality of values, within the bound on work.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/eval/Context.h"

#include <optional>

namespace planc::frontend {

/// Are two values equal all the way down? Values of different kinds differ, numbers by their amount. Every value looked
/// at is a step of `context`, charged at `at`: lists share their items, so a few lines write a value that is looked at
/// 2^40 times. Nothing, once reported, when the steps are used up.
std::optional<bool> equal(Context& context, SourceRange at, const Value& a, const Value& b);

} // namespace planc::frontend
