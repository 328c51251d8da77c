// Reads the conditions that judge a plan: its own `assert` and `measured`, and those of policies and tests.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/plan/Conditions.h"
#include "frontend/plan/Steps.h"
#include "ir/facts/Ranges.h"

#include <fmt/format.h>

namespace planc::frontend {
using syntax::Expr;

PLANC_ERROR(ToleranceForm, 337, "a tolerance must be from 0 to 100 %; this is {value}")

namespace {

/// Reads `within 5%`. More than 100 % is reported as a forgotten `%`: below the measurement it would allow any value.
std::optional<double> tolerance(Elaboration& elab, const Expr& e, Scope& scope) {
  const Value v = elab.ev.evaluate(e, scope);
  const bool plain = v.numeric() && (v.isInt() || v.unit.plain());
  if (plain && ir::ranges::kShare.holds(v.asDouble())) return v.asDouble();
  elab.ok = false;
  if (v.invalid()) return std::nullopt;
  const bool stated = elab.context.text(e.range).ends_with('%');
  const bool forgotten = plain && !stated && v.asDouble() > 1 && v.asDouble() <= 100;
  elab.context.report(ToleranceForm, e.range, {{"value", plain ? fmt::format("{:g} %", 100 * v.asDouble()) : show(v)}})
      .help(forgotten ? fmt::format("write it with a `%`: `within {:g}%`", v.asDouble())
            : stated  ? "write the largest relative error that is accepted, such as `within 5%`"
                      : "write it with a `%`, such as `within 5%`");
  return std::nullopt;
}

void assertedLine(Elaboration& elab, MergedPlan& merged, PathTree* paths, const Expr& condition,
                  const std::optional<syntax::Reason>& reason, Scope& scope, SourceRange range,
                  std::string policy = {}) {
  auto tree = policy.empty() ? conditionTree(elab, merged, paths, condition, scope)
                             : policyTree(elab, merged, paths, condition, scope);
  if (tree) elab.plan.assertions.push_back({std::move(*tree), reason ? reason->text : "", range, std::move(policy)});
}

void measuredLine(Elaboration& elab, MergedPlan& merged, PathTree* paths, const syntax::MeasuredStmt& line,
                  Scope& scope, SourceRange range) {
  auto metric = conditionTree(elab, merged, paths, *line.metric, scope);
  auto value = conditionTree(elab, merged, paths, *line.value, scope);
  ir::Measured made;
  if (line.tolerance) made.tolerance = tolerance(elab, *line.tolerance, scope);
  if (!metric || !value) return;
  made.metric = std::move(*metric);
  made.value = std::move(*value);
  made.source = line.reason ? line.reason->text : "";
  made.range = range;
  elab.plan.measured.push_back(std::move(made));
}

} // namespace

void conditions(Elaboration& elab, MergedPlan& merged, PathTree* paths) {
  for (const auto& stated : merged.asserts)
    assertedLine(elab, merged, paths, *stated.syntax->condition, stated.syntax->reason, *stated.scope, stated.range);
  for (const ir::SetFact& set : elab.plan.set)
    if (set.changed) return; // measurements are of the plan as written
  const int last = merged.chain.back().index;
  for (const auto& stated :
       merged.measured) { // a base's measurements are not inherited; they are checked with the base
    if (stated.layer != last) continue;
    measuredLine(elab, merged, paths, *stated.syntax, *stated.scope, stated.range);
  }
}

Demands Demands::of(Module& module) const {
  Demands out = *this;
  if (ofPlans)
    for (DeclInfo* policy : module.policies()) out.add(policy);
  return out;
}

/// A policy sees the names of its own file and the paths of the plan. A test sees its parameters first.
void demanded(Elaboration& elab, MergedPlan& merged, PathTree* paths, const Demands& demands) {
  for (DeclInfo* policy : demands.policies) {
    Scope scope(policy->module);
    scope.space = &merged.space;
    for (const syntax::Require& demand : policy->as<syntax::PolicyDecl>().demands)
      assertedLine(elab, merged, paths, *demand.condition, demand.reason, scope, demand.range, policy->name.str());
  }
  if (!demands.test) return;
  elab.plan.test = demands.name;
  Scope scope(demands.values->module);
  scope.names = demands.values->names;
  scope.space = &merged.space;
  for (const syntax::TestItem& item : demands.test->items)
    if (const auto* asserted = std::get_if<syntax::AssertStmt>(&item))
      assertedLine(elab, merged, paths, *asserted->condition, asserted->reason, scope, asserted->condition->range);
    else if (const auto* line = std::get_if<syntax::MeasuredStmt>(&item))
      measuredLine(elab, merged, paths, *line, scope, SourceRange::cover(line->metric->range, line->value->range));
}

} // namespace planc::frontend
