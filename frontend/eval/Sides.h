// What the two sides of a condition that fails are: for the notes of `require` and of `assert` outside of plans.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/eval/Evaluator.h"

#include <string>
#include <vector>

namespace planc::frontend {

/// `` `hidden % heads` is 32 `` of each side of a comparison that is no literal. Empty for any other condition.
std::vector<std::string> sidesOf(Evaluator& evaluator, const syntax::Expr& condition, Scope& scope);

} // namespace planc::frontend
