// Reads words, and paths of the model, which are no names of the plan.
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

std::optional<syntax::Selector> selectorOf(const Expr& e) {
  syntax::Selector s;
  s.range = e.range;
  const Expr* at = &e;
  const Expr* sliced = nullptr;
  for (;;) {
    if (at->kind == ExprKind::Index && !sliced) {
      sliced = at;
      at = at->kids[0];
      continue;
    }
    if (at->kind != ExprKind::Member && at->kind != ExprKind::Name) return std::nullopt;
    syntax::SelectorStep step;
    step.name = at->name;
    step.range = at->range;
    if (sliced) {
      step.hasIndex = true;
      step.slice = sliced->kids.size() > 2;
      step.begin = sliced->kids[1];
      step.end = sliced->kids.size() > 2 ? sliced->kids[2] : nullptr;
      step.step = sliced->kids.size() > 3 ? sliced->kids[3] : nullptr;
      sliced = nullptr;
    }
    s.steps.insert(s.steps.begin(), std::move(step));
    if (at->kind == ExprKind::Name) return s;
    at = at->kids[0];
  }
}

std::optional<syntax::Section> sectionOf(const Expr& call) {
  syntax::Section section;
  section.range = call.range;
  for (const syntax::Arg& arg : call.args) {
    if (!arg.name) return std::nullopt;
    syntax::Fact fact;
    fact.name = *arg.name;
    fact.value = arg.value;
    fact.range = SourceRange::cover(arg.name->range, arg.value->range);
    section.items.emplace_back(std::move(fact));
  }
  return section;
}

std::span<const Expr* const> itemsOf(const Expr* const& e) {
  return e->kind == ExprKind::List ? std::span<const Expr* const>(e->kids) : std::span<const Expr* const>(&e, 1);
}

} // namespace planc::frontend
