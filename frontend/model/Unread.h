// Finds parameters and layers of a model that nothing reads.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/eval/Context.h"
#include "ir/model/Model.h"

namespace planc::frontend {

/// Reports each parameter that no operator reads (PLAN0461, an error): it would be counted, but no device would hold
/// it. Warns of layers whose result nothing reads if the model has a loss (PLAN0462). Returns false after errors.
bool checkRead(const ir::Model& model, Context& context);

} // namespace planc::frontend
