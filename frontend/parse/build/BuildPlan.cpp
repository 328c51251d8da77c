// Builds plans.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/parse/build/TreeBuilder.h"

namespace planc::parse {

using namespace syntax;

PlanDecl TreeBuilder::planDecl(Rule::PlanDeclContext* node) {
  Children at(node);
  at.accept(Type::PLAN);
  PlanDecl out;
  out.name = name(at.rule<Rule::NameContext>());
  if (auto* list = at.rule<Rule::ParamsContext>()) out.params = params(list);
  at.rule<Rule::DeprecationContext>();
  if (at.accept(Type::EXTENDS)) out.extends = expr(at.rule<Rule::ExprContext>());
  while (auto* item = at.next<Rule::PlanItemContext>()) out.items.push_back(planItem(item));
  return out;
}

CompareDecl TreeBuilder::compareDecl(Rule::CompareDeclContext* node) {
  Children at(node);
  at.accept(Type::COMPARE);
  CompareDecl out{name(at.rule<Rule::NameContext>()), {}};
  while (auto* item = at.next<Rule::CompareRowContext>()) {
    Children row(item);
    const Name label = name(row.rule<Rule::NameContext>());
    row.accept(Type::ASSIGN);
    out.rows.push_back({label, expr(row.rule<Rule::ExprContext>())});
  }
  return out;
}

PlanItem TreeBuilder::planItem(Rule::PlanItemContext* node) {
  Children at(node);
  bool override = at.accept(Type::OVERRIDE);
  if (auto* statement = at.rule<Rule::AssertStmtContext>()) return {override, range(node), assertStmt(statement)};
  if (auto* statement = at.rule<Rule::AllowStmtContext>()) return {override, range(node), allowStmt(statement)};
  PlanItem out{override, range(node), planFact(at.rule<Rule::PlanFactContext>())};
  if (auto* fact = std::get_if<Fact>(&out.item)) fact->override_ = override;
  if (auto* section = std::get_if<Section>(&out.item)) section->override_ = override;
  return out;
}

decltype(PlanItem::item) TreeBuilder::planFact(Rule::PlanFactContext* node) {
  Children at(node);
  if (auto* item = at.rule<Rule::PlainFactContext>()) return fact(Children(item), range(item));
  if (auto* item = at.rule<Rule::MeshBlockContext>()) return meshBlock(item);
  if (auto* item = at.rule<Rule::PlaceBlockContext>()) return placeBlock(item);
  if (auto* item = at.rule<Rule::StatesBlockContext>()) return statesBlock(item);
  if (auto* item = at.rule<Rule::PipelineBlockContext>()) return pipelineBlock(item);
  if (auto* item = at.rule<Rule::KeepStmtContext>()) return keepStmt(item);
  if (auto* item = at.rule<Rule::SearchBlockContext>()) return searchBlock(item);
  if (auto* item = at.rule<Rule::MeasuredContext>()) return measured(item);
  if (auto* item = at.rule<Rule::LocalLetContext>()) return letDecl(item);
  if (auto* item = at.rule<Rule::RecomputeStmtContext>()) {
    Children parts(item);
    parts.accept(Type::RECOMPUTE);
    RecomputeStmt out{selectors(parts), std::nullopt, range(item)};
    if (auto* facts = parts.rule<Rule::SectionContext>()) out.facts = section(facts);
    return out;
  }
  Name key = name(at.rule<Rule::PlainNameContext>());
  Section out = section(at.rule<Rule::SectionContext>());
  out.name = key;
  out.range = range(node);
  return out;
}

MeshBlock TreeBuilder::meshBlock(Rule::MeshBlockContext* node) {
  MeshBlock out;
  Children at(node);
  at.accept(Type::MESH);
  out.whole = at.accept(Type::ASSIGN);
  while (auto* item = at.next<Rule::AxisContext>()) out.axes.push_back(axis(item));
  return out;
}

AxisItem TreeBuilder::axis(Rule::AxisContext* node) {
  Children at(node);
  AxisItem out;
  out.range = range(node);
  out.name = name(at.rule<Rule::NameContext>());
  at.accept(Type::ASSIGN);
  out.value = expr(at.rule<Rule::ExprContext>());
  if (at.accept(Type::WITHIN)) out.where = AxisItem::Where::Within;
  if (at.accept(Type::ACROSS)) out.where = AxisItem::Where::Across;
  if (out.where != AxisItem::Where::Anywhere) out.level = name(at.rule<Rule::NameContext>());
  if (at.accept(Type::INSIDE)) out.beside = AxisItem::Beside::Inside;
  if (at.accept(Type::OUTSIDE)) out.beside = AxisItem::Beside::Outside;
  if (out.beside != AxisItem::Beside::Unstated) out.neighbour = name(at.rule<Rule::NameContext>());
  return out;
}

PlaceBlock TreeBuilder::placeBlock(Rule::PlaceBlockContext* node) {
  Children at(node);
  PlaceBlock out;
  out.range = range(node);
  at.accept(Type::PLACE);
  out.whole = at.accept(Type::ASSIGN);
  out.selectors = selectors(at);
  Children items(at.rule<Rule::PlaceBodyContext>());
  while (auto* item = items.next<Rule::PlaceItemContext>()) out.items.push_back(placeItem(item));
  return out;
}

PlaceItem TreeBuilder::placeItem(Rule::PlaceItemContext* node) {
  Children at(node);
  if (auto* dims = at.rule<Rule::NamesContext>()) {
    PlaceRule rule;
    rule.range = range(node);
    rule.dims = names(dims);
    at.accept(Type::ARROW);
    Children targets(at.rule<Rule::TargetContext>());
    while (auto* target = targets.next<Rule::PathContext>()) rule.targets.push_back(path(target));
    if (at.accept(Type::VIA)) rule.via = name(at.rule<Rule::NameContext>());
    rule.uneven = at.accept(Type::UNEVEN);
    rule.contiguous = at.accept(Type::CONTIGUOUS);
    rule.optional = at.accept(Type::OPTIONAL);
    if (auto* facts = at.rule<Rule::SectionContext>()) rule.facts = section(facts);
    return {std::move(rule)};
  }
  PlaceBlock block;
  block.range = range(node);
  block.selectors = selectors(at);
  Children items(at.rule<Rule::PlaceBodyContext>());
  while (auto* item = items.next<Rule::PlaceItemContext>()) block.items.emplace_back(placeItem(item));
  return {&out_.places.emplace_back(std::move(block))};
}

StatesBlock TreeBuilder::statesBlock(Rule::StatesBlockContext* node) {
  Children at(node);
  StatesBlock out;
  out.block.range = range(node);
  at.accept(Type::STATES);
  out.block.whole = at.accept(Type::ASSIGN);
  out.block.selectors = selectors(at);
  while (auto* item = at.next<Rule::PlaceItemContext>()) out.block.items.emplace_back(placeItem(item));
  return out;
}

PipelineBlock TreeBuilder::pipelineBlock(Rule::PipelineBlockContext* node) {
  Children at(node);
  PipelineBlock out;
  at.accept(Type::PIPELINE);
  while (!at.atEnd()) {
    if (auto* axis = at.rule<Rule::PathContext>()) {
      out.axes.push_back(path(axis));
      continue;
    }
    auto* item = at.rule<Rule::PipeItemContext>();
    if (!item) {
      if (!at.token()) at.rule<Rule::SepContext>();
      continue;
    }
    Children parts(item);
    if (auto* setting = parts.rule<Rule::FactContext>()) {
      out.items.emplace_back(fact(setting));
      continue;
    }
    parts.accept(Type::STAGE);
    const Expr* index = expr(parts.rule<Rule::ExprContext>());
    parts.accept(Type::ASSIGN);
    out.items.emplace_back(StageItem{index, selectors(parts), range(item)});
  }
  return out;
}

SearchBlock TreeBuilder::searchBlock(Rule::SearchBlockContext* node) {
  SearchBlock out;
  for (Children at(node); auto* item = at.next<Rule::SearchItemContext>();) searchItem(item, out.items);
  return out;
}

void TreeBuilder::searchItem(Rule::SearchItemContext* node, std::vector<SearchItem>& out) {
  Children at(node);
  if (auto* setting = at.rule<Rule::FactContext>()) {
    out.emplace_back(fact(setting));
    return;
  }
  size_t keyword = at.token()->getType();
  if (keyword == Type::VARY) {
    while (auto* one = at.next<Rule::VariationContext>()) variation(one, out);
    return;
  }
  if (keyword == Type::FILL) {
    out.emplace_back(FillItem{path(at.next<Rule::PathContext>())});
    return;
  }
  const Expr* value = expr(at.rule<Rule::ExprContext>());
  if (keyword == Type::WHERE)
    out.emplace_back(WhereItem{value, reason(at.rule<Rule::ReasonContext>())});
  else
    out.emplace_back(GoalItem{keyword == Type::MAXIMIZE, value});
}

std::vector<SearchItem> TreeBuilder::line(antlr4::ParserRuleContext* node, bool maximize) {
  std::vector<SearchItem> out;
  Children at(node);
  if (auto* setting = at.rule<Rule::FactContext>()) {
    out.emplace_back(fact(setting));
  } else if (auto* subject = at.rule<Rule::VariedContext>()) {
    VaryItem rule = varied(subject);
    rule.values = expr(at.rule<Rule::ExprContext>());
    out.emplace_back(std::move(rule));
  } else if (auto* filled = at.rule<Rule::PathContext>()) {
    out.emplace_back(FillItem{path(filled)});
  } else if (auto* written = at.rule<Rule::ExprContext>()) {
    const Expr* value = expr(written);
    if (node->getRuleIndex() == Rule::RuleWhereLine)
      out.emplace_back(WhereItem{value, reason(at.rule<Rule::ReasonContext>())});
    else
      out.emplace_back(GoalItem{maximize, value});
  } else {
    while (auto* one = at.next<Rule::VariationContext>()) variation(one, out);
  }
  return out;
}

/// One `vary`: a path with its list of values, and the paths that vary with it.
void TreeBuilder::variation(Rule::VariationContext* node, std::vector<SearchItem>& out) {
  bool with = false;
  for (Children at(node); auto* path = at.next<Rule::VariedContext>(); with = true) {
    VaryItem item = varied(path);
    item.values = expr(at.next<Rule::ExprContext>());
    item.with = with;
    out.emplace_back(std::move(item));
  }
}

VaryItem TreeBuilder::varied(Rule::VariedContext* node) {
  Children at(node);
  VaryItem out;
  out.path = selector(at.rule<Rule::SelectorContext>());
  out.placement = at.accept(Type::ARROW);
  return out;
}

KeepStmt TreeBuilder::keepStmt(Rule::KeepStmtContext* node) {
  Children at(node);
  at.accept(Type::KEEP);
  KeepStmt out{selectors(at), std::nullopt};
  if (at.accept(Type::ASSIGN)) out.side = name(at.rule<Rule::NameContext>());
  return out;
}

MeasuredStmt TreeBuilder::measured(Rule::MeasuredContext* node) {
  Children at(node);
  at.accept(Type::MEASURED);
  MeasuredStmt out;
  out.metric = expr(at.rule<Rule::ExprContext>());
  at.accept(Type::ASSIGN);
  out.value = expr(at.rule<Rule::ExprContext>());
  if (at.accept(Type::WITHIN)) out.tolerance = expr(at.rule<Rule::ExprContext>());
  out.reason = reason(at.rule<Rule::ReasonContext>());
  return out;
}

/// `S, S, …`; may be empty.
std::vector<Selector> TreeBuilder::selectors(Children& at) {
  std::vector<Selector> out;
  while (auto* item = at.rule<Rule::SelectorContext>()) {
    out.push_back(selector(item));
    at.accept(Type::COMMA);
  }
  return out;
}

Selector TreeBuilder::selector(Rule::SelectorContext* node) {
  Selector out;
  out.range = range(node);
  for (Children at(node); auto* step = at.next<Rule::SelStepContext>();) out.steps.push_back(selStep(step));
  return out;
}

SelectorStep TreeBuilder::selStep(Rule::SelStepContext* node) {
  Children at(node);
  SelectorStep out;
  out.range = range(node);
  out.star = at.accept(Type::STAR);
  if (auto* key = at.rule<Rule::NameContext>()) out.name = name(key);
  if (!at.accept(Type::LS)) return out;
  out.hasIndex = true;
  out.begin = expr(at.rule<Rule::ExprContext>());
  if (!at.accept(Type::COLON)) return out;
  out.slice = true;
  out.end = expr(at.rule<Rule::ExprContext>());
  if (at.accept(Type::COLON)) out.step = expr(at.rule<Rule::ExprContext>());
  return out;
}

} // namespace planc::parse
