// The values of an expression, why it has none, and how they are drawn under its text.
// SPDX-License-Identifier: Apache-2.0
#include "backends/verdict/Evaluation.h"

#include "backends/verdict/ExprText.h"
#include "ir/plan/Space.h"
#include "support/DiagnosticRender.h"

#include <cmath>
#include <fmt/core.h>

namespace planc::verdict {

PLANC_ERROR(MetricWithoutMeaning, 903, "metric `{metric}` has no value for this workload")
PLANC_ERROR(NotFinite, 908, "`{text}` has no value: {why}")
PLANC_ERROR(InstancesDiffer, 910, "instances of `{path}` differ in `{metric}`")
PLANC_ERROR(LayerWithoutRow, 912, "layer `{path}` has no row in the report of this plan")

using ir::ExprId;
using ir::ExprNode;
using ir::ExprOp;
using ir::ExprTree;
using ir::ExprValue;

namespace {

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

} // namespace

Evaluation::Evaluation(const ir::Plan& plan, const cost::Estimate& estimate, const ExprTree& tree, At at)
    : plan_(plan), estimate_(estimate), tree_(tree), at_(at) {
  values_ = ir::evaluate(tree_, [this](const ExprNode& node) { return lookup(node); });
}

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
    if (lacking || (metric && !metric->ofLayer() && !metric->read(estimate_))) return &node;
  }
  return nullptr;
}

/// The first metric of the same unit that this estimate has: `tokens_per_second` for `throughput`.
std::string_view Evaluation::sameUnit(const Metric& asked) const {
  for (const Metric* m : metrics().rows())
    if (!m->ofLayer() && !m->isBool && m->unit == asked.unit && m->read(estimate_)) return m->name();
  return "";
}

void Evaluation::reportMetric(const ExprNode& node, DiagnosticEngine& diagnostics) const {
  const Metric* metric = findMetric(node.metric);
  if (!metric) return; // check() has reported it
  if (!metric->row) {
    auto report = diagnostics.report(MetricWithoutMeaning, node.range, {{"metric", node.metric}});
    if (metric->name().starts_with("run.") && !estimate_.run) {
      report.help("state the length of the run: `run { tokens = … }`");
      return;
    }
    if (!metric->needs.empty()) {
      report.help(fmt::format("state it in the `run`: `{}`", metric->needs));
      return;
    }
    const bool ofTokens = metric->unit.exponents[static_cast<size_t>(BaseUnit::Tokens)] != 0 ||
                          metric->name().ends_with("tokens"); // `cost.per_1t_tokens`
    if (ofTokens && plan_.model && !plan_.model->tokensPerSample())
      report.help(
          fmt::format("no input of model `{}` counts tokens; declare it: `in tokens: [batch, seq] int32 counts seq`",
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

} // namespace planc::verdict
