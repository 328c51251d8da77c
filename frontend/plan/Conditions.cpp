// Converts conditions and metrics to typed trees: paths of the plan become constants, other dotted names are metrics.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/plan/Conditions.h"

#include "frontend/eval/Arithmetic.h"
#include "frontend/plan/SearchWords.h"
#include "frontend/plan/Steps.h"
#include "ir/vocabulary/Metrics.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace planc::frontend {
using syntax::Expr;
using syntax::ExprKind;

PLANC_ERROR(ConditionValue, 335, "a condition of a plan compares numbers; this is {type}")
PLANC_ERROR(LayerMetricForm, 336, "a metric of a layer must be written as in `layer(\"decoder.attn\").forward`")

namespace {

std::optional<ir::ExprOp> exprOp(BinaryOp op) {
  switch (op) {
  case BinaryOp::Add:
    return ir::ExprOp::Add;
  case BinaryOp::Sub:
    return ir::ExprOp::Sub;
  case BinaryOp::Mul:
    return ir::ExprOp::Mul;
  case BinaryOp::Div:
    return ir::ExprOp::Div;
  case BinaryOp::Lt:
    return ir::ExprOp::Lt;
  case BinaryOp::Gt:
    return ir::ExprOp::Gt;
  case BinaryOp::Le:
    return ir::ExprOp::Le;
  case BinaryOp::Ge:
    return ir::ExprOp::Ge;
  case BinaryOp::Eq:
    return ir::ExprOp::Eq;
  case BinaryOp::Ne:
    return ir::ExprOp::Ne;
  case BinaryOp::And:
    return ir::ExprOp::And;
  case BinaryOp::Or:
    return ir::ExprOp::Or;
  default:
    return std::nullopt;
  }
}

/// The text of `a.b.c`, and its first name in `root`; nothing for any other expression.
std::optional<std::string> dotted(const Expr& e, const Expr** root) {
  std::vector<const Expr*> links;
  const Expr* at = &e;
  for (; at->kind == ExprKind::Member; at = at->kids[0]) links.push_back(at);
  if (at->kind != ExprKind::Name) return std::nullopt;
  *root = at;
  std::string text = at->name.text.str();
  for (auto l = links.rbegin(); l != links.rend(); ++l) text += "." + (*l)->name.text.str();
  return text;
}

bool literal(const Expr& e) {
  return e.kind == ExprKind::Int || e.kind == ExprKind::Float || e.kind == ExprKind::Quantity ||
         e.kind == ExprKind::True || e.kind == ExprKind::False;
}

/// Converts one condition to a tree.
struct Lowering {
  Elaboration& elab;
  MergedPlan& merged;
  PathTree* paths;
  Scope& scope;
  bool ofSearch = false; ///< paths that a search varies become facts
  bool ofPolicy = false; ///< paths that not every plan has become facts
  ir::ExprTree out = {};
  size_t depth = 0; ///< upper bound of the tree depth above the current expression

  ir::ExprId lower(const Expr& e);

private:
  bool ofRun(const Expr& e, const Expr& root);
  bool isMetric(const std::string& path, const Expr& e, const Expr& root);
  bool hidden(const Expr& root) const;
  bool changes(const std::string& path, const Expr& root) const;
  bool lacks(const std::string& path, const Expr& root) const;
  std::optional<Value> parameter(const Expr& e, const Expr& root);
  std::optional<ir::ExprId> words(const Expr& comparison);
  ir::ExprId leaf(const Expr& e);
  ir::ExprId layer(const Expr& member, const Expr& call);
  ir::ExprId constant(const Value& v, const Expr& e);
  bool isZero(ir::ExprId id) const {
    const ir::ExprNode& node = out.nodes[id];
    return node.op == ir::ExprOp::Constant && !node.constant.isBool && node.constant.quantity.value == 0;
  }
};

// Chains such as `a and b and …` nest to the left, so their links are collected first, as in Evaluator::evaluate.
// Readers of the tree descend its left side, so its depth is limited.
ir::ExprId Lowering::lower(const Expr& e) {
  std::vector<const Expr*> chain;
  const Expr* at = &e;
  for (; at->kind == ExprKind::Binary && exprOp(binaryOp(at->text)); at = at->kids[0]) chain.push_back(at);
  const size_t levels = chain.size() + 1;
  if (depth + levels > limits::kConditionDepth || elab.context.depth >= limits::kDepth) {
    reportTooDeep(elab.context, e.range, limits::kConditionDepth,
                  ofSearch ? "write each part as a separate `where` line"
                           : "write each part as a separate condition, or name constants with `let`");
    return {};
  }
  depth += levels, ++elab.context.depth;
  const std::optional<ir::ExprId> compared = chain.empty() ? std::nullopt : words(*chain.back());
  if (compared) chain.pop_back();
  ir::ExprId id = compared ? *compared : leaf(*at);
  for (auto link = chain.rbegin(); link != chain.rend() && elab.context.step(e.range); ++link) {
    const ir::ExprId right = lower(*(*link)->kids[1]);
    if (!id.valid() || !right.valid()) {
      id = {};
      continue;
    }
    if (binaryOp((*link)->text) == BinaryOp::Div && isZero(right)) {
      reportByZero(elab.context, (*link)->range, fmt::format("`{}`", elab.context.text((*link)->kids[0]->range)),
                   (*link)->kids[1]->range);
      id = {};
      continue;
    }
    ir::ExprNode node;
    node.op = *exprOp(binaryOp((*link)->text));
    node.range = (*link)->range;
    node.opRange = (*link)->opRange;
    node.kids = {id, right};
    id = out.nodes.add(std::move(node));
  }
  depth -= levels, --elab.context.depth;
  return id;
}

/// Returns whether the path is a result in the plan's `run` section, `run.days`, and not one of the section's facts.
bool Lowering::ofRun(const Expr& e, const Expr& root) {
  static const Symbol kRun(ir::name(ir::Statement::Run));
  FactNode* run = root.name.text == kRun ? merged.section(ir::Statement::Run) : nullptr;
  return run && !merged.lets.root().find(kRun) && e.kind == ExprKind::Member &&
         (e.kids[0] != &root || !run->find(e.name.text));
}

/// Returns whether the path is a metric although its first name is a fact of the plan: `run.days`, `cluster.devices`.
bool Lowering::isMetric(const std::string& path, const Expr& e, const Expr& root) {
  if (ofRun(e, root)) return true;
  FactNode* fact = ir::metricWords().find(path) ? merged.fact(root.name.text.view()) : nullptr;
  return fact && !fact->section() && !merged.lets.root().find(root.name.text);
}

/// Returns whether another name in scope hides the block of the plan.
bool Lowering::hidden(const Expr& root) const {
  if (merged.lets.root().find(root.name.text)) return true;
  for (const Scope* s = &scope; s; s = s->parent)
    if (s->names.find(root.name.text)) return true;
  return false;
}

/// Returns whether the path is an axis that the plan lacks, `mesh.tp`. A condition of a policy then has no meaning for
/// it.
bool Lowering::lacks(const std::string& path, const Expr& root) const {
  constexpr std::string_view kMesh = "mesh.";
  if (!ofPolicy || !path.starts_with(kMesh) || hidden(root)) return false;
  const std::string axis = path.substr(kMesh.size());
  return axis.find('.') == std::string::npos && !merged.mesh.find(Symbol(axis));
}

/// Returns whether a search may vary the path, `mesh.tp`, `train.micro_batch`, and no other name hides it.
bool Lowering::changes(const std::string& path, const Expr& root) const {
  if (!ofSearch || hidden(root)) return false;
  constexpr std::string_view kMesh = "mesh.";
  if (path.starts_with(kMesh)) return merged.mesh.find(Symbol(path.substr(kMesh.size()))) != nullptr;
  const size_t dot = path.find('.');
  FactNode* section = ir::isBatch(path) ? merged.section(path.substr(0, dot)) : nullptr;
  return section && section->find(Symbol(path.substr(dot + 1)));
}

/// The value of a parameter path, `cluster.nodes`, as in `--set` and `vary`. It has priority over a level of the same
/// name. Nothing for any other path.
std::optional<Value> Lowering::parameter(const Expr& e, const Expr& root) {
  if (!ofSearch || e.kind != ExprKind::Member || !elab.ev.find(root.name.text, scope, root.range) || ofRun(e, root))
    return std::nullopt;
  const Value base = elab.ev.evaluate(*e.kids[0], scope);
  if (base.invalid()) return base;
  return base.kind == ValueKind::Decl ? elab.machines.parameter(*base.decl, e.name) : std::nullopt;
}

/// Converts `recompute == none`, `precision.compute != fp8`. Nothing for a comparison of numbers.
std::optional<ir::ExprId> Lowering::words(const Expr& e) {
  const BinaryOp op = binaryOp(e.text);
  const Expr* root = nullptr;
  const auto path =
      (ofSearch || ofPolicy) && (op == BinaryOp::Eq || op == BinaryOp::Ne) ? dotted(*e.kids[0], &root) : std::nullopt;
  if (!path || changes(*path, *root) || isMetric(*path, *e.kids[0], *root)) return std::nullopt;
  if (const auto given = parameter(*e.kids[0], *root); given && !isWord(*given))
    return given->invalid() ? std::optional(ir::ExprId{}) : std::nullopt;
  if (elab.ev.find(root->name.text, scope, root->range)) {
    const Value left = elab.ev.evaluate(*e.kids[0], scope);
    if (left.invalid()) return ir::ExprId{};
    if (!isWord(left)) return std::nullopt;
    const Value whole = elab.ev.evaluate(e, scope);
    return whole.invalid() ? ir::ExprId{} : constant(whole, e);
  }
  if (!isWordPath(*path)) return std::nullopt;
  const auto word = wordText(elab, paths, *path, *e.kids[1], scope);
  if (!word) return ir::ExprId{};
  ir::ExprNode node;
  node.op = ir::ExprOp::Fact;
  node.range = e.kids[0]->range;
  node.metric = fmt::format("{} == {}", *path, *word);
  node.constant.isBool = true;
  const ir::ExprId equal = out.nodes.add(std::move(node));
  if (op == BinaryOp::Eq) return equal;
  ir::ExprNode negated;
  negated.op = ir::ExprOp::Not;
  negated.range = e.range;
  negated.opRange = e.opRange;
  negated.kids = {equal};
  return out.nodes.add(std::move(negated));
}

ir::ExprId Lowering::leaf(const Expr& e) {
  ir::ExprNode node;
  node.range = e.range;
  if (e.kind == ExprKind::Unary || e.kind == ExprKind::If) {
    node.op = e.kind == ExprKind::If ? ir::ExprOp::If : e.text == "not" ? ir::ExprOp::Not : ir::ExprOp::Neg;
    node.opRange = e.opRange;
    for (const Expr* kid : e.kids) {
      node.kids.push_back(lower(*kid));
      if (!node.kids.back().valid()) return {};
    }
    return out.nodes.add(std::move(node));
  }
  const Expr* root = nullptr;
  const auto text = dotted(e, &root);
  if (text && (changes(*text, *root) || lacks(*text, *root))) {
    node.op = ir::ExprOp::Fact;
    node.metric = *text;
    return out.nodes.add(std::move(node));
  }
  if (const auto given = text ? parameter(e, *root) : std::nullopt)
    return given->invalid() ? ir::ExprId{} : constant(*given, e);
  if (text && ofSearch && isOfBlocks(root->name.text) && !elab.ev.find(root->name.text, scope, root->range)) {
    reportConditionValue(elab.context, e.range, fmt::format("`{}`, which is not a number", *text), true);
    return {};
  }
  if (text && (!elab.ev.find(root->name.text, scope, root->range) || isMetric(*text, e, *root))) {
    node.op = ir::ExprOp::Metric;
    node.metric = *text;
    return out.nodes.add(std::move(node));
  }
  static const Symbol kLayer("layer");
  if (e.kind == ExprKind::Member && e.kids[0]->kind == ExprKind::Call && e.kids[0]->kids[0]->kind == ExprKind::Name &&
      e.kids[0]->kids[0]->name.text == kLayer)
    return layer(e, *e.kids[0]);
  if (e.kind == ExprKind::Call && e.kids[0]->kind == ExprKind::Name && e.kids[0]->name.text == kLayer) {
    elab.context.report(LayerMetricForm, e.range)
        .help("choose one of its times: `.forward`, `.backward`, `.recompute`, `.comm`, `.exposed`");
    return {};
  }
  const Value v = elab.ev.evaluate(e, scope);
  return v.invalid() ? ir::ExprId{} : constant(v, e);
}

ir::ExprId Lowering::layer(const Expr& member, const Expr& call) {
  if (call.args.size() != 1 || call.args[0].name || call.args[0].value->kind != ExprKind::String) {
    elab.context.report(LayerMetricForm, call.range);
    return {};
  }
  const Expr& path = *call.args[0].value;
  const auto selector = parseSelector(elab.context, path.string, path.range);
  if (!selector || (paths && !paths->check(*selector, elab.context))) return {};
  ir::ExprNode node;
  node.op = ir::ExprOp::Metric;
  node.range = member.range;
  node.metric = "layer." + member.name.text.str();
  node.layer = *selector;
  return out.nodes.add(std::move(node));
}

ir::ExprId Lowering::constant(const Value& v, const Expr& e) {
  ir::ExprNode node;
  node.range = e.range;
  node.literal = literal(e);
  if (v.isBool()) {
    node.constant.isBool = true;
    node.constant.truth = v.truth;
  } else if (v.numeric()) {
    node.constant.quantity = {v.asDouble(), v.isInt() ? Unit{} : v.unit};
  } else {
    reportConditionValue(elab.context, e.range, describe(v), ofSearch);
    return {};
  }
  return out.nodes.add(std::move(node));
}

/// Runs a conversion. Returns nothing after a report.
std::optional<ir::ExprTree> treeOf(Lowering lowering, const Expr& e) {
  lowering.out.text = std::string(lowering.elab.context.text(e.range));
  lowering.out.root = lowering.lower(e);
  if (lowering.out.root.valid()) return std::move(lowering.out);
  lowering.elab.ok = false;
  return std::nullopt;
}

} // namespace

std::optional<ir::ExprTree> conditionTree(Elaboration& elab, MergedPlan& merged, PathTree* paths, const Expr& e,
                                          Scope& scope) {
  return treeOf(Lowering{elab, merged, paths, scope}, e);
}

std::optional<ir::ExprTree> policyTree(Elaboration& elab, MergedPlan& merged, PathTree* paths, const Expr& e,
                                       Scope& scope) {
  return treeOf(Lowering{elab, merged, paths, scope, false, true}, e);
}

std::optional<ir::ExprTree> searchTree(Elaboration& elab, MergedPlan& merged, PathTree* paths, const Expr& e,
                                       Scope& scope) {
  return treeOf(Lowering{elab, merged, paths, scope, true}, e);
}

void reportConditionValue(Context& context, SourceRange at, std::string type, bool ofSearch) {
  auto report = context.report(ConditionValue, at, {{"type", std::move(type)}});
  if (ofSearch)
    report.help(
        "a condition of a search is over numbers and metrics; words are compared by `==` and `!=` with a path on "
        "the left: `recompute == none`, `pipeline.schedule != zb_h1`, `precision.compute == fp8`");
}

} // namespace planc::frontend
