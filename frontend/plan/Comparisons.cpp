// Evaluates the rows of a `compare` declaration: at least two unique labels, each with a plan.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/plan/Comparisons.h"

#include "frontend/modules/Module.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::frontend {

PLANC_ERROR(CompareFew, 943, "comparison `{name}` has {rows}; it needs at least two")
PLANC_ERROR(CompareNoPlan, 944, "a comparison needs plans; this is {actual}")
PLANC_ERROR(CompareLabelTwice, 945, "two plans of this comparison have the label `{name}`")
PLANC_ERROR(CompareExported, 947, "comparison `{name}` is exported, but other files cannot use a comparison")

PLANC_WARNING(ComparePlanTwice, 946, "`{label}` repeats the plan of `{first}`")

namespace {

/// Returns whether both are the same plan with the same arguments.
bool samePlan(const BoundDecl& a, const BoundDecl& b) {
  return a.decl == b.decl && a.args.size() == b.args.size() &&
         std::all_of(a.args.begin(), a.args.end(), [&](const BoundArg& x) {
           return std::any_of(b.args.begin(), b.args.end(),
                              [&](const BoundArg& y) { return x.name == y.name && show(x.value) == show(y.value); });
         });
}

void reportNoPlan(Evaluator& evaluator, const syntax::Expr& written, const Value& value) {
  auto report = evaluator.context.report(CompareNoPlan, written.range, {{"actual", describe(value)}});
  if (value.kind == ValueKind::Decl && value.decl->decl->kind == DeclKind::Compare)
    report.help("name its plans one by one");
  else
    report.help("write a plan, with arguments if it takes any: `label = NAME(nodes = 8)`");
}

} // namespace

std::vector<ComparedPlan> comparedPlans(Evaluator& evaluator, DeclInfo& comparison) {
  const auto& rows = comparison.as<syntax::CompareDecl>().rows;
  if (comparison.exported)
    evaluator.context.report(CompareExported, comparison.nameRange, {{"name", comparison.name.str()}})
        .help("remove `export`: comparisons are priced with their own file");
  if (rows.size() < 2)
    evaluator.context
        .report(CompareFew, comparison.nameRange,
                {{"name", comparison.name.str()}, {"rows", std::string(rows.empty() ? "no plan" : "one plan")}})
        .help("add a line per plan: `label = NAME(nodes = 8)`");
  std::unordered_map<Symbol, SourceRange> seen;
  std::vector<ComparedPlan> out;
  for (const syntax::Binding& row : rows) {
    if (auto [at, fresh] = seen.emplace(row.name.text, row.name.range); !fresh)
      evaluator.context.report(CompareLabelTwice, row.name.range, {{"name", row.name.text.str()}})
          .label(at->second, "first here")
          .help("give each plan another label: the table shows them by label");
    Scope scope(comparison.module);
    const Value value = evaluator.evaluate(*row.value, scope);
    if (value.invalid()) continue; // already reported
    const bool plan = value.kind == ValueKind::Decl && value.decl->decl->kind == DeclKind::Plan;
    const auto before = std::find_if(out.begin(), out.end(),
                                     [&](const ComparedPlan& p) { return plan && samePlan(p.decl, *value.decl); });
    if (before != out.end())
      evaluator.context
          .report(ComparePlanTwice, row.value->range, {{"label", row.name.text.str()}, {"first", before->label.str()}})
          .label(before->written, "its plan")
          .help("remove one of them, or make them differ");
    if (plan)
      out.push_back({row.name.text, row.name.range, row.value->range, *value.decl});
    else
      reportNoPlan(evaluator, *row.value, value);
  }
  return out;
}

} // namespace planc::frontend
