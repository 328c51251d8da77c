// Maps the grammar rule around a token to the token's role.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/parse/TokenRoles.h"

#include "frontend/parse/TokenTypes.h"
#include "frontend/parse/build/Children.h"

namespace planc::parse {
namespace {

using Rule = grammar::PlanParser;
using Role = RawToken::Role;

Role roleOfColon(size_t rule) {
  switch (rule) {
  case Rule::RuleReason:
    return Role::ReasonColon;
  case Rule::RuleSuffix:
  case Rule::RuleSelStep:
    return Role::SliceColon;
  default:
    return Role::TypeColon;
  }
}

Role roleOfAssign(size_t rule) {
  switch (rule) {
  case Rule::RuleFact:
  case Rule::RulePlainFact:
  case Rule::RuleMeshBlock:
  case Rule::RulePlaceBlock:
  case Rule::RuleStatesBlock:
  case Rule::RuleLetDecl:
  case Rule::RuleLocalLet:
  case Rule::RuleDimDecl:
  case Rule::RuleModelDecl:
  case Rule::RuleBodyItem:
  case Rule::RuleAxis:
  case Rule::RulePipeItem:
  case Rule::RuleCompareRow:
    return Role::Assign;
  default:
    return Role::None;
  }
}

Role roleOfWord(size_t rule, size_t type) {
  if (rule == Rule::RuleAxis && type >= Type::WITHIN && type <= Type::OUTSIDE) return Role::Where;
  bool name = rule == Rule::RuleName || rule == Rule::RulePlainName || rule == Rule::RuleSoftKeyword;
  return name || isLiteral(type) ? Role::None : Role::Keyword;
}

Role roleOf(size_t rule, size_t type, bool first) {
  switch (type) {
  case Type::LP:
  case Type::RP:
    return rule == Rule::RulePrimary ? Role::Group : Role::Call;
  case Type::LS:
  case Type::RS:
    return rule == Rule::RuleSuffix || rule == Rule::RuleSelStep ? Role::Index : Role::List;
  case Type::LB:
  case Type::RB:
    return rule == Rule::RuleRecord ? Role::Record : Role::Block;
  case Type::DOT:
    return Role::Dot;
  case Type::COLON:
    return roleOfColon(rule);
  case Type::ASSIGN:
    return roleOfAssign(rule);
  case Type::LT:
  case Type::GT:
    return rule == Rule::RuleType ? Role::Angle : Role::None;
  case Type::MINUS:
  case Type::NOT:
    return first ? Role::Prefix : Role::None;
  case Type::ARROW:
    return rule == Rule::RulePlaceItem ? Role::Placement : Role::None;
  case Type::STAR:
    return rule == Rule::RuleClusterItem ? Role::Level : Role::None;
  case Type::COMMA:
    return rule == Rule::RuleEnumSep ? Role::Separator : Role::None;
  default:
    return isSoftKeyword(type) || isReserved(type) ? roleOfWord(rule, type) : Role::None;
  }
}

} // namespace

void assignRoles(grammar::PlanParser::DeclarationContext* tree, std::vector<RawToken>& tokens) {
  // A list of nodes instead of recursion, because a long sum is as deep as it is long.
  std::vector<antlr4::ParserRuleContext*> open = {tree};
  while (!open.empty()) {
    antlr4::ParserRuleContext* node = open.back();
    open.pop_back();
    bool first = true;
    for (antlr4::tree::ParseTree* child : node->children) {
      if (const PlanToken* token = Children::tokenOf(child)) {
        if (token->getType() != antlr4::Token::EOF)
          tokens[token->getTokenIndex()].role = roleOf(node->getRuleIndex(), token->getType(), first);
      } else {
        open.push_back(static_cast<antlr4::ParserRuleContext*>(child));
      }
      first = false;
    }
  }
}

} // namespace planc::parse
