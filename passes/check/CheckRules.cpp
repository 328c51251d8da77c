// check-rules: every rule places something (L7). Warns of what runs but is hardly intended: idle axes, and an axis
// order that moves digits.
// SPDX-License-Identifier: Apache-2.0
#include "ir/layout/Routed.h"
#include "passes/Steps.h"
#include "passes/cut/Statements.h"
#include "support/text/Spelling.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <vector>

namespace planc::passes {
using namespace ir;

PLANC_ERROR(RuleWithoutEffect, 634, "no operator in `{selector}` has a dimension `{dim}`")
PLANC_ERROR(RuleOfParts, 638, "no rule can place `{dim}`: it lies where {parts}")
PLANC_WARNING(IdleAxis, 640, "`{op}` does the same work on {size} ranks of `{axis}`")
PLANC_WARNING(AxisOrder, 641,
              "`{axis}` is before `{other}` in `{dim} -> {axes}`: gathering it moves every index to another device")

namespace {

/// Returns whether a rule can place the dimension in the operator: by itself, through a composite, or through a routed
/// or pooled dimension. A dimension with parts itself lies where its parts lie.
bool hasDim(const Model& model, const Op& op, Symbol dim) {
  auto named = [&](DimId d) { return model.dims[d].name == dim && model.dims[d].kind == DimKind::Basic; };
  if (std::any_of(op.dims.begin(), op.dims.end(), named) || std::any_of(op.along.begin(), op.along.end(), named))
    return true;
  for (DimId d : op.dims)
    if (model.standsForParts(op, d) && std::any_of(model.dims[d].parts.begin(), model.dims[d].parts.end(), named))
      return true;
  for (CompositeId c : op.composites)
    if (model.composites[c].name == dim)
      for (DimId f : model.composites[c].factors)
        if (std::find(op.dims.begin(), op.dims.end(), f) != op.dims.end()) return true;
  return false;
}

/// The operators below each path, and the classes of each layer.
struct Below {
  std::map<std::vector<Symbol>, std::vector<OpId>> operators;
  std::vector<std::vector<LayerClassId>> classes; ///< by layer

  explicit Below(const ProgramHead& program) : classes(program.model->layers.size()) {
    const Model& model = program.model;
    for (uint32_t i = 0; i < model.ops.size(); ++i) {
      std::vector<Symbol> path = model.ops[OpId(i)].path;
      for (;; path.pop_back()) {
        operators[path].push_back(OpId(i));
        if (path.empty()) break;
      }
    }
    for (uint32_t c = 0; c < program.classCount(); ++c)
      if (const ClassHead& layerClass = program.head(LayerClassId(c)); !layerClass.boundaryReshard)
        classes[layerClass.layer.index].push_back(LayerClassId(c));
  }

  /// Operators that a selector can match.
  const std::vector<OpId>& of(const Selector& selector) const {
    static const std::vector<OpId> kNone;
    const bool star = std::any_of(selector.steps.begin(), selector.steps.end(), [](const auto& s) { return s.star; });
    const auto found = operators.find(star ? std::vector<Symbol>() : selector.names());
    return found == operators.end() ? kNone : found->second;
  }
};

/// Returns the names of the dimensions that place the operator's dimension of that name; empty if a rule can place it,
/// or if the operator lacks it.
std::vector<std::string> placedBy(const Model& model, const Op& op, Symbol dim) {
  std::vector<std::string> names;
  for (const DimId d : op.dims)
    if (model.dims[d].name == dim)
      for (const DimId part : model.dims[d].parts) names.push_back(model.dims[part].name.str());
  return names;
}

/// Reports a rule that places nothing. `found`: the dimensions of the operators that it reaches. `parts`: the
/// dimensions that place the rule's dimension there, if it has parts.
void reportIdle(const PlacementRule& rule, const std::set<std::string>& found, const std::vector<std::string>& parts,
                DiagnosticEngine& diagnostics) {
  const std::string selector = rule.selector.steps.empty() ? "the model" : rule.selector.str();
  const SourceRange at = rule.dimRange.valid() ? rule.dimRange : rule.range;
  if (!parts.empty()) {
    const std::string series = quotedSeries(parts);
    diagnostics
        .report(RuleOfParts, at, {{"dim", rule.dim.str()}, {"parts", series + (parts.size() == 1 ? " lies" : " lie")}})
        .help(fmt::format("place {}, or remove the rule", series));
    return;
  }
  auto report = diagnostics.report(RuleWithoutEffect, at, {{"selector", selector}, {"dim", rule.dim.str()}});
  const std::vector<std::string> names(found.begin(), found.end());
  report.meant(rule.dim.view(), names);
  if (!names.empty()) report.note("dimensions found there: " + quotedList(names));
}

bool checkReach(const ProgramHead& program, const Below& below, const PlacementRule& rule,
                DiagnosticEngine& diagnostics) { // L7
  std::set<std::string> found;
  std::vector<std::string> parts;
  for (const OpId id : below.of(rule.selector)) {
    const Op& op = program.model->ops[id];
    const Layer& layer = program.model->layers[op.layer];
    const auto reached = [&](LayerClassId c) {
      return reaches(rule.selector, op.path, layer, namedBy(rule.selector, layer, program.head(c).instances));
    };
    const std::vector<LayerClassId>& classes = below.classes[op.layer.index];
    if (std::none_of(classes.begin(), classes.end(), reached)) continue;
    if (hasDim(program.model, op, rule.dim)) return true;
    if (parts.empty()) parts = placedBy(*program.model, op, rule.dim);
    for (DimId d : op.dims)
      if (const Dim& dim = program.model->dims[d]; dim.kind == DimKind::Basic) found.insert(dim.name.str());
    for (CompositeId c : op.composites) found.insert(program.model->composites[c].name.str());
  }
  for (ValueId in : program.model->inputs)
    if (rule.selector.steps.empty())
      for (DimId d : program.model->values[in].dims)
        if (program.model->dims[d].name == rule.dim) return true;
  if (rule.optional) return true;
  reportIdle(rule, found, parts, diagnostics);
  return false;
}

/// Returns what a plan probably lacks if nothing is split over an axis: a split of the samples, or stages.
std::string forgotten(const Plan& plan, Symbol axis) {
  auto names = [&](const std::vector<Symbol>& targets) {
    for (Symbol target : targets)
      for (AxisId a : plan.mesh.resolve(target).value_or(AxisList()))
        if (plan.mesh.axes[a].written == axis) return true;
    return false;
  };
  const Symbol samples = plan.workload.samples;
  bool placed = false, stored = false;
  const PlacementRule* batch = nullptr;
  for (const PlacementRule& rule : plan.placements) {
    if (rule.dim == samples && rule.selector.steps.empty()) batch = &rule;
    placed |= names(rule.targets);
  }
  for (const StateRule& rule : plan.states) stored |= names(rule.targets);
  if (placed) return "";
  if (!batch) return fmt::format("did you forget `{} -> {}`?", samples.view(), axis.view());
  std::string axes(axis.view()), other; // the suggestion keeps the axes that split the samples already
  for (Symbol target : batch->targets) axes += ", " + target.str();
  if (!stored && !plan.pipeline) other = fmt::format(", or `pipeline {} {{ schedule = one_f_one_b }}`", axis.view());
  return fmt::format("did you forget `{} -> [{}]`{}?", samples.view(), axes, other);
}

/// Warns if an axis does not split an operator with over 1 % of the FLOPs, which then computes the same on all ranks of
/// the axis.
void warnIdle(const ProgramHead& program, DiagnosticEngine& diagnostics) {
  auto flopsOf = [&](const Op& op) {
    return op.flops.evaluate([&](DimId d) { return sizeOf(program.model, d); }, [](int) { return 1.0; }) *
           program.model->times(op.region);
  };
  double total = 0;
  for (const Op& op : program.model->ops) total += flopsOf(op);
  for (const ClassHead& layerClass : program.heads()) {
    const Layer& layer = program.model->layers[layerClass.layer];
    for (uint32_t i = layer.first.index; i < layer.end.index; ++i) {
      const Op& op = program.model->ops[OpId(i)];
      if (flopsOf(op) < 0.01 * total) continue;
      AxisMask used = layerClass.placements[local(layer, OpId(i))].mask() | program.stageAxes;
      for (AxisId a : program.mesh.order) {
        const Axis& axis = program.mesh.axes[a];
        if (axis.size == 1 || (used & maskOf(a))) continue;
        int64_t ranks = 1; // a refined axis may be idle in all its parts, or in one
        for (AxisId b : program.mesh.order)
          if (program.mesh.axes[b].written == axis.written && !(used & maskOf(b))) ranks *= program.mesh.axes[b].size;
        diagnostics.report(IdleAxis, axis.range, {{"op", join(op.path)}, {"size", ranks}, {"axis", axis.written.str()}})
            .label(op.range, "this operator is not split over it")
            .help(forgotten(*program.plan, axis.written))
            .help(fmt::format("place one of its dimensions on `{}`, or make the axis smaller", axis.written.view()));
        return; // one warning is enough
      }
    }
  }
}

/// docs/language.md, section 10: an inner scope that keeps only the right part of a list of axes moves digits. The axis
/// that it drops must be last.
void warnOrder(const ProgramHead& program, DiagnosticEngine& diagnostics) {
  const auto splitting = [&](const PlacementRule& rule) { // its targets, without axes of one device
    std::vector<Symbol> targets;
    for (const Symbol t : rule.targets)
      if (!resolveTargets(program.mesh, {t}).empty()) targets.push_back(t);
    return targets;
  };
  for (const PlacementRule& inner : program.plan->placements) {
    const std::vector<Symbol> in = splitting(inner);
    if (in.size() < 2) continue;
    for (const PlacementRule& outer : program.plan->placements) {
      if (inner.dim != outer.dim || inner.selector.steps.size() <= outer.selector.steps.size()) continue;
      const std::vector<Symbol> out = splitting(outer);
      if (out.size() != 1 || in.front() == out.front()) continue;
      if (std::find(in.begin(), in.end(), out.front()) == in.end()) continue;
      diagnostics
          .report(AxisOrder, inner.targetRange,
                  {{"axis", in.front().str()},
                   {"other", out.front().str()},
                   {"dim", inner.dim.str()},
                   {"axes", program.mesh.str(resolveTargets(program.mesh, inner.targets))}})
          .label(outer.range, fmt::format("outside of it only `{}` is used", out.front().view()))
          .help(fmt::format("`{}` is before `{}`: list it last", in.front().view(), out.front().view()));
    }
  }
}

} // namespace

bool checkRules(ShardedProgram& program, DiagnosticEngine& diagnostics) {
  bool ok = true;
  const Below below(program);
  for (const PlacementRule* rule : heldPlacements(*program.plan, program.mesh))
    ok &= checkReach(program, below, *rule, diagnostics);
  ok = ok && checkKernels(program, diagnostics);
  if (!ok) return false;
  if (diagnostics.wantsWarnings()) {
    warnIdle(program, diagnostics);
    warnOrder(program, diagnostics);
    warnPlacedByHalf(program, diagnostics);
  }
  return checkEffects(program, diagnostics);
}

} // namespace planc::passes
