// Rewrites a model with low-rank adapters: adds (x·A)·B to x·W.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/eval/Context.h"
#include "ir/plan/Plan.h"

namespace planc::frontend {

/// Adds an adapter to every contraction with a parameter that a target selects, and freezes all parameters that existed
/// before. The sum keeps the name of the product (`decoder.attn.q`); the new operators and parameters are named `base`,
/// `low`, `high`, `lora_a` and `lora_b` below it. Their dimensions are those of the product and `lora_rank`, so the
/// plan's rules place them. Returns false after errors: a target selects no contraction, or has a slice.
bool addAdapters(ir::Model& model, const ir::Adapters& adapters, Context& context);

} // namespace planc::frontend
