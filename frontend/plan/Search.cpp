// The `search` block of a plan: what it asks of its candidates, and the space that they lie in.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/plan/Conditions.h"
#include "frontend/plan/Reading.h"
#include "frontend/plan/SearchLines.h"
#include "frontend/plan/SearchSpace.h"
#include "frontend/plan/Steps.h"
#include "ir/Space.h"

#include <algorithm>

namespace planc::frontend {

namespace {

/// What a tree's expressions read of the plan beside the facts that stay open in it.
void readsBeside(const syntax::Expr& e, const ir::ExprTree& tree, Scope& scope, Reading& reading) {
  const bool open = std::any_of(tree.nodes.begin(), tree.nodes.end(), [&](const ir::ExprNode& node) {
    return node.op == ir::ExprOp::Fact && node.range == e.range;
  });
  if (open) return;
  const bool inner =
      e.kind == syntax::ExprKind::Unary || e.kind == syntax::ExprKind::Binary || e.kind == syntax::ExprKind::If;
  if (!inner) return reading.walk(e, scope);
  for (const syntax::Expr* kid : e.kids) readsBeside(*kid, tree, scope, reading);
}

} // namespace

void search(Elaboration& elab, MergedPlan& merged, PathTree* paths) {
  const SearchRequest& request = merged.edits.search;
  if (!merged.search && !request.words && !request.out) return;
  Scope& scope = merged.search ? *merged.search->scope : merged.chain.back().scope;
  const SearchLines lines = searchLines(elab, merged, scope);
  auto terms = std::make_shared<ir::SearchTerms>();
  Reading reading(merged, [](const std::string&) { return false; });
  for (const syntax::WhereItem* item : lines.conditions)
    if (auto tree = searchTree(elab, merged, paths, *item->condition, scope)) {
      readsBeside(*item->condition, *tree, scope, reading);
      terms->conditions.push_back({std::move(*tree), item->reason ? item->reason->text : "", item->condition->range});
    }
  for (const syntax::GoalItem* item : lines.goals)
    if (auto tree = searchTree(elab, merged, paths, *item->value, scope)) {
      readsBeside(*item->value, *tree, scope, reading);
      terms->goals.push_back({std::move(*tree), item->maximize, item->value->range});
    }
  elab.plan.search = std::move(terms);
  if (elab.ok && !request.termsOnly && !elab.ev.checking)
    searchSpace(elab, merged, paths, scope, lines, reading.paths());
}

} // namespace planc::frontend
