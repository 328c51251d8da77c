// Builds declarations: imports, constants, enums, records, clusters; parameters and types.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/parse/build/TreeBuilder.h"

namespace planc::parse {

using namespace syntax;

void TreeBuilder::declaration(Rule::DeclarationContext* node, size_t firstToken) {
  Children at(Children(node).rule<Rule::DeclContext>());
  Decl& out = out_.decls.emplace_back();
  out.range = range(node->decl());
  out.doc = docAbove(firstToken);
  out.exported = at.accept(Type::EXPORT);
  out.deprecated = deprecation(node->decl());
  if (auto* imports = at.rule<Rule::ImportDeclContext>())
    out.item = importDecl(imports);
  else if (auto* let = at.rule<Rule::LetDeclContext>())
    out.item = letDecl(let);
  else if (auto* enums = at.rule<Rule::EnumDeclContext>())
    out.item = enumDecl(enums);
  else if (auto* op = at.rule<Rule::OpDeclContext>())
    out.item = opDecl(op);
  else if (auto* block = at.rule<Rule::BlockDeclContext>())
    out.item = blockDecl(block);
  else if (auto* model = at.rule<Rule::ModelDeclContext>())
    out.item = modelDecl(model);
  else if (auto* device = at.rule<Rule::DeviceDeclContext>())
    out.item = deviceDecl(device);
  else if (auto* cluster = at.rule<Rule::ClusterDeclContext>())
    out.item = clusterDecl(cluster);
  else if (auto* plan = at.rule<Rule::PlanDeclContext>())
    out.item = planDecl(plan);
  else if (auto* compare = at.rule<Rule::CompareDeclContext>())
    out.item = compareDecl(compare);
  else if (auto* policy = at.rule<Rule::PolicyDeclContext>())
    out.item = policyDecl(policy);
  else if (auto* test = at.rule<Rule::TestDeclContext>())
    out.item = testDecl(test);
  else if (auto* allow = at.rule<Rule::AllowStmtContext>())
    out.item = allowStmt(allow);
  else
    out.item = assertStmt(at.rule<Rule::AssertStmtContext>());
}

/// The `///` lines directly above the declaration. If a blank line follows them, they belong to the file.
std::string TreeBuilder::docAbove(size_t firstToken) const {
  const std::vector<Lexeme>& tokens = lexed_.tokens;
  size_t top = firstToken;
  while (top >= 2 && tokens[top - 1].type == Type::NL && tokens[top - 2].type == Type::DOC_COMMENT &&
         lexed_.firstOnLine(tokens[top - 2]))
    top -= 2;
  std::string out;
  for (; top < firstToken; top += 2) {
    std::string_view line = lexed_.textOf(tokens[top]).substr(3);
    if (line.starts_with(' ')) line.remove_prefix(1);
    out.append(out.empty() ? "" : "\n").append(line);
  }
  return out;
}

/// `deprecated "…"` of a declaration; the functions below skip it.
std::optional<Reason> TreeBuilder::deprecation(Rule::DeclContext* node) {
  auto* found = Children(node->children.back()).next<Rule::DeprecationContext>();
  if (!found) return std::nullopt;
  auto* string = static_cast<const PlanToken*>(found->stop);
  return Reason{unescape(text(string)), range(string)};
}

ImportDecl TreeBuilder::importDecl(Rule::ImportDeclContext* node) {
  Children at(node);
  at.accept(Type::IMPORT);
  ImportDecl out;
  if (auto* dotted = at.rule<Rule::PathContext>()) {
    out.path = path(dotted);
  } else {
    const PlanToken* file = at.token();
    out.file = unescape(text(file));
    out.path.range = range(file);
  }
  if (at.accept(Type::AS)) out.as = name(at.rule<Rule::NameContext>());
  return out;
}

/// For the rules `letDecl` and `localLet`; the latter has no `deprecated`.
LetDecl TreeBuilder::letDecl(antlr4::ParserRuleContext* node) {
  Children at(node);
  LetDecl out;
  out.range = range(node);
  at.accept(Type::LET);
  out.name = name(at.rule<Rule::NameContext>());
  if (auto* list = at.rule<Rule::ParamsContext>()) out.params = params(list);
  at.rule<Rule::DeprecationContext>();
  if (at.accept(Type::COLON)) out.type = type(at.rule<Rule::TypeContext>());
  at.accept(Type::ASSIGN);
  out.value = expr(at.rule<Rule::ExprContext>());
  return out;
}

EnumDecl TreeBuilder::enumDecl(Rule::EnumDeclContext* node) {
  Children at(node);
  at.accept(Type::ENUM);
  EnumDecl out{name(at.rule<Rule::NameContext>()), {}};
  while (auto* member = at.next<Rule::NameContext>()) out.members.push_back(name(member));
  return out;
}

RecordDecl TreeBuilder::deviceDecl(Rule::DeviceDeclContext* node) {
  Children at(node);
  RecordDecl out;
  size_t keyword = at.token()->getType();
  out.kind = keyword == Type::DEVICE   ? RecordKind::Device
             : keyword == Type::FABRIC ? RecordKind::Fabric
                                       : RecordKind::Stack;
  out.name = name(at.rule<Rule::NameContext>());
  if (auto* list = at.rule<Rule::ParamsContext>()) out.params = params(list);
  at.rule<Rule::DeprecationContext>();
  if (at.accept(Type::EXTENDS)) out.extends = path(at.rule<Rule::PathContext>());
  out.section = section(at.rule<Rule::SectionContext>());
  return out;
}

ClusterDecl TreeBuilder::clusterDecl(Rule::ClusterDeclContext* node) {
  Children at(node);
  at.accept(Type::CLUSTER);
  ClusterDecl out;
  out.name = name(at.rule<Rule::NameContext>());
  if (auto* list = at.rule<Rule::ParamsContext>()) out.params = params(list);
  at.rule<Rule::DeprecationContext>();
  if (at.accept(Type::EXTENDS)) out.extends = expr(at.rule<Rule::ExprContext>());
  while (auto* item = at.next<Rule::ClusterItemContext>()) out.items.push_back(clusterItem(item));
  return out;
}

ClusterItem TreeBuilder::clusterItem(Rule::ClusterItemContext* node) {
  Children at(node);
  const bool override = at.accept(Type::OVERRIDE);
  if (at.accept(Type::LEVEL)) {
    LevelItem out;
    out.override_ = override;
    out.range = range(node);
    out.name = name(at.rule<Rule::NameContext>());
    out.count = expr(at.next<Rule::ExprContext>());
    if (auto* facts = at.rule<Rule::SectionContext>()) out.section = section(facts);
    return out;
  }
  if (at.accept(Type::REQUIRE)) return require(at, range(node));
  if (auto* let = at.rule<Rule::LocalLetContext>()) return letDecl(let);
  if (auto* item = at.rule<Rule::FactContext>()) {
    Fact out = fact(item);
    out.override_ = override;
    return out;
  }
  Name key = name(at.rule<Rule::NameContext>());
  Section out = section(at.rule<Rule::SectionContext>());
  out.override_ = override;
  out.name = key;
  out.range = range(node);
  return out;
}

AssertStmt TreeBuilder::assertStmt(Rule::AssertStmtContext* node) {
  Children at(node);
  at.accept(Type::ASSERT);
  const Expr* condition = expr(at.rule<Rule::ExprContext>());
  return {condition, reason(at.rule<Rule::ReasonContext>())};
}

/// The part after `require`.
Require TreeBuilder::require(Children at, SourceRange range) {
  Require out;
  out.range = range;
  out.condition = expr(at.rule<Rule::ExprContext>());
  out.reason = reason(at.rule<Rule::ReasonContext>());
  return out;
}

Section TreeBuilder::section(Rule::SectionContext* node) {
  Section out;
  out.range = range(node);
  for (Children at(node); auto* item = at.next<Rule::SectionItemContext>();) out.items.push_back(sectionItem(item));
  return out;
}

SectionItem TreeBuilder::sectionItem(Rule::SectionItemContext* node) {
  Children at(node);
  if (at.accept(Type::REQUIRE)) return require(at, range(node));
  bool override = at.accept(Type::OVERRIDE);
  if (auto* item = at.rule<Rule::FactContext>()) {
    Fact out = fact(item);
    out.override_ = override;
    return out;
  }
  if (at.accept(Type::AT)) {
    std::vector<Selector> layers = selectors(at);
    Section out = section(at.rule<Rule::SectionContext>());
    out.override_ = override;
    out.range = range(node);
    std::string text;
    for (const Selector& s : layers) text += (text.empty() ? "at " : ", ") + s.str();
    out.name = {Symbol(text), out.range};
    if (!layers.empty()) out.name.range = layers.front().range;
    out.at = std::move(layers);
    return out;
  }
  Name key = name(at.rule<Rule::NameContext>());
  Section out = section(at.rule<Rule::SectionContext>());
  out.override_ = override;
  out.name = key;
  out.range = range(node);
  return out;
}

std::vector<Parameter> TreeBuilder::params(Rule::ParamsContext* node) {
  std::vector<Parameter> out;
  for (Children at(node); auto* item = at.next<Rule::ParameterContext>();) out.push_back(parameter(item));
  return out;
}

Parameter TreeBuilder::parameter(Rule::ParameterContext* node) {
  Children at(node);
  Parameter out;
  out.range = range(node);
  out.name = name(at.rule<Rule::NameContext>());
  if (at.accept(Type::COLON)) out.type = type(at.rule<Rule::TypeContext>());
  if (at.accept(Type::ASSIGN)) out.defaultValue = expr(at.rule<Rule::ExprContext>());
  if (at.accept(Type::WHERE)) out.where = expr(at.rule<Rule::ExprContext>());
  return out;
}

syntax::Type TreeBuilder::type(Rule::TypeContext* node) {
  Children at(node);
  if (auto* tensor = at.rule<Rule::TensorTypeContext>()) return tensorType(tensor);
  syntax::Type out;
  out.range = range(node);
  out.path = path(at.rule<Rule::PathContext>());
  while (auto* argument = at.next<Rule::TypeContext>()) out.args.push_back(type(argument));
  return out;
}

syntax::Type TreeBuilder::tensorType(Rule::TensorTypeContext* node) {
  Children at(node);
  syntax::Type out;
  out.tensor = true;
  out.range = range(node);
  at.accept(Type::LS);
  while (auto* item = at.rule<Rule::DimContext>()) {
    Children parts(item);
    DimRef dim;
    dim.range = range(item);
    dim.rest = parts.accept(Type::DOTDOT);
    if (auto* key = parts.rule<Rule::NameContext>()) dim.name = name(key);
    if (parts.accept(Type::ASSIGN)) dim.value = expr(parts.rule<Rule::ExprContext>());
    out.dims.push_back(std::move(dim));
    at.accept(Type::COMMA);
  }
  at.accept(Type::RS);
  if (auto* dtype = at.rule<Rule::NameContext>()) out.dtype = name(dtype);
  return out;
}

} // namespace planc::parse
