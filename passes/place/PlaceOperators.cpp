// place-operators: turns `selector { dim -> axes }` into the axes of every dimension of every operator
// (docs/language.md, section 10), with laws L1, L2, L3, L5. The placement of an operator depends only on the operator
// and the rules, never on its neighbours.
// SPDX-License-Identifier: Apache-2.0
#include "passes/lower/SelectorIndex.h"
#include "passes/place/Placed.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <set>

namespace planc::passes {
using namespace ir;

PLANC_ERROR(IndivisibleExtent, 612, "dimension `{dim}` ({extent}) is not divisible by mesh axis `{axis}` ({size})")
PLANC_ERROR(AxisBeyondExtent, 613, "mesh axis `{axis}` ({size}) is larger than dimension `{dim}` ({extent})")
PLANC_ERROR(AxisWantedTwice, 630, "`{first}` and `{second}` of `{op}` both need axis `{axis}`")
PLANC_ERROR(TwoRules, 631, "two rules place `{dim}` of `{op}`")
PLANC_ERROR(HiddenAxis, 632, "`{dim} -> {inner}` replaces `{dim} -> {outer}` and leaves axis `{lost}` unused in `{op}`")

namespace {

/// A rule that lost an axis to another rule of equal depth, which names a group with the axis.
struct Yielded {
  const PlacementRule *rule = nullptr, *owner = nullptr;
  DimId dim, ownerDim;
  AxisId axis;
  const Op* op = nullptr;
};

/// Returns the number of axes in the groups that a rule names, as they are written; 0 if it names none. The parts of a
/// refined axis are no group.
int groupedAxes(const Mesh& mesh, const PlacementRule& rule) {
  std::set<Symbol> axes;
  for (const Symbol target : rule.targets)
    if (const AxisGroup* const group = mesh.findGroup(target))
      for (const AxisId a : group->axes)
        if (mesh.axes[a].written != target) axes.insert(mesh.axes[a].written);
  return static_cast<int>(axes.size());
}

/// A rule that reaches the operator, for one basic dimension.
struct Claim {
  DimId dim;
  int depth = 0;
  AxisList axes;
  const PlacementRule* rule = nullptr;
  int grouped = 0; ///< number of axes in the groups that the rule names
};

void reportWantedTwice(const ProgramHead& program, const Yielded& y, DiagnosticEngine& diagnostics) { // L1
  const Symbol first = program.model->dims[y.ownerDim].name, second = program.model->dims[y.dim].name;
  diagnostics
      .report(AxisWantedTwice, y.rule->range,
              {{"first", first.str()},
               {"second", second.str()},
               {"op", join(y.op->path)},
               {"axis", program.mesh.axes[y.axis].written.str()}})
      .label(y.owner->range, fmt::format("`{}` uses it here, at the same depth", first.view()))
      .label(y.op->range, "the operator")
      .help("make one selector more specific (the innermost rule owns the axis), or give one of them another axis")
      .help(y.owner != y.rule && groupedAxes(program.mesh, *y.owner) > groupedAxes(program.mesh, *y.rule)
                ? fmt::format("`{} -> {} optional` takes the axis only if it is free", second.view(),
                              program.mesh.axes[y.axis].written.view())
                : std::string());
}

struct Placer {
  const ProgramHead& program;
  DiagnosticEngine& diagnostics;
  const Op& op;
  const Layer& layer;
  const RangeSet& instances;
  const std::vector<const PlacementRule*>& rules; ///< rules that apply to the mesh
  const SelectorIndex& selectors;                 ///< of the rules
  llvm::SmallVector<DimId, 8> dims =
      {}; ///< dimensions that a rule may place: the iteration space and the parts of routed dims
  llvm::SmallVector<Claim, 8> claims = {}; ///< the innermost rule of each dim
  llvm::SmallVector<Claim, 8> all = {};    ///< every rule of each dim
  std::vector<Yielded>& yielded;           ///< in all operators so far, each rule once
  bool ok = true;

  std::string path() const { return join(op.path); }
  const Dim& dim(DimId d) const { return program.model->dims[d]; }
  std::string axesText(const AxisList& axes) const { return axes.empty() ? "replicate" : program.mesh.str(axes); }

  void collectDims() {
    dims.assign(op.dims.begin(), op.dims.end());
    for (DimId d : op.dims)
      if (program.model->standsForParts(op, d))
        for (DimId part : dim(d).parts)
          if (!llvm::is_contained(dims, part)) dims.push_back(part);
    for (DimId d : op.along)
      if (!llvm::is_contained(dims, d)) dims.push_back(d);
  }

  /// Distributes the axes of a composite dim over its factors, major first. refine-axes has already split axes that
  /// straddle.
  void claimComposite(const PlacementRule& rule, int depth, const Composite& composite) {
    const AxisList left = resolveTargets(program.mesh, rule.targets);
    size_t at = 0;
    llvm::SmallVector<std::pair<DimId, AxisList>, 2> parts;
    int64_t extent = 1;
    for (DimId factor : composite.factors) {
      int64_t room = dim(factor).extent;
      extent *= room;
      AxisList got;
      while (at < left.size() && room > 1 && room % program.mesh.axes[left[at]].size == 0) {
        got.push_back(left[at]);
        room /= program.mesh.axes[left[at++]].size;
      }
      parts.push_back({factor, got});
    }
    const bool reached =
        std::any_of(parts.begin(), parts.end(), [&](const auto& p) { return llvm::is_contained(dims, p.first); });
    if (at < left.size() && reached) {
      indivisible(rule, composite.name, extent, resolveTargets(program.mesh, rule.targets));
      return;
    }
    for (auto& [factor, axes] : parts) claim(rule, depth, factor, axes);
  }

  void indivisible(const PlacementRule& rule, Symbol name, int64_t extent, const AxisList& axes) {
    ok = false;
    const int64_t size = program.mesh.size(axes);
    const bool beyond = size > extent;
    auto report =
        diagnostics.report(beyond ? AxisBeyondExtent : IndivisibleExtent, rule.range,
                           {{"dim", name.str()}, {"extent", extent}, {"axis", program.mesh.str(axes)}, {"size", size}});
    for (size_t i = 0; i < axes.size(); ++i) { // an axis that refine-axes split has one label, as written
      const Axis& axis = program.mesh.axes[axes[i]];
      int64_t written = 1;
      bool first = true;
      for (size_t k = 0; k < axes.size(); ++k)
        if (program.mesh.axes[axes[k]].written == axis.written) {
          written *= program.mesh.axes[axes[k]].size;
          first &= k >= i;
        }
      if (first) report.label(axis.range, fmt::format("`{}` is {} here", axis.written.view(), written));
    }
    report.label(op.range, fmt::format("`{}` of `{}` is {} here", name.view(), path(), extent));
    if (beyond) {
      report.help(fmt::format("{} of the {} devices would have no part of `{}`: split it over at most {} devices and "
                              "split another dimension over the rest, or write `{} -> replicate`",
                              size - extent, size, name.view(), extent, name.view()));
      return;
    }
    report.help(
        fmt::format("choose a size of `{0}` that divides {1}, or write `{2} -> replicate`, or `{2} -> {0} uneven`",
                    program.mesh.str(axes), extent, name.view()));
  }

  void claim(const PlacementRule& rule, int depth, DimId d, AxisList axes) {
    if (!llvm::is_contained(dims, d)) return;
    all.push_back({d, depth, axes, &rule});
    for (Claim& c : claims) {
      if (c.dim != d) continue;
      if (c.depth == depth && c.axes != axes) {
        twoRules(d, *c.rule, rule);
        return;
      }
      if (depth > c.depth) c = {d, depth, std::move(axes), &rule, groupedAxes(program.mesh, rule)};
      return;
    }
    claims.push_back({d, depth, std::move(axes), &rule, groupedAxes(program.mesh, rule)});
  }

  void twoRules(DimId d, const PlacementRule& a, const PlacementRule& b) { // L2
    ok = false;
    diagnostics.report(TwoRules, b.range, {{"dim", dim(d).name.str()}, {"op", path()}})
        .label(a.range, "the other rule is here")
        .label(op.range, "the operator")
        .help("keep one of them, or make one selector more specific: the innermost rule wins");
  }

  void collectClaims() {
    for (const uint32_t r : selectors.candidates(op.path)) {
      const PlacementRule* const rule = rules[r];
      auto depth = reaches(rule->selector, op.path, layer, instances);
      if (!depth) continue;
      for (CompositeId id : op.composites)
        if (const Composite& composite = program.model->composites[id]; composite.name == rule->dim)
          claimComposite(*rule, *depth, composite);
      for (DimId d : dims)
        if (dim(d).name == rule->dim && dim(d).kind == DimKind::Basic)
          claim(*rule, *depth, d, resolveTargets(program.mesh, rule->targets));
    }
  }

  int priority(const Claim& c) const { return (llvm::is_contained(op.contest, c.dim) ? 1 << 16 : 0) + c.depth; }

  /// Returns the claim that gets an axis: contested dims first, then the innermost rule, then the rule with the largest
  /// group, because part of a group is no group. Equal claims violate L1.
  const Claim* ownerOf(AxisId axis) {
    const auto rank = [this](const Claim& c) { return std::pair(priority(c), c.grouped); };
    llvm::SmallVector<const Claim*, 4> wanting;
    for (const Claim& c : claims)
      if (!c.rule->ring && llvm::is_contained(c.axes, axis)) wanting.push_back(&c);
    if (wanting.empty()) return nullptr;
    const Claim& owner =
        **std::max_element(wanting.begin(), wanting.end(), [&](auto* a, auto* b) { return rank(*a) < rank(*b); });
    for (const Claim* c : wanting) {
      if (c == &owner || priority(*c) != priority(owner)) continue;
      if (c->grouped < owner.grouped) {
        yield(*c, owner, axis);
        continue;
      }
      ok = false;
      reportWantedTwice(program, {c->rule, owner.rule, c->dim, owner.dim, axis, &op}, diagnostics);
      break;
    }
    return &owner;
  }

  void yield(const Claim& left, const Claim& owner, AxisId axis) {
    if (std::none_of(yielded.begin(), yielded.end(), [&](const Yielded& y) { return y.rule == left.rule; }))
      yielded.push_back({left.rule, owner.rule, left.dim, owner.dim, axis, &op});
  }

  /// L5: an inner rule may drop an axis of an outer rule only if another dim takes it, or if the inner rule states
  /// `replicate`.
  void checkHidden() {
    for (const Claim& inner : claims) {
      if (inner.axes.empty() || std::find(op.dims.begin(), op.dims.end(), inner.dim) == op.dims.end()) continue;
      for (const Claim& outer : all) {
        if (outer.dim != inner.dim || outer.rule == inner.rule) continue;
        for (AxisId a : outer.axes)
          if (std::find(inner.axes.begin(), inner.axes.end(), a) == inner.axes.end() && !ownerOf(a)) {
            hidden(inner, outer, a);
            return;
          }
      }
    }
  }

  void hidden(const Claim& inner, const Claim& outer, AxisId lost) {
    ok = false;
    const std::string name = dim(inner.dim).name.str();
    diagnostics
        .report(HiddenAxis, inner.rule->range,
                {{"dim", name},
                 {"inner", axesText(inner.axes)},
                 {"outer", axesText(outer.axes)},
                 {"lost", program.mesh.axes[lost].written.str()},
                 {"op", path()}})
        .label(outer.rule->range, "the outer rule is here")
        .help(fmt::format("list it (`{} -> [{}, {}]`), give `{}` to another dimension, or write `{} -> replicate`",
                          name, program.mesh.axes[lost].written.view(), axesText(inner.axes),
                          program.mesh.axes[lost].written.view(), name));
  }

  Placement result() {
    Placement placement;
    for (const Claim& c : claims) {
      PlacedDim placed{c.dim, {}, c.rule, c.rule->ring, c.rule->uneven};
      for (AxisId a : c.axes)
        if (c.rule->ring || ownerOf(a) == &c) placed.axes.push_back(a);
      checkDivides(placed);
      if (!placed.axes.empty()) placement.dims.push_back(std::move(placed));
    }
    addDerived(placement);
    return placement;
  }

  void checkDivides(const PlacedDim& placed) { // L3
    const Dim& d = dim(placed.dim);
    const int64_t size = program.mesh.size(placed.axes);
    if (size > d.extent || (!placed.uneven && d.extent % size != 0))
      indivisible(*placed.rule, d.name, d.extent, placed.axes);
  }

  /// Adds derived dims: routed and pooled dims take the axes of their parts, following dims the axes of the dim that
  /// they follow. Of a pooled dim beside its part every element is at hand: each query meets all pooled keys.
  void addDerived(Placement& placement) {
    for (DimId d : op.dims) {
      const Dim& info = dim(d);
      if (info.kind == DimKind::Basic) continue;
      if (info.kind == DimKind::Pooled && !program.model->standsForParts(op, d)) continue;
      PlacedDim derived{d, {}, nullptr, false, false};
      for (DimId part : info.parts)
        for (const PlacedDim& p : placement.dims)
          if (p.dim == part) {
            derived.axes.insert(derived.axes.end(), p.axes.begin(), p.axes.end());
            if (!derived.rule) derived.rule = p.rule;
          }
      if (!derived.axes.empty()) placement.dims.push_back(std::move(derived));
    }
  }

  Placement place() {
    collectDims();
    collectClaims();
    if (!ok) return {};
    checkHidden();
    return ok ? result() : Placement{};
  }
};

/// Returns the rule of the whole model that places a dimension of an input; null if there is none.
const PlacementRule* ruleOfInput(const ProgramHead& program, DimId dim) {
  const PlacementRule* last = nullptr;
  for (const PlacementRule& rule : program.plan->placements)
    if (rule.selector.steps.empty() && rule.dim == program.model->dims[dim].name && holds(program.mesh, rule))
      last = &rule;
  return last;
}

/// Checks that no axis splits two dimensions of an input, even if inner rules give it to one of them (L1).
bool checkInput(const ProgramHead& program, ValueId input, DiagnosticEngine& diagnostics) {
  const Model& model = program.model;
  const std::vector<DimId>& dims = model.values[input].dims;
  AxisMask taken = 0;
  for (size_t i = 0; i < dims.size(); ++i) {
    const PlacementRule* rule = ruleOfInput(program, dims[i]);
    if (!rule) continue;
    const AxisList axes = resolveTargets(program.mesh, rule->targets);
    const auto twice = std::find_if(axes.begin(), axes.end(), [&](AxisId a) { return (taken & maskOf(a)) != 0; });
    taken |= maskOf(axes);
    if (twice == axes.end()) continue;
    const auto first = std::find_if(dims.begin(), dims.end(), [&](DimId d) {
      const PlacementRule* other = ruleOfInput(program, d);
      return other && (maskOf(resolveTargets(program.mesh, other->targets)) & maskOf(*twice));
    });
    diagnostics
        .report(AxisWantedTwice, rule->range,
                {{"first", model.dims[*first].name.str()},
                 {"second", model.dims[dims[i]].name.str()},
                 {"op", model.pathOf(input)},
                 {"axis", program.mesh.axes[*twice].written.str()}})
        .label(ruleOfInput(program, *first)->range, fmt::format("`{}` takes it here", model.dims[*first].name.view()))
        .label(model.values[input].range, "the input")
        .help("write the rule of one of them for some layers only, or give it another axis");
    return false;
  }
  return true;
}

} // namespace

bool placeOperators(ProgramHead& program, DiagnosticEngine& diagnostics) {
  bool ok = true;
  std::vector<Yielded> yielded;
  std::set<const PlacementRule*> served; // rules that split something
  const std::vector<const PlacementRule*> rules = heldPlacements(*program.plan, program.mesh);
  const SelectorIndex selectors(rules.size(), [&](size_t r) -> const Selector& { return rules[r]->selector; });
  for (ClassHead& layerClass : program.heads()) {
    const Layer& layer = program.model->layers[layerClass.layer];
    layerClass.placements.edit().reserve(layer.end.index - layer.first.index);
    for (uint32_t i = layer.first.index; i < layer.end.index; ++i) {
      Placer placer{
          program, diagnostics, program.model->ops[OpId(i)], layer, layerClass.instances, rules, selectors, {}, {},
          {},      yielded};
      layerClass.placements.edit().push_back(placer.place());
      for (const PlacedDim& placed : layerClass.placements.edit().back().dims) served.insert(placed.rule);
      ok &= placer.ok;
    }
  }
  for (const Yielded& y : yielded)
    if (ok && !y.rule->optional && !served.contains(y.rule)) { // the rule gets no axis anywhere
      reportWantedTwice(program, y, diagnostics);
      ok = false;
    }
  for (const ValueId input : program.model->inputs) ok = ok && checkInput(program, input, diagnostics);
  return ok;
}

Tried::Tried(const ShardedProgram& from, const std::function<void(std::vector<PlacementRule>&)>& change)
    : plan(*from.plan), program(from) {
  change(plan.placements);
  program.plan = &plan;
  for (ClassHead& layerClass : program.heads()) layerClass.placements = {};
  DiagnosticEngine quiet;
  placed = placeOperators(program, quiet);
}

Layout layoutOf(const ProgramHead& program, ValueId id) {
  const Value& value = program.model->values[id];
  if (value.kind == ValueKind::Result) {
    const Op& op = program.model->ops[value.producer];
    const Layer& layer = program.model->layers[op.layer];
    const ClassHead& layerClass = program.head(classOf(program, op.layer, layer.to() - 1));
    return layerClass.results[local(layer, value.producer)];
  }
  std::vector<AxisList> perDim;
  for (DimId d : value.dims) {
    const PlacementRule* rule = ruleOfInput(program, d);
    perDim.push_back(rule ? resolveTargets(program.mesh, rule->targets) : AxisList());
  }
  return Layout::of(program.mesh, perDim);
}

} // namespace planc::passes
