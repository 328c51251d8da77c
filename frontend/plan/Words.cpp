// What is read as words and paths of the model, which no name of the plan stands for.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/plan/Words.h"

#include "frontend/model/Selectors.h"

namespace planc::frontend {
using syntax::Expr;
using syntax::ExprKind;

std::vector<ir::Selector> pathsOf(Elaboration& elab, const Expr* value) {
  std::vector<ir::Selector> made;
  auto add = [&](const Expr& e) {
    if (auto selector = parseSelector(elab.context, elab.context.text(e.range), e.range))
      made.push_back(std::move(*selector));
    else
      elab.ok = false;
  };
  if (!value || value->kind != ExprKind::List) {
    if (value) add(*value);
    return made;
  }
  for (const Expr* e : value->kids) add(*e);
  return made;
}

const Expr* chosenWord(Elaboration& elab, const Expr& e, Scope& scope) {
  if (e.kind != ExprKind::If) return &e;
  static const TypeInfo kBool{.kind = TypeInfo::Kind::Bool, .name = "bool"};
  const Value condition = elab.ev.coerce(elab.ev.evaluate(*e.kids[0], scope), kBool, "the condition of `if`");
  if (!condition.invalid()) return chosenWord(elab, *e.kids[condition.truth ? 1 : 2], scope);
  elab.ok = false;
  return nullptr;
}

} // namespace planc::frontend
