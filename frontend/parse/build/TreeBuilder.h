// Parse tree to syntax tree. Each grammar rule has a function of the same name.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/parse/Lex.h"
#include "frontend/parse/TokenTypes.h"
#include "frontend/parse/build/Children.h"

namespace planc::parse {

using Rule = grammar::PlanParser;

class TreeBuilder {
public:
  TreeBuilder(const LexedFile& lexed, SyntaxReporter& reporter, syntax::File& out)
      : lexed_(lexed), reporter_(reporter), out_(out) {}

  /// Appends a declaration that parsed without an error. `firstToken` is the index of its first token.
  void declaration(Rule::DeclarationContext* node, size_t firstToken);
  /// Builds the items of a command-line option. `node` is a node of any of the rules for lines.
  std::vector<syntax::SearchItem> line(antlr4::ParserRuleContext* node, bool maximize);

private:
  // Shared by all rules (BuildExpr.cpp).
  SourceRange range(const antlr4::ParserRuleContext* node) const;
  SourceRange range(const PlanToken* token) const { return {lexed_.id, token->begin, token->end}; }
  std::string_view text(const PlanToken* token) const {
    return lexed_.text.substr(token->begin, token->end - token->begin);
  }
  syntax::Name name(antlr4::ParserRuleContext* node);
  std::vector<syntax::Name> names(Rule::NamesContext* node);
  syntax::DottedName path(Rule::PathContext* node);
  std::optional<syntax::Reason> reason(Rule::ReasonContext* node);
  syntax::Fact fact(Rule::FactContext* node) { return fact(Children(node), range(node)); }
  syntax::Fact fact(Children at, SourceRange range);

  // Expressions (BuildExpr.cpp).
  const syntax::Expr* expr(Rule::ExprContext* node);
  syntax::Expr* newExpr(syntax::ExprKind kind, SourceRange range);
  const syntax::Expr* prefix(Rule::ExprContext* node);
  const syntax::Expr* conditional(Rule::ExprContext* node);
  const syntax::Expr* postfix(Rule::PostfixContext* node);
  const syntax::Expr* suffix(Rule::SuffixContext* node, const syntax::Expr* base, uint32_t begin);
  const syntax::Expr* primary(Rule::PrimaryContext* node);
  const syntax::Expr* literal(const PlanToken* token);
  const syntax::Expr* list(Children at, SourceRange range);
  std::vector<syntax::Arg> args(Rule::ArgsContext* node);

  // Declarations, types and records of facts (BuildDecl.cpp).
  syntax::ImportDecl importDecl(Rule::ImportDeclContext* node);
  std::optional<syntax::Reason> deprecation(Rule::DeclContext* node);
  syntax::LetDecl letDecl(antlr4::ParserRuleContext* node);
  syntax::EnumDecl enumDecl(Rule::EnumDeclContext* node);
  syntax::RecordDecl deviceDecl(Rule::DeviceDeclContext* node);
  syntax::ClusterDecl clusterDecl(Rule::ClusterDeclContext* node);
  syntax::ClusterItem clusterItem(Rule::ClusterItemContext* node);
  syntax::AssertStmt assertStmt(Rule::AssertStmtContext* node);
  syntax::Require require(Children at, SourceRange range);
  syntax::Section section(Rule::SectionContext* node);
  syntax::SectionItem sectionItem(Rule::SectionItemContext* node);
  std::vector<syntax::Parameter> params(Rule::ParamsContext* node);
  syntax::Parameter parameter(Rule::ParameterContext* node);
  syntax::Type type(Rule::TypeContext* node);
  syntax::Type tensorType(Rule::TensorTypeContext* node);
  std::string docAbove(size_t firstToken) const;

  // Operators, blocks and models (BuildModel.cpp).
  syntax::OpDecl opDecl(Rule::OpDeclContext* node);
  syntax::OpItem opItem(Rule::OpItemContext* node);
  syntax::DimDecl dimDecl(Rule::DimDeclContext* node);
  syntax::BlockDecl blockDecl(Rule::BlockDeclContext* node);
  syntax::ModelDecl modelDecl(Rule::ModelDeclContext* node);
  const syntax::Body* body(Rule::BodyContext* node);
  syntax::BodyItem bodyItem(Rule::BodyItemContext* node);
  syntax::ParamItem paramItem(Children at);
  syntax::LayerItem layerItem(Children at);
  syntax::IfItem ifItem(Children at);
  syntax::RepeatItem repeat(Rule::RepeatContext* node);
  void checkCarry(const syntax::RepeatItem& repeat, Rule::BodyContext* body);

  // Tests and policies (BuildTest.cpp).
  syntax::TestDecl testDecl(Rule::TestDeclContext* node);
  syntax::TestParameter testParam(Rule::TestParamContext* node);
  syntax::PolicyDecl policyDecl(Rule::PolicyDeclContext* node);
  syntax::AllowStmt allowStmt(Rule::AllowStmtContext* node);

  // Plans (BuildPlan.cpp).
  syntax::PlanDecl planDecl(Rule::PlanDeclContext* node);
  syntax::CompareDecl compareDecl(Rule::CompareDeclContext* node);
  syntax::PlanItem planItem(Rule::PlanItemContext* node);
  decltype(syntax::PlanItem::item) planFact(Rule::PlanFactContext* node);
  syntax::MeshBlock meshBlock(Rule::MeshBlockContext* node);
  syntax::AxisItem axis(Rule::AxisContext* node);
  syntax::PlaceBlock placeBlock(Rule::PlaceBlockContext* node);
  syntax::PlaceItem placeItem(Rule::PlaceItemContext* node);
  syntax::StatesBlock statesBlock(Rule::StatesBlockContext* node);
  syntax::PipelineBlock pipelineBlock(Rule::PipelineBlockContext* node);
  syntax::SearchBlock searchBlock(Rule::SearchBlockContext* node);
  void searchItem(Rule::SearchItemContext* node, std::vector<syntax::SearchItem>& out);
  void variation(Rule::VariationContext* node, std::vector<syntax::SearchItem>& out);
  syntax::VaryItem varied(Rule::VariedContext* node);
  syntax::KeepStmt keepStmt(Rule::KeepStmtContext* node);
  syntax::MeasuredStmt measured(Rule::MeasuredContext* node);
  std::vector<syntax::Selector> selectors(Children& at);
  syntax::Selector selector(Rule::SelectorContext* node);
  syntax::SelectorStep selStep(Rule::SelStepContext* node);

  const LexedFile& lexed_;
  SyntaxReporter& reporter_;
  syntax::File& out_;
};

} // namespace planc::parse
