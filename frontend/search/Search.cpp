// The `search` block of a plan: what it asks of its candidates, and the space that they lie in.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/plan/Conditions.h"
#include "frontend/plan/Reading.h"
#include "frontend/plan/SearchLines.h"
#include "frontend/plan/Steps.h"
#include "frontend/search/SearchSpace.h"
#include "ir/plan/Space.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace planc::frontend {

PLANC_ERROR(SameGoal, 698, "the goal `{text}` is the same for every candidate")

namespace {

/// Whether a goal asks no metric, and nothing that a line changes.
bool isSameForAll(const SearchLines& lines, const syntax::Expr& e, const ir::ExprTree& tree, MergedPlan& merged,
                  Scope& scope) {
  Reading all(merged, [](const std::string&) { return false; });
  all.walk(e, scope);
  std::set<std::string> paths = all.paths();
  for (const ir::ExprNode& node : tree.nodes) {
    if (node.op == ir::ExprOp::Metric) return false;
    if (node.op == ir::ExprOp::Fact) paths.insert(node.metric.substr(0, node.metric.find(' ')));
  }
  const auto isRead = [&](const std::string& varied) {
    return std::any_of(paths.begin(), paths.end(), [&](const std::string& path) { return samePlace(path, varied); });
  };
  if (lines.fill && isRead("mesh." + lines.fill->str())) return false;
  for (const VariedGroup& group : lines.groups)
    for (const VariedLine& line : group.lines)
      if (isRead(line.path)) return false;
  return true;
}

/// Adds the facts of the plan that a tree's expressions read, without the facts that stay open in the tree.
void readsBeside(const syntax::Expr& e, const ir::ExprTree& tree, Scope& scope, Reading& reading) {
  const auto place = [](SourceRange range) { return std::tuple(range.file, range.begin, range.end); };
  std::set<decltype(place({}))> open;
  for (const ir::ExprNode& node : tree.nodes)
    if (node.op == ir::ExprOp::Fact) open.insert(place(node.range));
  for (std::vector<const syntax::Expr*> left{&e}; !left.empty();) {
    const syntax::Expr& at = *left.back();
    left.pop_back();
    if (open.contains(place(at.range))) continue;
    if (at.kind == syntax::ExprKind::Unary || at.kind == syntax::ExprKind::Binary || at.kind == syntax::ExprKind::If)
      left.insert(left.end(), at.kids.begin(), at.kids.end());
    else
      reading.walk(at, scope);
  }
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
  const bool searched = !lines.groups.empty() && !request.alone;
  for (const syntax::GoalItem* item : lines.goals)
    if (auto tree = searchTree(elab, merged, paths, *item->value, scope)) {
      if (elab.ok && searched && !request.termsOnly && isSameForAll(lines, *item->value, *tree, merged, scope)) {
        elab.context.report(SameGoal, item->value->range, {{"text", tree->text}})
            .help("a goal needs a metric, such as `step_time`, or a value that the search varies");
        elab.ok = false;
      }
      readsBeside(*item->value, *tree, scope, reading);
      terms->goals.push_back({std::move(*tree), item->maximize, item->value->range});
    }
  elab.plan.search = std::move(terms);
  if (elab.ok && !request.termsOnly && !elab.ev.checking)
    searchSpace(elab, merged, paths, scope, lines, reading.paths());
}

} // namespace planc::frontend
