// Type-checks assert and measured lines against the metric table: names, units of both sides, conditions where one is
// needed.
// SPDX-License-Identifier: Apache-2.0
#include "backends/verdict/ExprText.h"
#include "backends/verdict/Shares.h"
#include "backends/verdict/Verdict.h"
#include "ir/model/LayerTree.h"
#include "ir/plan/Space.h"
#include "support/text/Spelling.h"
#include "support/text/UnitWords.h"

#include <algorithm>
#include <fmt/core.h>

namespace planc::verdict {
namespace {

PLANC_ERROR(UnknownMetric, 904, "unknown metric `{name}`")
PLANC_ERROR(UnitsDisagree, 905, "`{left}` is {left_type} and `{right}` is {right_type}: they cannot be {verb}")
PLANC_ERROR(NotACondition, 906, "`{text}` is {type}, but a condition is needed")
PLANC_ERROR(NotANumber, 907, "`{text}` is a condition, but a number is needed")
PLANC_ERROR(UnknownLayer, 909, "`{path}` is not a layer of model `{model}` with a row in the report")
PLANC_ERROR(MeasuredZero, 911, "measured value `{text}` is {value}: a relative error needs a positive number")

using ir::ExprId;
using ir::ExprNode;
using ir::ExprOp;
using ir::ExprTree;

struct Type {
  bool isBool = false;
  Unit unit;
  std::string text() const { return (isBool || unit.plain() ? "a " : "") + typeText(isBool, unit); }
};
/// A type; nullopt after a reported error.
using MaybeType = std::optional<Type>;

/// How an operator combines the types of its operands.
enum class Rule { Leaf, Same, Sum, Product, Quotient, Order, Equality, Logic, Choice };
struct OpRule {
  ExprOp op;
  Rule rule;
  std::string_view verb;
};
constexpr OpRule kRules[] = {
    {ExprOp::Constant, Rule::Leaf, ""},
    {ExprOp::Metric, Rule::Leaf, ""},
    {ExprOp::Fact, Rule::Leaf, ""}, // what a search changes: a plain number, or a condition
    {ExprOp::Neg, Rule::Same, ""},
    {ExprOp::Not, Rule::Logic, ""},
    {ExprOp::Add, Rule::Sum, "added"},
    {ExprOp::Sub, Rule::Sum, "subtracted"},
    {ExprOp::Mul, Rule::Product, ""},
    {ExprOp::Div, Rule::Quotient, ""},
    {ExprOp::Lt, Rule::Order, "compared"},
    {ExprOp::Gt, Rule::Order, "compared"},
    {ExprOp::Le, Rule::Order, "compared"},
    {ExprOp::Ge, Rule::Order, "compared"},
    {ExprOp::Eq, Rule::Equality, "compared"},
    {ExprOp::Ne, Rule::Equality, "compared"},
    {ExprOp::And, Rule::Logic, ""},
    {ExprOp::Or, Rule::Logic, ""},
    {ExprOp::If, Rule::Choice, "alternatives"},
};

const OpRule& ruleOf(ExprOp op) {
  for (const OpRule& rule : kRules)
    if (rule.op == op) return rule;
  return kRules[0];
}

/// The suggestion for a number without its unit. The intended unit is unknown.
std::string unitsHelp(const Unit& unit) {
  const std::string names = unitsFor(unit);
  return names.empty() ? "" : "give the number its unit, " + names;
}

/// Checks the tree of one assertion or measured line.
class Checker {
  const ir::Plan& plan_;
  const ExprTree& tree_;
  DiagnosticEngine& diagnostics_;

public:
  Checker(const ir::Plan& plan, const ExprTree& tree, DiagnosticEngine& diagnostics)
      : plan_(plan), tree_(tree), diagnostics_(diagnostics) {}

  MaybeType type(ExprId id);
  MaybeType condition(ExprId id);
  MaybeType number(ExprId id);
  MaybeType root() { return type(tree_.root); }

private:
  const ExprNode& node(ExprId id) const { return tree_.nodes[id]; }
  MaybeType metric(const ExprNode& node);
  void checkLayer(const ExprNode& node);
  MaybeType agreeing(ExprId id, ExprId leftId, ExprId rightId, bool boolsAllowed);
  MaybeType disagree(ExprId id, ExprId left, ExprId right, const Type& l, const Type& r);
};

std::vector<std::string> metricNames() {
  std::vector<std::string> names;
  for (const Metric* m : metrics().rows())
    if (!m->ofLayer()) names.emplace_back(m->name());
  return names;
}

void Checker::checkLayer(const ExprNode& node) {
  if (!plan_.model) return;
  const ir::LayerTree tree(*plan_.model);
  if (tree.names(node.layer)) return;
  std::vector<std::string> known;
  for (const ir::LayerRef& path : tree.paths()) known.push_back(path.str());
  const std::string asked = node.layer.str();
  auto report = diagnostics_.report(UnknownLayer, node.range, {{"path", asked}, {"model", plan_.model->name.str()}});
  report.meant(asked, known);
  report.note("rows are the top-level layers and the direct children of repeats: " + [&] {
    std::string list;
    for (size_t i = 0; i < known.size() && i < 12; ++i) list += (i ? ", `" : "`") + known[i] + "`";
    return known.size() > 12 ? list + ", …" : list;
  }());
}

MaybeType Checker::metric(const ExprNode& node) {
  const Metric* metric = findMetric(node.metric);
  bool isLayer = node.metric.starts_with("layer.");
  if (metric) {
    if (isLayer) checkLayer(node);
    return Type{metric->isBool, metric->unit};
  }
  auto report = diagnostics_.report(UnknownMetric, node.range, {{"name", metricText(node)}});
  if (isLayer) {
    report.note("a layer has `.forward`, `.backward`, `.recompute`, `.comm` and `.exposed`");
    report.meant(node.metric.substr(6), {"forward", "backward", "recompute", "comm", "exposed"});
    return {};
  }
  const std::vector<std::string> related = relatedMetrics(node.metric);
  report.meantElse(node.metric, metricNames(),
                   related.empty() ? "the metrics are in section 13 of docs/language.md"
                                   : fmt::format("did you mean {}?", quotedChoice(related)));
  return {};
}

MaybeType Checker::condition(ExprId id) {
  MaybeType t = type(id);
  if (t && !t->isBool)
    diagnostics_.report(NotACondition, node(id).range, {{"text", textOf(tree_, id)}, {"type", t->text()}})
        .help("compare it with a number: `" + textOf(tree_, id) + " < …`");
  return t && t->isBool ? t : std::nullopt;
}

MaybeType Checker::number(ExprId id) {
  MaybeType t = type(id);
  if (t && t->isBool) diagnostics_.report(NotANumber, node(id).range, {{"text", textOf(tree_, id)}});
  return t && !t->isBool ? t : std::nullopt;
}

MaybeType Checker::disagree(ExprId id, ExprId left, ExprId right, const Type& l, const Type& r) {
  const ExprNode& n = node(id);
  auto report = diagnostics_.report(UnitsDisagree, n.opRange.valid() ? n.opRange : n.range,
                                    {{"left", textOf(tree_, left)},
                                     {"left_type", l.text()},
                                     {"right", textOf(tree_, right)},
                                     {"right_type", r.text()},
                                     {"verb", ruleOf(n.op).verb}});
  report.label(node(left).range, typeText(l.isBool, l.unit)).label(node(right).range, typeText(r.isBool, r.unit));
  bool bareRight = node(right).literal && !r.isBool && r.unit.plain();
  bool bareLeft = node(left).literal && !l.isBool && l.unit.plain();
  if (bareRight || bareLeft) report.help(unitsHelp(bareRight ? l.unit : r.unit));
  return {};
}

MaybeType Checker::agreeing(ExprId id, ExprId leftId, ExprId rightId, bool boolsAllowed) {
  MaybeType left = boolsAllowed ? type(leftId) : number(leftId);
  MaybeType right = boolsAllowed ? type(rightId) : number(rightId);
  if (!left || !right) return {};
  if (left->isBool != right->isBool || left->unit != right->unit) return disagree(id, leftId, rightId, *left, *right);
  return left;
}

MaybeType Checker::type(ExprId id) {
  const ExprNode& n = node(id);
  const Type boolean{true, {}};
  switch (ruleOf(n.op).rule) {
  case Rule::Leaf:
    if (n.op == ExprOp::Metric) return metric(n);
    return Type{n.constant.isBool, n.constant.isBool ? Unit{} : n.constant.quantity.unit};
  case Rule::Same:
    return number(n.kids[0]);
  case Rule::Sum:
    return agreeing(id, n.kids[0], n.kids[1], false);
  case Rule::Product:
  case Rule::Quotient: {
    MaybeType left = number(n.kids[0]), right = number(n.kids[1]);
    if (!left || !right) return {};
    return Type{false, n.op == ExprOp::Mul ? left->unit * right->unit : left->unit / right->unit};
  }
  case Rule::Order:
  case Rule::Equality: {
    MaybeType sides = agreeing(id, n.kids[0], n.kids[1], ruleOf(n.op).rule == Rule::Equality);
    checkShares(plan_, tree_, id, diagnostics_);
    return sides ? MaybeType(boolean) : std::nullopt;
  }
  case Rule::Logic: {
    bool ok = true;
    for (ExprId kid : n.kids) ok &= condition(kid).has_value();
    return ok ? MaybeType(boolean) : std::nullopt;
  }
  case Rule::Choice: {
    MaybeType test = condition(n.kids[0]);
    MaybeType branches = agreeing(id, n.kids[1], n.kids[2], true);
    return test ? branches : std::nullopt;
  }
  }
  return {};
}

void checkMeasured(const ir::Plan& plan, const ir::Measured& line, DiagnosticEngine& diagnostics) {
  MaybeType metric = Checker(plan, line.metric, diagnostics).number(line.metric.root);
  Checker valueChecker(plan, line.value, diagnostics);
  MaybeType value = valueChecker.number(line.value.root);
  if (!metric || !value) return;
  const ExprNode& shown = line.metric.nodes[line.metric.root];
  const ExprNode& stated = line.value.nodes[line.value.root];
  if (metric->unit != value->unit) {
    auto report = diagnostics.report(UnitsDisagree, stated.range,
                                     {{"left", textOf(line.metric, line.metric.root)},
                                      {"left_type", metric->text()},
                                      {"right", textOf(line.value, line.value.root)},
                                      {"right_type", value->text()},
                                      {"verb", "compared"}});
    report.label(shown.range, typeText(false, metric->unit));
    if (stated.literal && value->unit.plain()) report.help(unitsHelp(metric->unit));
    return;
  }
  auto values = ir::evaluate(line.value, [](const ExprNode&) { return std::optional<ir::ExprValue>(); });
  const auto& result = values[line.value.root.index];
  if (result && !(result->quantity.value > 0))
    diagnostics.report(MeasuredZero, stated.range,
                       {{"text", textOf(line.value, line.value.root)}, {"value", valueText(*result, false)}});
}

} // namespace

void check(const ir::Plan& plan, DiagnosticEngine& diagnostics) {
  for (const ir::Assertion& line : plan.assertions)
    Checker(plan, line.condition, diagnostics).condition(line.condition.root);
  for (const ir::Measured& line : plan.measured) checkMeasured(plan, line, diagnostics);
  if (!plan.search) return;
  for (const ir::Condition& line : plan.search->conditions)
    Checker(plan, line.tree, diagnostics).condition(line.tree.root);
  for (const ir::Goal& line : plan.search->goals) Checker(plan, line.tree, diagnostics).number(line.tree.root);
}

} // namespace planc::verdict
