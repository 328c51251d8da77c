// Follows names in expressions through the scopes of a plan to facts, constants and axes.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/plan/Reading.h"

#include <algorithm>

namespace planc::frontend {
using syntax::Expr;
using syntax::ExprKind;

namespace {

/// The names of `a.b.c`, first name first; empty for any other expression.
std::vector<Symbol> chainOfNames(const Expr& e) {
  std::vector<Symbol> names;
  const Expr* at = &e;
  for (; at->kind == ExprKind::Member; at = at->kids[0]) names.push_back(at->name.text);
  if (at->kind != ExprKind::Name) return {};
  names.push_back(at->name.text);
  std::reverse(names.begin(), names.end());
  return names;
}

} // namespace

bool samePlace(std::string_view a, std::string_view b) {
  const auto below = [](std::string_view outer, std::string_view inner) {
    return inner.starts_with(outer) && (inner.size() == outer.size() || inner[outer.size()] == '.');
  };
  return below(a, b) || below(b, a);
}

bool Reading::add(const std::string& path) {
  return paths_.insert(path).second && !stops_(path);
}

void Reading::walk(const Expr& e, Scope& scope) {
  left_.emplace_back(&e, &scope);
  while (!left_.empty()) {
    const Place place = left_.back();
    left_.pop_back();
    const Expr& at = *place.first;
    if (const std::vector<Symbol> chain = chainOfNames(at); !chain.empty()) {
      name(chain, *place.second);
      continue;
    }
    for (const Expr* kid : at.kids)
      if (kid) left_.emplace_back(kid, place.second);
    for (const syntax::Arg& arg : at.args) left_.emplace_back(arg.value, place.second);
    for (const syntax::Fact& fact : at.facts) left_.emplace_back(fact.value, place.second);
  }
}

void Reading::name(const std::vector<Symbol>& chain, Scope& scope) {
  for (Scope* s = &scope; s; s = s->parent) {
    if (s->names.find(chain[0])) return parameter(chain[0], *s);
    if (s->space && s->space->has(chain[0])) return ofPlan(chain);
  }
}

/// Follows the argument of a parameter, from the plan that extends its plan, and its default. An argument without a
/// name may belong to any parameter.
void Reading::parameter(Symbol name, const Scope& scope) {
  if (!add(name.str())) return;
  for (size_t i = 0; i < merged_.chain.size(); ++i) {
    const ChainLink& link = merged_.chain[i];
    if (&link.scope != &scope) continue;
    for (const syntax::Parameter& p : *link.decl.as<syntax::PlanDecl>().params)
      if (p.name.text == name && p.defaultValue) left_.emplace_back(p.defaultValue, &merged_.chain[i].scope);
    if (i + 1 == merged_.chain.size()) return;
    ChainLink& heir = merged_.chain[i + 1];
    const Expr* base = heir.decl.as<syntax::PlanDecl>().extends;
    if (!base) return;
    if (base->kind != ExprKind::Call) left_.emplace_back(base, &heir.scope);
    for (const syntax::Arg& arg : base->args)
      if (!arg.name || arg.name->text == name) left_.emplace_back(arg.value, &heir.scope);
    return;
  }
}

void Reading::ofPlan(const std::vector<Symbol>& chain) {
  if (FactNode* let = merged_.lets.root().find(chain[0])) {
    if (add(chain[0].str()) && let->value) left_.emplace_back(let->value, let->scope);
    return;
  }
  FactNode* node = merged_.facts.root().find(chain[0]);
  if (!node) {
    if (chain.size() > 1) ofMesh(chain[1]);
    return;
  }
  std::string path = chain[0].str();
  size_t at = 1;
  for (; at < chain.size() && node->section(); ++at) {
    node = node->find(chain[at]);
    if (!node) return;
    path += "." + chain[at].str();
  }
  for (; at < chain.size(); ++at) path += "." + chain[at].str();
  below(*node, path);
}

void Reading::below(FactNode& node, const std::string& path) {
  if (!add(path)) return;
  if (!node.section()) left_.emplace_back(node.value, node.scope);
  for (FactNode& child : node.children) below(child, path + "." + child.name.str());
}

void Reading::ofMesh(Symbol axis) {
  if (!add("mesh." + axis.str())) return;
  for (const Symbol part : axesOf(merged_.mesh, axis)) {
    const AxisDraft& draft = *merged_.mesh.find(part);
    if (part == axis || add("mesh." + part.str())) left_.emplace_back(draft.syntax->value, draft.scope);
  }
}

} // namespace planc::frontend
