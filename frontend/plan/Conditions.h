// Converts conditions and metrics to typed trees.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/model/Selectors.h"
#include "frontend/plan/Merged.h"

namespace planc::frontend {

/// The tree of a condition or a goal of a search. Paths of the plan that the search changes stay facts in the tree. The
/// expression can also use parameters of records that the plan names (`cluster.nodes`) and words (`recompute == none`).
std::optional<ir::ExprTree> searchTree(Elaboration& elab, MergedPlan& merged, PathTree* paths, const syntax::Expr& e,
                                       Scope& scope);

/// Reports a comparison with a value that is no number. `ofSearch`: mentions the other values that a search may
/// compare.
void reportConditionValue(Context& context, SourceRange at, std::string type, bool ofSearch);

/// The tree of a condition or a metric; nothing after a report. Paths of the plan become constants, other dotted names
/// are metrics. `paths`: the paths of the model, for metrics of a layer; null if there is no model.
std::optional<ir::ExprTree> conditionTree(Elaboration& elab, MergedPlan& merged, PathTree* paths, const syntax::Expr& e,
                                          Scope& scope);
/// The tree of a condition of a policy, which applies to plans of different shapes. A fact that not every plan has
/// stays a fact in the tree.
std::optional<ir::ExprTree> policyTree(Elaboration& elab, MergedPlan& merged, PathTree* paths, const syntax::Expr& e,
                                       Scope& scope);

} // namespace planc::frontend
