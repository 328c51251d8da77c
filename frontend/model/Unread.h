// What a model declares and nobody reads.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/eval/Context.h"
#include "ir/model/Model.h"

namespace planc::frontend {

/// Reports parameters that no operator reads, which is an error (PLAN0461): they would be counted and never lie on a
/// device; and warns of layers behind which nothing comes, where the model has a loss (PLAN0462). False after errors.
bool checkRead(const ir::Model& model, Context& context);

} // namespace planc::frontend
