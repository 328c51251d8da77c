// Conditions as typed trees.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/model/Selectors.h"
#include "frontend/plan/Merged.h"

namespace planc::frontend {

/// `train.micro_batch`, `infer.batch`: samples at once, or of one step.
bool isBatchPath(std::string_view path);
/// A condition or a goal of a search. Paths of the plan that a search changes, written as such, stay facts of the tree;
/// parameters of what the plan names (`cluster.nodes`) and words (`recompute == none`) can be asked for, too.
std::optional<ir::ExprTree> searchTree(Elaboration& elab, MergedPlan& merged, PathTree* paths, const syntax::Expr& e,
                                       Scope& scope);

/// No number is asked for. `ofSearch`: says what else a search may compare.
void reportConditionValue(Context& context, SourceRange at, std::string type, bool ofSearch);

/// A condition or a metric: paths of the plan become constants, other dotted names are metrics. `paths`: of the model,
/// for metrics of a layer; null if there is none. Nothing after a report.
std::optional<ir::ExprTree> conditionTree(Elaboration& elab, MergedPlan& merged, PathTree* paths, const syntax::Expr& e,
                                          Scope& scope);
/// A condition of a policy, which is asked of plans that do not know it: what only some of them have stays a fact of
/// the tree.
std::optional<ir::ExprTree> policyTree(Elaboration& elab, MergedPlan& merged, PathTree* paths, const syntax::Expr& e,
                                       Scope& scope);

} // namespace planc::frontend
