// Turns values of choices that need no new elaboration into changes of a plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/plan/SearchLines.h"

#include <memory>

namespace planc::frontend {

/// Adds to `edit` the change that a value of a `vary` line makes. `merged`: the plan with the value. `scope`: the scope
/// of the search's names in that plan.
void addToEdit(Elaboration& elab, MergedPlan& merged, const VariedLine& line, const syntax::Expr& value, Scope& scope,
               ir::PlanEdit& edit);

/// Checks that the model has the layers and dimensions that rules and checkpoints name. Sets `elab.ok` to false after a
/// report.
void checkLayers(Elaboration& elab, const MergedPlan& merged, PathTree& paths,
                 const std::shared_ptr<const ir::Model>& model, ir::PlanEdit& edit);

} // namespace planc::frontend
