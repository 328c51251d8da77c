// Reads the text of a plan for exports to other systems: its recipe, its model, its statements.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "api/Compilation.h"
#include "import/backwards/Backwards.h"

namespace planc::driver {

/// The words of a plan that was lowered: its recipe, its model and its statements as written, and what planc decided.
/// A plan that extends none has an empty recipe; a model that is no call has its name alone.
foreign::PlanWords wordsOf(const api::Compilation& plan, const SourceManager& sources);

} // namespace planc::driver
