// Builds operators, blocks and models.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/parse/build/TreeBuilder.h"

#include <fmt/format.h>
#include <map>

namespace planc::parse {

using namespace syntax;

PLANC_ERROR(CarryWithoutWith, 15, "`{name}` is an argument of `{count}` here, not a value carried through the repeat")

OpDecl TreeBuilder::opDecl(Rule::OpDeclContext* node) {
  Children at(node);
  at.accept(Type::OP);
  OpDecl out;
  out.name = name(at.rule<Rule::NameContext>());
  out.params = params(at.rule<Rule::ParamsContext>());
  at.rule<Rule::DeprecationContext>();
  at.accept(Type::ARROW);
  out.result = type(at.rule<Rule::TypeContext>());
  if (auto* items = at.rule<Rule::OpBodyContext>())
    for (Children list(items); auto* item = list.next<Rule::OpItemContext>();) out.items.push_back(opItem(item));
  return out;
}

OpItem TreeBuilder::opItem(Rule::OpItemContext* node) {
  Children at(node);
  if (auto* d = at.rule<Rule::DimDeclContext>()) return dimDecl(d);
  if (auto* d = at.rule<Rule::LocalLetContext>()) return letDecl(d);
  if (auto* d = at.rule<Rule::FactContext>()) return fact(d);
  size_t keyword = at.token()->getType();
  if (keyword == Type::REQUIRE) return require(at, range(node));
  std::vector<Name> list;
  if (auto* part = at.rule<Rule::NamesContext>()) list = names(part);
  std::optional<Section> facts;
  if (auto* part = at.rule<Rule::SectionContext>()) facts = section(part);
  switch (keyword) {
  case Type::SAVE:
    return SaveItem{std::move(list)};
  case Type::REDUCE:
    return ReduceItem{std::move(list), std::move(facts), range(node)};
  case Type::BACKWARD:
    return BackwardItem{std::move(list), std::move(facts), range(node)};
  case Type::ALONG:
    return AlongItem{std::move(list)};
  case Type::CONTEST:
    return ContestItem{std::move(list)};
  default:
    return DetachItem{std::move(list)};
  }
}

DimDecl TreeBuilder::dimDecl(Rule::DimDeclContext* node) {
  Children at(node);
  at.accept(Type::DIM);
  DimDecl out;
  out.range = range(node);
  out.name = name(at.rule<Rule::NameContext>());
  out.value = expr(at.next<Rule::ExprContext>());
  return out;
}

BlockDecl TreeBuilder::blockDecl(Rule::BlockDeclContext* node) {
  Children at(node);
  at.accept(Type::BLOCK);
  BlockDecl out;
  out.name = name(at.rule<Rule::NameContext>());
  out.params = params(at.rule<Rule::ParamsContext>());
  at.rule<Rule::DeprecationContext>();
  if (at.accept(Type::ARROW)) out.result = type(at.rule<Rule::TypeContext>());
  out.body = body(at.rule<Rule::BodyContext>());
  return out;
}

ModelDecl TreeBuilder::modelDecl(Rule::ModelDeclContext* node) {
  Children at(node);
  at.accept(Type::MODEL);
  ModelDecl out;
  out.name = name(at.rule<Rule::NameContext>());
  if (auto* list = at.rule<Rule::ParamsContext>()) out.params = params(list);
  at.rule<Rule::DeprecationContext>();
  if (auto* items = at.rule<Rule::BodyContext>())
    out.body = body(items);
  else
    out.value = expr(at.next<Rule::ExprContext>());
  return out;
}

const Body* TreeBuilder::body(Rule::BodyContext* node) {
  Body& out = out_.bodies.emplace_back();
  out.range = range(node);
  for (Children at(node); auto* item = at.next<Rule::BodyItemContext>();) out.items.push_back(bodyItem(item));
  return &out;
}

BodyItem TreeBuilder::bodyItem(Rule::BodyItemContext* node) {
  SourceRange place = range(node);
  Children at(node);
  if (auto* d = at.rule<Rule::LocalLetContext>()) return {place, letDecl(d)};
  if (auto* d = at.rule<Rule::DimDeclContext>()) return {place, dimDecl(d)};
  if (auto* d = at.rule<Rule::RepeatContext>()) return {place, repeat(d)};
  const PlanToken* keyword = at.peek();
  if (!keyword) return {place, layerItem(at)};
  switch (keyword->getType()) {
  case Type::FROZEN:
  case Type::PARAM:
    return {place, paramItem(at)};
  default:
    break;
  }
  at.token();
  switch (keyword->getType()) {
  case Type::REQUIRE:
    return {place, require(at, place)};
  case Type::IF:
    return {place, ifItem(at)};
  case Type::OUT:
    return {place, OutItem{expr(at.rule<Rule::ExprContext>())}};
  default:
    break; // `in`
  }
  InItem input;
  input.name = name(at.rule<Rule::NameContext>());
  input.type = type(at.next<Rule::TypeContext>());
  if (at.accept(Type::COUNTS)) input.counts = names(at.rule<Rule::NamesContext>());
  return {place, std::move(input)};
}

ParamItem TreeBuilder::paramItem(Children at) {
  ParamItem out;
  out.frozen = at.accept(Type::FROZEN);
  at.accept(Type::PARAM);
  out.name = name(at.rule<Rule::NameContext>());
  out.type = type(at.next<Rule::TypeContext>());
  if (at.accept(Type::TIED)) out.tied = path(at.rule<Rule::PathContext>());
  return out;
}

LayerItem TreeBuilder::layerItem(Children at) {
  LayerItem out;
  out.name = name(at.rule<Rule::NameContext>());
  if (at.accept(Type::COLON)) out.type = type(at.rule<Rule::TypeContext>());
  out.value = expr(at.next<Rule::ExprContext>());
  return out;
}

/// The part after `if`.
IfItem TreeBuilder::ifItem(Children at) {
  IfItem out;
  out.condition = expr(at.rule<Rule::ExprContext>());
  out.then = body(at.rule<Rule::BodyContext>());
  if (at.accept(Type::ELSE)) out.otherwise = body(at.rule<Rule::BodyContext>());
  return out;
}

RepeatItem TreeBuilder::repeat(Rule::RepeatContext* node) {
  Children at(node);
  RepeatItem out;
  out.name = name(at.rule<Rule::NameContext>());
  at.accept(Type::STAR);
  out.count = expr(at.rule<Rule::ExprContext>());
  if (at.accept(Type::WITH)) {
    while (auto* item = at.rule<Rule::BindingContext>()) {
      Children parts(item);
      Name key = name(parts.rule<Rule::NameContext>());
      out.bindings.push_back({key, expr(parts.next<Rule::ExprContext>())});
      at.accept(Type::COMMA);
    }
  }
  auto* items = at.rule<Rule::BodyContext>();
  checkCarry(out, items);
  out.body = body(items);
  return out;
}

/// `decoder * layers (x = embed) { … x … }` parses as a call of `layers`, and the carry would be lost silently.
void TreeBuilder::checkCarry(const RepeatItem& repeat, Rule::BodyContext* body) {
  const Expr& count = *repeat.count;
  if (count.kind != ExprKind::Call || !repeat.bindings.empty()) return;
  std::map<std::string_view, const Arg*> arguments;
  for (const Arg& arg : count.args) {
    if (!arg.name) return;
    arguments.emplace(arg.name->text.view(), &arg);
  }
  for (size_t i = body->start->getTokenIndex(); i < body->stop->getTokenIndex(); ++i) {
    const Lexeme& use = lexed_.tokens[i];
    auto found = isName(use.type) ? arguments.find(lexed_.textOf(use)) : arguments.end();
    if (found == arguments.end()) continue;
    const Arg& arg = *found->second;
    std::string callee = str(*count.kids[0]), name = arg.name->text.str();
    reporter_.report(CarryWithoutWith, arg.name->range, {{"name", name}, {"count", callee}})
        .label(lexed_.range(use), "used here")
        .help(fmt::format("write `{} * {} with {} = {} {{`", repeat.name.text.str(), callee, name, str(*arg.value)));
    return;
  }
}

} // namespace planc::parse
