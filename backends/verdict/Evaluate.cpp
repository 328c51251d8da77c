// The verdict: evaluates assert and measured lines against an estimate and reports the ones that fail, with their
// values drawn.
// SPDX-License-Identifier: Apache-2.0
#include "backends/verdict/Contributors.h"
#include "backends/verdict/ExprText.h"
#include "backends/verdict/LayerMetric.h"
#include "backends/verdict/Verdict.h"
#include "ir/Space.h"
#include "support/DiagnosticRender.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

namespace planc::verdict {
namespace {

PLANC_ERROR(AssertionFailed, 901, "assertion failed: {reason}")
PLANC_ERROR(MeasuredOutOfTolerance, 902,
            "predicted `{metric}` is {predicted}, measured {measured}: {error} is outside {tolerance}")
PLANC_ERROR(MetricWithoutMeaning, 903, "metric `{metric}` has no value for this workload")
PLANC_ERROR(NotFinite, 908, "`{text}` has no value: {why}")
PLANC_ERROR(InstancesDiffer, 910, "instances of `{path}` differ in `{metric}`")
PLANC_ERROR(PolicyBroken, 913, "policy `{policy}` does not hold: {reason}")
PLANC_ERROR(LayerWithoutRow, 912, "layer `{path}` has no row in the report of this plan")

PLANC_WARNING(PolicyWithoutMeaning, 914, "policy `{policy}` says nothing of this plan: `{metric}` has no value for it",
              Stage::Priced)

using ir::ExprId;
using ir::ExprNode;
using ir::ExprOp;
using ir::ExprTree;
using ir::ExprValue;

ExprValue numberValue(double value, const Unit& unit) {
  ExprValue v;
  v.quantity = {value, unit};
  return v;
}

ExprValue truthValue(bool truth) {
  ExprValue v;
  v.isBool = true;
  v.truth = truth;
  return v;
}

/// Which step time an expression is evaluated at: the predicted one, or an end of its interval.
enum class At { Middle, Low, High };

/// A metric at an end of the interval of the step time; as predicted if it does not follow from the step time.
std::optional<double> readAt(const Metric& metric, const cost::Estimate& estimate, At at) {
  const std::optional<double> value = metric.read(estimate);
  if (at == At::Middle || !value) return value;
  const cost::Confidence& confidence = estimate.totals.confidence;
  if (metric.power) return *value * std::pow(at == At::Low ? confidence.low : confidence.high, metric.power);
  const Metric* end = findMetric(std::string(metric.name()) + (at == At::Low ? ".low" : ".high")); // of a run
  const std::optional<double> found = end ? end->read(estimate) : std::nullopt;
  return found ? found : value;
}

/// One expression with the values of its parts.
class Evaluation {
  const ir::Plan& plan_;
  const cost::Estimate& estimate_;
  const ExprTree& tree_;
  At at_;
  std::vector<std::optional<ExprValue>> values_;

public:
  Evaluation(const ir::Plan& plan, const cost::Estimate& estimate, const ExprTree& tree, At at = At::Middle)
      : plan_(plan), estimate_(estimate), tree_(tree), at_(at) {
    values_ = ir::evaluate(tree_, [this](const ExprNode& node) { return lookup(node); });
  }

  const ExprTree& tree() const { return tree_; }
  const ExprNode& node(ExprId id) const { return tree_.nodes[id]; }
  const std::optional<ExprValue>& value(ExprId id) const { return values_[id.index]; }
  const std::optional<ExprValue>& result() const { return value(tree_.root); }

  /// Says why the result is missing: at the deepest part that has no value although what it is made of has one.
  void reportMissing(DiagnosticEngine& diagnostics) const { reportMissing(tree_.root, diagnostics); }
  /// A label with its value under every part that is not a plain number.
  void drawValues(DiagnosticEngine::Builder& report) const { draw(tree_.root, report); }
  std::vector<const Metric*> metricsUsed() const;
  /// A metric that has no meaning for the plan's workload; null if each has one.
  const ExprNode* withoutMeaning() const;

private:
  std::optional<ExprValue> lookup(const ExprNode& node) const;
  std::vector<LayerVariant> variants(const ExprNode& node, const Metric& metric) const;
  bool reportMissing(ExprId id, DiagnosticEngine& diagnostics) const;
  std::string_view sameUnit(const Metric& asked) const;
  void reportMetric(const ExprNode& node, DiagnosticEngine& diagnostics) const;
  void draw(ExprId id, DiagnosticEngine::Builder& report) const;
  void drawOperand(ExprId id, bool percent, bool evenLiterals, DiagnosticEngine::Builder& report) const;
};

std::vector<LayerVariant> Evaluation::variants(const ExprNode& node, const Metric& metric) const {
  return node.layer.steps.empty() ? std::vector<LayerVariant>()
                                  : layerVariants(plan_.model.get(), estimate_, node.layer, metric.row);
}

std::optional<ExprValue> Evaluation::lookup(const ExprNode& node) const {
  if (node.op == ExprOp::Fact) return ir::factAt(plan_, node.metric);
  const Metric* metric = findMetric(node.metric);
  if (!metric) return {};
  if (metric->row) {
    std::vector<LayerVariant> found = variants(node, *metric);
    if (found.size() != 1) return {};
    return numberValue(found[0].value, metric->unit);
  }
  std::optional<double> value = readAt(*metric, estimate_, at_);
  if (!value || !std::isfinite(*value)) return {};
  return metric->isBool ? truthValue(*value != 0) : numberValue(*value, metric->unit);
}

std::vector<const Metric*> Evaluation::metricsUsed() const {
  std::vector<const Metric*> used;
  for (const ExprNode& node : tree_.nodes)
    if (node.op == ExprOp::Metric)
      if (const Metric* metric = findMetric(node.metric)) used.push_back(metric);
  return used;
}

const ExprNode* Evaluation::withoutMeaning() const {
  for (const ExprNode& node : tree_.nodes) {
    const Metric* metric = node.op == ExprOp::Metric ? findMetric(node.metric) : nullptr;
    const bool lacking = node.op == ExprOp::Fact && !ir::factAt(plan_, node.metric); // an axis that its mesh has not
    if (lacking || (metric && metric->read && !metric->read(estimate_))) return &node;
  }
  return nullptr;
}

/// The first metric of the same unit that this estimate has: `tokens_per_second` for `throughput`.
std::string_view Evaluation::sameUnit(const Metric& asked) const {
  for (const Metric* m : metrics().rows())
    if (m->read && !m->isBool && m->unit == asked.unit && m->read(estimate_)) return m->name();
  return "";
}

void Evaluation::reportMetric(const ExprNode& node, DiagnosticEngine& diagnostics) const {
  const Metric* metric = findMetric(node.metric);
  if (!metric) return; // check() has reported it
  if (!metric->row) {
    auto report = diagnostics.report(MetricWithoutMeaning, node.range, {{"metric", node.metric}});
    if (metric->name().starts_with("run.") && !estimate_.run) {
      report.help("say how long the plan runs: `run { tokens = … }`");
      return;
    }
    if (!metric->needs.empty()) {
      report.help(fmt::format("say it in the `run`: `{}`", metric->needs));
      return;
    }
    const bool ofTokens = metric->unit.exponents[static_cast<size_t>(BaseUnit::Tokens)] != 0 ||
                          metric->name().ends_with("tokens"); // `cost.per_1t_tokens`
    if (ofTokens && plan_.model && !plan_.model->tokensPerSample())
      report.help(fmt::format("no input of model `{}` counts tokens; say which ones do: `in tokens: [batch, seq] int32 "
                              "counts seq`",
                              plan_.model->name.view()));
    else if (const std::string_view other = sameUnit(*metric); !other.empty() && !metric->unit.plain())
      report.help(fmt::format("did you mean `{}`?", other))
          .fix({fmt::format("write `{}`", other), {{node.range, std::string(other), std::string(metric->name())}}});
    else
      report.help("remove the line, or move it to a plan whose workload has this number");
    return;
  }
  std::vector<LayerVariant> found = variants(node, *metric);
  if (found.empty()) {
    auto report = diagnostics.report(LayerWithoutRow, node.range, {{"path", node.layer.str()}});
    std::vector<std::string> paths;
    for (const cost::LayerRow& row : estimate_.layers) paths.push_back(row.layer.str());
    report.meant(node.layer.str(), paths);
    return;
  }
  auto report =
      diagnostics.report(InstancesDiffer, node.range, {{"path", node.layer.str()}, {"metric", node.metric.substr(6)}});
  for (const LayerVariant& v : found)
    report.note(fmt::format("`{}`: {}", v.str(), formatQuantity(v.value, metric->unit)));
  if (!found[0].stage)
    report.help(fmt::format("name one of them: `layer(\"{}\").{}`", found[0].str(), node.metric.substr(6)));
}

bool Evaluation::reportMissing(ExprId id, DiagnosticEngine& diagnostics) const {
  if (value(id)) return false;
  const ExprNode& n = node(id);
  bool below = false;
  for (ExprId kid : n.kids) below |= reportMissing(kid, diagnostics);
  if (below) return true;
  if (n.op == ExprOp::Metric) {
    reportMetric(n, diagnostics);
    return true;
  }
  bool byZero = n.op == ExprOp::Div && value(n.kids[1]) && value(n.kids[1])->quantity.value == 0;
  std::string why = byZero ? fmt::format("`{}` is 0", textOf(tree_, n.kids[1])) : "it is too large to be a number";
  auto report = diagnostics.report(NotFinite, n.range, {{"text", textOf(tree_, id)}, {"why", why}});
  for (ExprId kid : n.kids)
    if (value(kid) && !node(kid).literal) report.label(node(kid).range, valueText(*value(kid), false));
  return true;
}

/// Conditions are drawn as true or false; a comparison that fails with the values of its two sides.
void Evaluation::draw(ExprId id, DiagnosticEngine::Builder& report) const {
  const ExprNode& n = node(id);
  if (!value(id)) return;
  if (isComparison(n.op)) {
    bool percent = writtenInPercent(tree_, id);
    bool holds = value(id)->truth;
    if (id != tree_.root) report.label(n.opRange.valid() ? n.opRange : n.range, holds ? "true" : "false");
    if (holds && id != tree_.root) return;
    for (ExprId kid : n.kids) drawOperand(kid, percent, true, report);
    return;
  }
  bool logic = n.op == ExprOp::And || n.op == ExprOp::Or || n.op == ExprOp::Not || n.op == ExprOp::If;
  if (!logic) return drawOperand(id, writtenInPercent(tree_, id), false, report);
  for (ExprId kid : n.kids) draw(kid, report);
}

void Evaluation::drawOperand(ExprId id, bool percent, bool evenLiterals, DiagnosticEngine::Builder& report) const {
  const ExprNode& n = node(id);
  if (!value(id) || (n.literal && !evenLiterals)) return;
  bool arithmetic = !n.kids.empty();
  SourceRange place = arithmetic && n.opRange.valid() ? n.opRange : n.range;
  report.label(place, valueText(*value(id), percent));
  if (n.op == ExprOp::Neg && node(n.kids[0]).literal) return;
  for (ExprId kid : n.kids) drawOperand(kid, false, false, report);
}

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
    return gap == 0 ? "equal, and not below it" : "over by " + by + share;
  case ExprOp::Gt:
  case ExprOp::Ge:
    return gap == 0 ? "equal, and not above it" : "short by " + by + share;
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
