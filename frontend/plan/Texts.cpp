// Builds the names of a plan, its model, its cluster and its software for reports.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/plan/Texts.h"

#include <fmt/format.h>

namespace planc::frontend {

namespace {

/// `(nodes = 8)`: arguments by name with their values. If `where` is valid, only the arguments written in it.
std::string argumentsText(const BoundDecl& decl, SourceRange where) {
  std::string text;
  for (const BoundArg& arg : decl.args) {
    const bool here = !where.valid() ||
                      (arg.range.file == where.file && arg.range.begin >= where.begin && arg.range.end <= where.end);
    if (here) text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", arg.name.view(), show(arg.value));
  }
  return text.empty() ? "" : "(" + text + ")";
}

/// The plan's arguments, with the values that edits set.
BoundDecl asPriced(BoundDecl chosen, const std::deque<BoundDecl>& edited) {
  for (const BoundDecl& decl : edited)
    if (decl.decl == chosen.decl)
      for (BoundArg& arg : chosen.args)
        for (const BoundArg& now : decl.args)
          if (now.name == arg.name) arg.value = now.value;
  return chosen;
}

} // namespace

std::string titleOf(const BoundDecl& decl, const PlanEdits& edits) {
  return decl.decl->name.str() + argumentsText(asPriced(decl, edits.decls), {});
}

std::vector<std::pair<Symbol, std::string>> argumentsOf(Evaluator& ev, MergedPlan& merged) {
  std::vector<std::pair<Symbol, std::string>> out;
  const ChainLink& own = merged.chain.back();
  for (const ParamInfo& parameter : ev.params(own.decl))
    if (const NameTable::Entry* bound = own.scope.names.find(parameter.name()))
      out.emplace_back(parameter.name(), show(bound->value));
  return out;
}

std::string written(Elaboration& elab, MergedPlan& merged, std::string_view fact) {
  FactNode* node = merged.fact(fact);
  if (!node || node->section()) return "";
  const syntax::Expr* name = node->value;
  if (name->kind == syntax::ExprKind::Call) name = name->kids[0];
  const Value value = merged.facts.value(*node);
  if (value.kind != ValueKind::Decl) return std::string(elab.context.text(node->value->range));
  // If the fact holds a parameter of the plan or an `if`, print the declaration that it evaluates to.
  const Symbol own = value.decl->decl->name;
  const bool stated =
      (name->kind == syntax::ExprKind::Name || name->kind == syntax::ExprKind::Member) && name->name.text == own;
  return (stated ? std::string(elab.context.text(name->range)) : own.str()) +
         argumentsText(*value.decl, node->edited ? SourceRange{} : node->value->range);
}

} // namespace planc::frontend
