// Low-rank adapters as a rewrite of the model: beside x·W stand x·A and (x·A)·B, added to it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/eval/Context.h"
#include "ir/plan/Plan.h"

namespace planc::frontend {

/// Adds an adapter to every contraction with a parameter that a target reaches, and freezes all parameters that were
/// there before. The sum keeps the name of the product (`decoder.attn.q`); below it stand `base`, `low`, `high`,
/// `lora_a` and `lora_b`. Their dimensions are those of the product and `lora_rank`, so the plan's rules place them.
/// False after errors: a target reaches no contraction, or is a slice.
bool addAdapters(ir::Model& model, const ir::Adapters& adapters, Context& context);

} // namespace planc::frontend
