// The verdict: evaluates assert and measured lines against an estimate and reports the ones that fail, with their
// values drawn.
// SPDX-License-Identifier: Apache-2.0
#include "backends/verdict/Contributors.h"
#include "backends/verdict/Evaluation.h"
#include "backends/verdict/ExprText.h"
#include "backends/verdict/Verdict.h"
#include "support/DiagnosticRender.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

namespace planc::verdict {
namespace {

PLANC_ERROR(AssertionFailed, 901, "assertion failed: {reason}")
PLANC_ERROR(MeasuredOutOfTolerance, 902,
            "predicted `{metric}` is {predicted}, measured {measured}: the error of {error} exceeds {tolerance}")
PLANC_ERROR(PolicyBroken, 913, "policy `{policy}` is violated: {reason}")

PLANC_WARNING(PolicyWithoutMeaning, 914,
              "policy `{policy}` does not apply to this plan: `{metric}` has no value for it", Reached::Priced)

using ir::ExprId;
using ir::ExprNode;
using ir::ExprOp;
using ir::ExprTree;
using ir::ExprValue;

/// The comparison that decides a condition: itself, or the first one of an `and` that fails.
ExprId decidingComparison(const Evaluation& e, ExprId id) {
  const ExprNode& n = e.node(id);
  if (isComparison(n.op)) return id;
  if (n.op != ExprOp::And) return {};
  ExprId first;
  for (ExprId kid : n.kids) {
    ExprId c = decidingComparison(e, kid);
    if (!c.valid()) continue;
    if (e.value(c) && !e.value(c)->truth) return c;
    if (!first.valid()) first = c;
  }
  return first;
}

/// The gap in terms of the limit: ` (16 %)`; as a factor where percents say nothing.
std::string shareText(double gap, double left, double right) {
  constexpr double kReadable = 10; // 1000 %
  if (right == 0) return "";
  double share = gap / std::abs(right);
  if (share < kReadable) return fmt::format(" ({})", percentText(share));
  return left / right > 0 ? fmt::format(" ({:.3g} times the limit)", left / right) : "";
}

/// How far the sides of a failed comparison are apart: `over by 1.14 s (16 %)`.
std::string missText(ExprOp op, double left, double right, const Unit& unit, bool percent) {
  double gap = std::abs(left - right);
  std::string by = percent && unit.plain() ? percentText(gap, 3) : formatQuantity(gap, unit);
  std::string share = shareText(gap, left, right);
  switch (op) {
  case ExprOp::Lt:
  case ExprOp::Le:
    return gap == 0 ? "equal, but not below it" : "over by " + by + share;
  case ExprOp::Gt:
  case ExprOp::Ge:
    return gap == 0 ? "equal, but not above it" : "short by " + by + share;
  case ExprOp::Eq:
    return "off by " + by + share;
  default:
    return "equal";
  }
}

/// An inherited line is read far from the plan it fails in, and one plan may be priced with several arguments.
void noteInherited(const ir::Plan& plan, SourceRange range, DiagnosticEngine::Builder& report) {
  if (!plan.test.empty()) {
    report.note("in test `" + plan.test + "`, of plan `" + plan.title + "`");
    return;
  }
  bool inherited = plan.range.valid() && (range.file != plan.range.file || range.begin < plan.range.begin);
  if (inherited)
    report.note("in plan `" + plan.title + "`, which inherits this line");
  else if (plan.title != plan.name.view())
    report.note("in plan `" + plan.title + "`");
}

/// The plan, or the test that it is of.
DiagnosticArg ofPlan(const ir::Plan& plan) {
  return {std::string(kOfArg), fmt::format("`{}`", plan.test.empty() ? plan.title : plan.test)};
}

void reportFailed(const ir::Plan& plan, const cost::Estimate& estimate, const ir::Assertion& line, const Evaluation& e,
                  const AssertionResult& result, DiagnosticEngine& diagnostics) {
  ExprId deciding = decidingComparison(e, line.condition.root);
  std::string miss = "false";
  std::vector<DiagnosticArg> args = {{"reason", result.reason.empty() ? "`" + result.text + "`" : result.reason},
                                     {"plan", plan.name.str()},
                                     {"text", result.text}};
  if (deciding.valid() && result.value && result.limit) {
    miss = missText(e.node(deciding).op, *result.value, *result.limit, result.unit, result.percent);
    args.emplace_back("value", quantityText(*result.value, result.unit, result.percent));
    args.emplace_back("limit", quantityText(*result.limit, result.unit, result.percent));
    args.emplace_back("miss", miss);
  }
  args.push_back(ofPlan(plan));
  args.emplace_back(std::string(kDetailArg),
                    result.text +
                        (result.value && result.limit && result.whole
                             ? fmt::format(" is {}, {}", quantityText(*result.value, result.unit, result.percent), miss)
                             : ""));
  const bool demanded = !line.policy.empty();
  if (demanded) args.emplace_back("policy", line.policy);
  auto report =
      diagnostics.report(demanded ? PolicyBroken : AssertionFailed, e.node(line.condition.root).range, std::move(args));
  report.primary(miss);
  e.drawValues(report);
  if (demanded) report.label(plan.range, "by this plan");
  for (std::string& note : contributorNotes(estimate, e.metricsUsed())) report.note(std::move(note));
  noteInherited(plan, demanded ? plan.range : line.range, report);
}

/// A policy is written for all plans: what one of them has no number for is no fault of it.
void reportSkipped(const ir::Plan& plan, const ir::Assertion& line, const ExprNode& metric, AssertionResult& result,
                   DiagnosticEngine& diagnostics) {
  result.ok = result.skipped = true;
  auto report =
      diagnostics.report(PolicyWithoutMeaning, metric.range, {{"policy", line.policy}, {"metric", metric.metric}});
  report.label(plan.range, "this plan");
  noteInherited(plan, plan.range, report);
}

AssertionResult evaluateAssertion(const ir::Plan& plan, const cost::Estimate& estimate, const ir::Assertion& line,
                                  DiagnosticEngine& diagnostics) {
  Evaluation e(plan, estimate, line.condition);
  AssertionResult result;
  result.text = textOf(line.condition, line.condition.root);
  result.reason = line.reason;
  result.range = line.range;
  result.policy = line.policy;
  result.ok = e.result() && e.result()->isBool && e.result()->truth;
  if (ExprId deciding = decidingComparison(e, line.condition.root); deciding.valid()) {
    const ExprNode& n = e.node(deciding);
    const auto &left = e.value(n.kids[0]), &right = e.value(n.kids[1]);
    if (left && right && !left->isBool && !right->isBool) {
      result.value = left->quantity.value;
      result.limit = right->quantity.value;
      result.unit = left->quantity.unit;
      result.whole = deciding == line.condition.root;
      result.percent = writtenInPercent(line.condition, deciding);
    }
  }
  const ExprNode* unknown = e.result() || line.policy.empty() ? nullptr : e.withoutMeaning();
  if (unknown)
    reportSkipped(plan, line, *unknown, result, diagnostics);
  else if (!e.result())
    e.reportMissing(diagnostics);
  else if (!result.ok)
    reportFailed(plan, estimate, line, e, result, diagnostics);
  return result;
}

void reportOutside(const ir::Plan& plan, const cost::Estimate& estimate, const ir::Measured& line, const Evaluation& e,
                   const MeasuredResult& result, DiagnosticEngine& diagnostics) {
  std::string predicted = quantityText(result.predicted, result.unit, result.percent);
  auto report = diagnostics.report(MeasuredOutOfTolerance, e.node(line.metric.root).range,
                                   {{"metric", result.metric},
                                    {"plan", plan.name.str()},
                                    {"predicted", predicted},
                                    {"measured", quantityText(result.measured, result.unit, result.percent)},
                                    {"error", signedPercentText(result.error)},
                                    {"tolerance", percentText(*result.tolerance)},
                                    ofPlan(plan)});
  bool single = e.node(line.metric.root).kids.empty();
  report.primary("predicted " + predicted);
  if (!single) e.drawValues(report);
  report.label(line.value.nodes[line.value.root].range, signedPercentText(result.error));
  if (!result.source.empty()) report.note("measured by: " + result.source);
  for (std::string& note : contributorNotes(estimate, e.metricsUsed())) report.note(std::move(note));
}

/// The interval of a predicted value, where it follows from the step time and that has one.
void addInterval(const ir::Plan& plan, const cost::Estimate& estimate, const ir::Measured& line,
                 MeasuredResult& result) {
  const cost::Confidence& confidence = estimate.totals.confidence;
  if (confidence.coverage <= 0) return;
  const Evaluation shortest(plan, estimate, line.metric, At::Low), longest(plan, estimate, line.metric, At::High);
  if (!shortest.result() || !longest.result()) return;
  const auto [low, high] =
      std::minmax({shortest.result()->quantity.value, longest.result()->quantity.value, result.predicted});
  if (low == high) return;
  result.low = low, result.high = high, result.coverage = confidence.coverage;
}

MeasuredResult evaluateMeasured(const ir::Plan& plan, const cost::Estimate& estimate, const ir::Measured& line,
                                DiagnosticEngine& diagnostics) {
  Evaluation predicted(plan, estimate, line.metric), measured(plan, estimate, line.value);
  MeasuredResult result;
  result.metric = textOf(line.metric, line.metric.root);
  result.tolerance = line.tolerance;
  result.source = line.source;
  result.range = line.range;
  result.ok = false;
  if (!predicted.result()) predicted.reportMissing(diagnostics);
  if (!measured.result()) measured.reportMissing(diagnostics);
  if (!predicted.result() || !measured.result()) return result;
  result.predicted = predicted.result()->quantity.value;
  result.measured = measured.result()->quantity.value;
  result.unit = measured.result()->quantity.unit;
  result.percent = writtenInPercent(line.value, line.value.root);
  result.error = result.measured != 0 ? result.predicted / result.measured - 1 : 0;
  result.known = true;
  addInterval(plan, estimate, line, result);
  result.ok = !result.tolerance || std::abs(result.error) <= *result.tolerance;
  if (!result.ok) reportOutside(plan, estimate, line, predicted, result, diagnostics);
  return result;
}

} // namespace

bool Results::ok() const {
  auto good = [](const auto& r) { return r.ok; };
  return std::all_of(assertions.begin(), assertions.end(), good) && std::all_of(measured.begin(), measured.end(), good);
}

std::optional<ExprValue> valueOf(const ExprTree& tree, const ir::Plan& plan, const cost::Estimate& estimate) {
  return Evaluation(plan, estimate, tree).result();
}

bool isStepTime(const ExprTree& tree) {
  const ExprNode& root = tree.nodes[tree.root];
  const Metric* metric = root.op == ExprOp::Metric ? findMetric(root.metric) : nullptr;
  return metric && metric == metrics().rows()[0];
}

Follows followed(const ExprTree& tree) {
  const ExprNode& root = tree.nodes[tree.root];
  const Metric* metric = root.op == ExprOp::Metric ? findMetric(root.metric) : nullptr;
  return metric ? metric->follows : Follows::None;
}

cost::Wanted wantedBy(const ExprTree& tree) {
  cost::Wanted wanted = cost::Wanted::totals();
  for (const ExprNode& node : tree.nodes)
    if (const Metric* metric = node.op == ExprOp::Metric ? findMetric(node.metric) : nullptr) {
      wanted.rows |= metric->wanted.rows || metric->row;
      wanted.confidence |= metric->wanted.confidence;
    }
  return wanted;
}

Results evaluate(const ir::Plan& plan, const cost::Estimate& estimate, DiagnosticEngine& diagnostics) {
  Results results;
  for (const ir::Assertion& line : plan.assertions)
    results.assertions.push_back(evaluateAssertion(plan, estimate, line, diagnostics));
  for (const ir::Measured& line : plan.measured)
    results.measured.push_back(evaluateMeasured(plan, estimate, line, diagnostics));
  return results;
}

} // namespace planc::verdict
