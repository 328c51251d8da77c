// Checks tests and policies before they judge a plan.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/plan/Tests.h"

#include "frontend/eval/Arithmetic.h"
#include "frontend/modules/Codes.h"
#include "frontend/modules/Deprecated.h"
#include "frontend/plan/SearchWords.h"
#include "ir/vocabulary/Metrics.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {
using syntax::Expr;
using syntax::ExprKind;

PLANC_ERROR(TestValues, 915, "parameter `{name}` of a test needs a list with at least one value; this is {actual}")
PLANC_ERROR(TestTooMany, 916, "test `{name}` has {count} combinations of values; at most {limit} are allowed")
PLANC_ERROR(TestParameterTwice, 917, "two parameters of this test are named `{name}`")
PLANC_ERROR(TestOfNoPlan, 918, "a test needs a plan after `of`, not {actual}")
PLANC_ERROR(TestFailsWarning, 919, "`fails` needs the code of an error; {code} is a warning")
PLANC_ERROR(TestParameterIdle, 921, "parameter `{name}` of test `{test}` is not used")
PLANC_ERROR(PolicyEmpty, 922, "policy `{name}` has no `require`")
PLANC_ERROR(PolicyName, 927,
            "unknown name `{name}`: it is neither a metric, nor a section of plans, nor declared in this file")

namespace {

constexpr size_t kMostCombinations = 10'000;

/// Returns whether an expression names `name`.
bool mentions(const Expr& whole, Symbol name) {
  std::vector<const Expr*> open{&whole};
  while (!open.empty()) {
    const Expr* e = open.back();
    open.pop_back();
    if (e->kind == ExprKind::Name && e->name.text == name) return true;
    open.insert(open.end(), e->kids.begin(), e->kids.end());
    for (const syntax::Arg& arg : e->args) open.push_back(arg.value);
    for (const syntax::Fact& fact : e->facts) open.push_back(fact.value);
  }
  return false;
}

bool mentions(const syntax::TestDecl& test, Symbol name) {
  return mentions(*test.plan, name) || std::any_of(test.items.begin(), test.items.end(), [&](const auto& item) {
           const auto* line = std::get_if<syntax::AssertStmt>(&item);
           const auto* other = std::get_if<syntax::MeasuredStmt>(&item);
           return line ? mentions(*line->condition, name)
                       : mentions(*other->metric, name) || mentions(*other->value, name) ||
                             (other->tolerance && mentions(*other->tolerance, name));
         });
}

/// The values of a parameter; nothing after a report.
std::optional<std::vector<Value>> valuesOf(Evaluator& evaluator, const syntax::TestParameter& parameter, Scope& scope) {
  TypeInfo list;
  list.kind = TypeInfo::Kind::List;
  list.element = parameter.type ? evaluator.type(*parameter.type, *scope.module) : nullptr;
  if (list.element && list.element->kind == TypeInfo::Kind::Invalid) return std::nullopt;
  list.name = list.element ? fmt::format("list<{}>", list.element->name) : "list";
  const Value found = evaluator.evaluate(*parameter.values, scope, &list);
  if (found.invalid()) return std::nullopt;
  if (found.kind != ValueKind::List || found.list->items.empty()) {
    evaluator.context
        .report(TestValues, parameter.values->range,
                {{"name", parameter.name.text.str()},
                 {"actual", found.kind == ValueKind::List ? std::string("an empty one") : describe(found)}})
        .help(fmt::format("write them down: `{} in [4, 8, 16]`", parameter.name.text.view()));
    return std::nullopt;
  }
  std::vector<Value> values = found.list->items;
  for (Value& value : values) {
    if (list.element)
      value = evaluator.coerce(value, *list.element, fmt::format("parameter `{}`", parameter.name.text.view()));
    if (value.invalid()) return std::nullopt;
  }
  return values;
}

bool reportTwice(Evaluator& evaluator, const std::vector<syntax::TestParameter>& parameters, size_t at) {
  for (size_t before = 0; before < at; ++before)
    if (parameters[before].name.text == parameters[at].name.text) {
      evaluator.context
          .report(TestParameterTwice, parameters[at].name.range, {{"name", parameters[at].name.text.str()}})
          .label(parameters[before].name.range, "first here")
          .help("give one of them another name");
      return true;
    }
  return false;
}

bool addParameters(Evaluator& evaluator, DeclInfo& decl, TestSpace& space) {
  Scope scope(decl.module);
  const std::vector<syntax::TestParameter>& parameters = space.decl->varied;
  bool good = true;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const syntax::TestParameter& parameter = parameters[i];
    if (reportTwice(evaluator, parameters, i)) good = false;
    if (!mentions(*space.decl, parameter.name.text)) {
      evaluator.context
          .report(TestParameterIdle, parameter.name.range,
                  {{"test", decl.name.str()}, {"name", parameter.name.text.str()}})
          .label(space.decl->plan->range, "the plan does not")
          .help(fmt::format("pass it to the plan, `NAME({} = {})`, or remove it", parameter.name.text.view(),
                            parameter.name.text.view()));
      good = false;
    }
    auto values = valuesOf(evaluator, parameter, scope);
    if (!values) return false;
    space.combinations *=
        std::min(values->size(), kMostCombinations + 1); // cannot overflow: the loop ends beyond the limit
    space.values.push_back(std::move(*values));
    if (space.combinations <= kMostCombinations) continue;
    evaluator.context
        .report(TestTooMany, decl.nameRange,
                {{"name", decl.name.str()},
                 {"count", fmt::format("{}{}", i + 1 < parameters.size() ? "at least " : "", space.combinations)},
                 {"limit", kMostCombinations}})
        .help("shorten the lists, or `search` the plan: it is made for many candidates");
    return false;
  }
  return good;
}

} // namespace

void TestSpace::bind(size_t combination, Scope& scope) const {
  std::vector<const Value*> chosen(values.size());
  for (size_t i = values.size(); i-- > 0;) {
    chosen[i] = &values[i][combination % values[i].size()];
    combination /= values[i].size();
  }
  for (size_t i = 0; i < chosen.size(); ++i)
    scope.names.add(decl->varied[i].name.text, *chosen[i], decl->varied[i].name.range);
}

std::string TestSpace::name(const Scope& scope) const {
  std::string arguments;
  for (const NameTable::Entry& entry : scope.names.entries())
    arguments += fmt::format("{}{} = {}", arguments.empty() ? "" : ", ", entry.name.view(), show(entry.value));
  return decl->name.text.str() + (arguments.empty() ? "" : "(" + arguments + ")");
}

namespace {

/// The declaration of a name in a file or in its imports; null if there is none, or if the expression is no such name.
const DeclInfo* declared(const Expr& name, const Module& module) {
  if (name.kind == ExprKind::Name) {
    const auto found = module.names.find(name.name.text);
    return found == module.names.end() ? nullptr : found->second;
  }
  if (name.kind != ExprKind::Member || name.kids[0]->kind != ExprKind::Name) return nullptr;
  const auto import = module.importNames.find(name.kids[0]->name.text);
  if (import == module.importNames.end() || !import->second->module) return nullptr;
  const auto found = import->second->module->names.find(name.name.text);
  return found == import->second->module->names.end() ? nullptr : found->second;
}

/// Checks that a test whose plan must fail names a plan at all. Otherwise a plan that does not exist would fail with
/// the same codes as a plan with wrong arguments.
bool isOfPlan(Evaluator& evaluator, const DeclInfo& decl, const TestSpace& space) {
  const Expr& whole = *space.decl->plan;
  const Expr& name = whole.kind == ExprKind::Call ? *whole.kids[0] : whole;
  if (const DeclInfo* const of = declared(name, *decl.module)) {
    if (of->module != decl.module) reportDeprecatedUse(*of, name.name.range, evaluator.context.diagnostics);
    if (of->kind == DeclKind::Plan || of->kind == DeclKind::Let) return true;
    evaluator.context
        .report(TestOfNoPlan, name.range, {{"actual", fmt::format("`{}`", evaluator.context.text(name.range))}})
        .help("write a plan, with arguments if it takes any: `of NAME(nodes = 8)`");
    return false;
  }
  const bool parameter = std::any_of(space.decl->varied.begin(), space.decl->varied.end(),
                                     [&](const syntax::TestParameter& p) { return mentions(name, p.name.text); });
  Scope scope(decl.module);
  return parameter || !evaluator.evaluate(name, scope).invalid();
}

} // namespace

std::optional<TestSpace> testSpace(Evaluator& evaluator, DeclInfo& decl) {
  TestSpace space;
  space.decl = &decl.as<syntax::TestDecl>();
  bool good = addParameters(evaluator, decl, space);
  if (const auto& code = space.decl->fails) {
    space.fails = kindOf(*code, Severity::Error, evaluator.context.diagnostics);
    if (space.fails && space.fails->severity == Severity::Warning)
      evaluator.context.report(TestFailsWarning, code->range, {{"code", space.fails->id()}})
          .help("name the expected error; `--deny` turns warnings into errors");
    good &= space.fails && space.fails->severity == Severity::Error;
    good = good && isOfPlan(evaluator, decl, space);
  }
  return good ? std::optional(std::move(space)) : std::nullopt;
}

const BoundDecl* planOfTest(Evaluator& evaluator, const syntax::TestDecl& test, Scope& scope) {
  const Value value = evaluator.evaluate(*test.plan, scope);
  if (value.invalid()) return nullptr;
  if (value.kind == ValueKind::Decl && value.decl->decl->kind == DeclKind::Plan) return value.decl;
  evaluator.context.report(TestOfNoPlan, test.plan->range, {{"actual", describe(value)}})
      .help("write a plan, with arguments if it takes any: `of NAME(nodes = 8)`");
  return nullptr;
}

namespace {

/// Returns whether a comparison has a fact of a plan that is no number on its left: `recompute == none`,
/// `precision.compute != fp8`.
bool comparesWord(const Expr& e) {
  const BinaryOp op = binaryOp(e.text);
  if (op != BinaryOp::Eq && op != BinaryOp::Ne) return false;
  const Expr* root = e.kids[0];
  while (root->kind == ExprKind::Member) root = root->kids[0];
  return root->kind == ExprKind::Name && isOfBlocks(root->name.text);
}

/// Collects the names in a condition; `a.b.c` is one name.
void addNames(const Expr& whole, std::vector<const Expr*>& names) {
  std::vector<const Expr*> open{&whole};
  while (!open.empty()) {
    const Expr* e = open.back();
    open.pop_back();
    const Expr* root = e;
    while (root->kind == ExprKind::Member) root = root->kids[0];
    if (e->kind == ExprKind::Binary && comparesWord(*e)) { // the right side is a word of the fact
      names.push_back(e->kids[0]);
      continue;
    }
    if (root->kind == ExprKind::Name) {
      names.push_back(e);
      continue;
    }
    if (e->kind == ExprKind::Call && e->kids[0]->kind == ExprKind::Name) // a function, or `layer`
      open.insert(open.end(), e->kids.begin() + 1, e->kids.end());
    else
      open.insert(open.end(), e->kids.begin(), e->kids.end());
    for (const syntax::Arg& arg : e->args) open.push_back(arg.value);
  }
}

} // namespace

bool checkPolicy(Evaluator& evaluator, DeclInfo& decl) {
  const auto& policy = decl.as<syntax::PolicyDecl>();
  bool good = !policy.demands.empty();
  if (policy.demands.empty())
    evaluator.context.report(PolicyEmpty, decl.nameRange, {{"name", decl.name.str()}})
        .help("state a requirement on every plan: `require memory.fits : \"why\"`");
  // Blocks and facts of plans, whose paths cannot be checked without a plan (docs/language.md, section 10).
  std::vector<const Expr*> names;
  for (const syntax::Require& demand : policy.demands) addNames(*demand.condition, names);
  Scope scope(decl.module);
  for (const Expr* name : names) {
    const std::string path = syntax::str(*name), root = path.substr(0, path.find('.'));
    const ir::StatementRow* statement = ir::statementNamed(root);
    if (ir::metricWords().find(path) || (statement && statement->readable)) continue;
    if (evaluator.find(Symbol(root), scope, name->range)) continue;
    std::vector<std::string> known = ir::metricWords().names();
    for (const ir::StatementRow& row : ir::statements())
      if (row.readable) known.emplace_back(row.name);
    evaluator.context.report(PolicyName, name->range, {{"name", path}}).meant(path, known);
    good = false;
  }
  return good;
}

} // namespace planc::frontend
