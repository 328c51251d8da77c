// The values of both sides of a failed condition, for the notes of `require` and of `assert` outside of plans.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/eval/Evaluator.h"

#include <string>
#include <vector>

namespace planc::frontend {

/// `` `hidden % heads` is 32 `` for each side of a comparison that is not a literal. Empty for other conditions.
std::vector<std::string> sidesOf(Evaluator& evaluator, const syntax::Expr& condition, Scope& scope);

} // namespace planc::frontend
