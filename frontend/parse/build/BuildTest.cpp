// Builds tests, policies, and the `allow` statements of files and plans.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/parse/build/TreeBuilder.h"

namespace planc::parse {

using namespace syntax;

TestDecl TreeBuilder::testDecl(Rule::TestDeclContext* node) {
  Children at(node);
  at.accept(Type::TEST);
  TestDecl out;
  out.name = name(at.rule<Rule::NameContext>());
  if (auto* list = at.rule<Rule::TestParamsContext>())
    for (Children params(list); auto* item = params.next<Rule::TestParamContext>();)
      out.varied.push_back(testParam(item));
  at.accept(Type::OF);
  out.plan = expr(at.rule<Rule::ExprContext>());
  if (at.accept(Type::FAILS)) {
    out.fails = name(at.rule<Rule::NameContext>());
    return out;
  }
  for (Children body(at.rule<Rule::TestBodyContext>()); auto* item = body.next<Rule::TestItemContext>();) {
    Children statement(item);
    if (auto* line = statement.rule<Rule::AssertStmtContext>())
      out.items.emplace_back(assertStmt(line));
    else
      out.items.emplace_back(measured(statement.rule<Rule::MeasuredContext>()));
  }
  return out;
}

TestParameter TreeBuilder::testParam(Rule::TestParamContext* node) {
  Children at(node);
  TestParameter out;
  out.range = range(node);
  out.name = name(at.rule<Rule::NameContext>());
  if (at.accept(Type::COLON)) out.type = type(at.rule<Rule::TypeContext>());
  at.accept(Type::IN);
  out.values = expr(at.rule<Rule::ExprContext>());
  return out;
}

PolicyDecl TreeBuilder::policyDecl(Rule::PolicyDeclContext* node) {
  Children at(node);
  at.accept(Type::POLICY);
  PolicyDecl out{name(at.rule<Rule::NameContext>()), {}};
  while (auto* item = at.next<Rule::PolicyItemContext>()) {
    Children line(item);
    line.accept(Type::REQUIRE);
    out.demands.push_back(require(line, range(item)));
  }
  return out;
}

AllowStmt TreeBuilder::allowStmt(Rule::AllowStmtContext* node) {
  Children at(node);
  at.accept(Type::ALLOW);
  AllowStmt out;
  out.range = range(node);
  out.code = name(at.rule<Rule::NameContext>());
  out.reason = reason(at.rule<Rule::ReasonContext>());
  return out;
}

} // namespace planc::parse
