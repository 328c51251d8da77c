// The values of inner choices as changes of a plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/plan/SearchLines.h"

#include <memory>

namespace planc::frontend {

/// Adds what a value of a line sets. `merged`: the plan with the value, `scope`: of the search's names in it.
void addToEdit(Elaboration& elab, MergedPlan& merged, const VariedLine& line, const syntax::Expr& value, Scope& scope,
               ir::PlanEdit& edit);

/// Layers and dimensions that rules and checkpoints name are those of the model; `elab.ok` is false after a report.
void checkLayers(Elaboration& elab, const MergedPlan& merged, PathTree& paths,
                 const std::shared_ptr<const ir::Model>& model, ir::PlanEdit& edit);

} // namespace planc::frontend
