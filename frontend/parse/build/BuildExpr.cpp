// Builds names and expressions.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/parse/build/TreeBuilder.h"

namespace planc::parse {

using namespace syntax;

SourceRange TreeBuilder::range(const antlr4::ParserRuleContext* node) const {
  return {lexed_.id, static_cast<const PlanToken*>(node->start)->begin, static_cast<const PlanToken*>(node->stop)->end};
}

/// For the rules `name` and `plainName`; both are one token.
Name TreeBuilder::name(antlr4::ParserRuleContext* node) {
  auto* token = static_cast<const PlanToken*>(node->start);
  return {Symbol(text(token)), range(token)};
}

std::vector<Name> TreeBuilder::names(Rule::NamesContext* node) {
  std::vector<Name> out;
  for (Children at(node); auto* part = at.next<Rule::NameContext>();) out.push_back(name(part));
  return out;
}

DottedName TreeBuilder::path(Rule::PathContext* node) {
  DottedName out{{}, range(node)};
  for (Children at(node); auto* part = at.next<Rule::NameContext>();) out.parts.push_back(name(part));
  return out;
}

std::optional<Reason> TreeBuilder::reason(Rule::ReasonContext* node) {
  if (!node) return std::nullopt;
  auto* string = static_cast<const PlanToken*>(node->stop);
  return Reason{unescape(text(string)), range(string)};
}

/// For the rules `fact` and `plainFact`, which allow different names.
Fact TreeBuilder::fact(Children at, SourceRange range) {
  Fact out;
  out.range = range;
  auto* plain = at.rule<Rule::PlainNameContext>();
  out.name = plain ? name(plain) : name(at.rule<Rule::NameContext>());
  if (auto* arguments = at.rule<Rule::ArgsContext>()) out.args = args(arguments);
  while (at.accept(Type::DOT)) out.members.push_back(name(at.rule<Rule::NameContext>()));
  at.accept(Type::ASSIGN);
  out.value = expr(at.rule<Rule::ExprContext>());
  out.reason = reason(at.rule<Rule::ReasonContext>());
  return out;
}

Expr* TreeBuilder::newExpr(ExprKind kind, SourceRange range) {
  Expr& out = out_.exprs.emplace_back();
  out.kind = kind;
  out.range = range;
  return &out;
}

/// A chain such as `a + b + c` leans to the left and may have any length. It is walked down first, and built on the way
/// back.
const Expr* TreeBuilder::expr(Rule::ExprContext* node) {
  std::vector<Rule::ExprContext*> chain;
  auto left = [](Rule::ExprContext* n) { return Children(n).rule<Rule::ExprContext>(); };
  for (; left(node); node = left(node)) chain.push_back(node);

  const Expr* out = nullptr;
  Children leaf(node);
  if (auto* value = leaf.rule<Rule::PostfixContext>())
    out = postfix(value);
  else
    out = leaf.peek()->getType() == Type::IF ? conditional(node) : prefix(node);

  for (size_t i = chain.size(); i-- > 0;) {
    Children at(chain[i]);
    at.rule<Rule::ExprContext>();
    const PlanToken* op = at.token();
    Expr* binary = newExpr(ExprKind::Binary, range(chain[i]));
    binary->text = text(op);
    binary->opRange = range(op);
    binary->kids = {out, expr(at.rule<Rule::ExprContext>())};
    out = binary;
  }
  return out;
}

const Expr* TreeBuilder::prefix(Rule::ExprContext* node) {
  Children at(node);
  const PlanToken* op = at.token();
  Expr* out = newExpr(ExprKind::Unary, range(node));
  out->text = text(op);
  out->opRange = range(op);
  out->kids = {expr(at.rule<Rule::ExprContext>())};
  return out;
}

const Expr* TreeBuilder::conditional(Rule::ExprContext* node) {
  Expr* out = newExpr(ExprKind::If, range(node));
  for (Children at(node); auto* part = at.next<Rule::ExprContext>();) out->kids.push_back(expr(part));
  return out;
}

const Expr* TreeBuilder::postfix(Rule::PostfixContext* node) {
  Children at(node);
  const Expr* out = primary(at.rule<Rule::PrimaryContext>());
  uint32_t begin = static_cast<const PlanToken*>(node->start)->begin; // includes a `(` that has no node in the tree
  while (auto* part = at.rule<Rule::SuffixContext>()) out = suffix(part, out, begin);
  return out;
}

const Expr* TreeBuilder::suffix(Rule::SuffixContext* node, const Expr* base, uint32_t begin) {
  Children at(node);
  SourceRange whole{lexed_.id, begin, static_cast<const PlanToken*>(node->stop)->end};
  if (auto* arguments = at.rule<Rule::ArgsContext>()) {
    Expr* out = newExpr(ExprKind::Call, whole);
    out->kids = {base};
    out->args = args(arguments);
    return out;
  }
  bool member = at.accept(Type::DOT);
  Expr* out = newExpr(member ? ExprKind::Member : ExprKind::Index, whole);
  out->kids = {base};
  if (member) out->name = name(at.rule<Rule::NameContext>());
  while (auto* bound = at.next<Rule::ExprContext>()) out->kids.push_back(expr(bound));
  return out;
}

const Expr* TreeBuilder::primary(Rule::PrimaryContext* node) {
  Children at(node);
  if (auto* part = at.rule<Rule::NameContext>()) {
    Expr* out = newExpr(ExprKind::Name, range(part));
    out->name = name(part);
    return out;
  }
  if (auto* part = at.rule<Rule::RecordContext>()) {
    Expr* out = newExpr(ExprKind::Record, range(part));
    for (Children facts(part); auto* item = facts.next<Rule::FactContext>();) out->facts.push_back(fact(item));
    return out;
  }
  if (at.accept(Type::LP)) return expr(at.rule<Rule::ExprContext>());
  if (at.accept(Type::LS)) return list(at, range(node));
  return literal(at.token());
}

/// The part after `[`: elements, or a comprehension.
const Expr* TreeBuilder::list(Children at, SourceRange range) {
  Expr* out = newExpr(ExprKind::List, range);
  while (auto* element = at.next<Rule::ExprContext>()) {
    out->kids.push_back(expr(element));
    if (!at.accept(Type::FOR)) continue;
    out->kind = ExprKind::Comprehension;
    out->name = name(at.rule<Rule::NameContext>());
  }
  return out;
}

const Expr* TreeBuilder::literal(const PlanToken* token) {
  auto kind = [&] {
    switch (token->getType()) {
    case Type::INT:
      return ExprKind::Int;
    case Type::FLOAT:
      return ExprKind::Float;
    case Type::QUANTITY:
      return ExprKind::Quantity;
    case Type::STRING:
      return ExprKind::String;
    case Type::TRUE:
      return ExprKind::True;
    case Type::FALSE:
      return ExprKind::False;
    default:
      return ExprKind::None;
    }
  };
  Expr* out = newExpr(kind(), range(token));
  out->text = text(token);
  if (out->kind == ExprKind::String) out->string = unescape(out->text);
  return out;
}

std::vector<Arg> TreeBuilder::args(Rule::ArgsContext* node) {
  std::vector<Arg> out;
  for (Children list(node); auto* item = list.next<Rule::ArgContext>();) {
    Children at(item);
    Arg arg;
    if (auto* key = at.rule<Rule::NameContext>()) arg.name = name(key);
    at.accept(Type::ASSIGN);
    arg.value = expr(at.rule<Rule::ExprContext>());
    out.push_back(std::move(arg));
  }
  return out;
}

} // namespace planc::parse
