// Part of check-rules: warns of a dimension that a rule splits in some layers while other layers hold it whole.
// SPDX-License-Identifier: Apache-2.0
#include "ir/layout/Routed.h"
#include "passes/Steps.h"
#include "passes/lower/SelectorIndex.h"
#include "passes/place/Placed.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace planc::passes {
using namespace ir;

PLANC_WARNING(
    PlacedByHalf, 649,
    "`{rule}` splits `{split}`, but not `{whole}`: {share} of the parameters are replicated on every rank of `{axes}`")

namespace {

/// Share of the plan's parameters up to which there is no warning. Plans of the repository leave at most 0.6 % whole on
/// purpose (small tables and shared experts). Forgotten layers are 1 % of a model or more.
constexpr double kLeast = 0.01;

/// An operator of a class that reads a parameter.
struct Reader {
  LayerClassId layerClass;
  const Op& op;
  const Operand& operand;
  double elements = 0; ///< elements of the parameter in all instances of the class

  const Placement& in(const ProgramHead& program) const {
    const ClassHead& of = program.head(layerClass);
    return of.placements[local(program.model->layers[of.layer], program.model->values[op.result].producer)];
  }
  std::vector<Symbol> layer() const {
    return op.path.size() < 2 ? op.path : std::vector<Symbol>(op.path.begin(), op.path.end() - 1);
  }
};

/// A reader that holds its parameter whole over axes that a rule could split it over.
struct Whole {
  const Reader* reader = nullptr;
  AxisMask axes = 0;
};

/// Returns all readers. Each parameter of a class has one.
std::vector<Reader> readersOf(const ProgramHead& program) {
  const Model& model = program.model;
  std::vector<Reader> readers;
  for (uint32_t c = 0; c < program.classCount(); ++c) {
    const ClassHead& layerClass = program.head(LayerClassId(c));
    if (layerClass.boundaryReshard) continue;
    const Layer& layer = model.layers[layerClass.layer];
    std::set<ValueId> seen;
    for (uint32_t i = layer.first.index; i < layer.end.index; ++i) {
      const Op& op = model.ops[OpId(i)];
      for (const Operand& operand : op.operands) {
        const Value& value = model.values[operand.value];
        if (value.kind != ValueKind::Param || !seen.insert(value.storage).second) continue;
        double elements = timesOf(program, op) * static_cast<double>(layerClass.instances.count());
        for (DimId d : operand.dims) elements *= sizeOf(model, d);
        readers.push_back({LayerClassId(c), op, operand, elements});
      }
    }
  }
  return readers;
}

size_t inCommon(const std::vector<Symbol>& a, const std::vector<Symbol>& b) {
  return static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

size_t depthOf(const PlacementRule& rule) {
  return rule.selector.steps.size();
}

/// Rules of one dimension with the same axes.
struct Group {
  std::vector<const PlacementRule*> rules;
  std::vector<const Reader*> split;            ///< by rule: a reader of the largest parameter that it splits
  std::map<std::vector<Symbol>, size_t> below; ///< by path: the first rule whose `split` lies there

  void add(const PlacementRule* rule, const Reader* reader) {
    std::vector<Symbol> path = reader->op.path;
    for (; !path.empty(); path.pop_back()) below.emplace(path, rules.size());
    rules.push_back(rule);
    split.push_back(reader);
  }
};

class Finder {
public:
  Finder(const ShardedProgram& program, DiagnosticEngine& diagnostics)
      : program_(program), model_(program.model), diagnostics_(diagnostics), readers_(readersOf(program)),
        rules_(heldPlacements(*program.plan, program.mesh)),
        selectors_(rules_.size(), [&](size_t r) -> const Selector& { return rules_[r]->selector; }) {
    for (const Reader& reader : readers_) byStorage_[storageOf(reader)].push_back(&reader);
  }

  void run() {
    for (const Group& group : groups()) look(group);
  }

private:
  // ---- parameters that rules split --------------------------------------------

  std::vector<Group> groups() const {
    std::vector<Group> groups;
    std::map<const PlacementRule*, const Reader*> largest;
    for (const Reader& reader : readers_)
      eachSplit(reader, [&](const PlacementRule* rule) {
        const Reader*& most = largest[rule];
        if (!most || reader.elements > most->elements) most = &reader;
      });
    for (const PlacementRule* rule : rules_) {
      const auto most = largest.find(rule);
      if (most == largest.end()) continue;
      const auto same = llvm::find_if(
          groups, [&](const Group& g) { return g.rules[0]->dim == rule->dim && g.rules[0]->targets == rule->targets; });
      Group& group = same == groups.end() ? groups.emplace_back() : *same;
      group.add(rule, most->second);
    }
    return groups;
  }

  /// Calls `visit` with the rules that split the reader's parameter.
  template <class Visit> void eachSplit(const Reader& reader, Visit visit) const {
    for (const PlacedDim& p : reader.in(program_).dims)
      if (p.rule && !p.ring && !p.axes.empty() && llvm::is_contained(reader.operand.dims, p.dim)) visit(p.rule);
  }

  // ---- parameters that are whole ----------------------------------------------

  /// Returns the axes over which the rule would split the parameter if it reached the operator; 0 if it cannot.
  AxisMask gain(const PlacementRule& rule, const Reader& reader) const {
    const AxisList axes = resolveTargets(program_.mesh, rule.targets);
    AxisMask got = 0;
    for (CompositeId id : reader.op.composites)
      if (const Composite& composite = model_.composites[id]; composite.name == rule.dim) {
        size_t at = 0;
        AxisMask mine = 0;
        for (DimId factor : composite.factors)
          for (int64_t room = model_.dims[factor].extent;
               at < axes.size() && room > 1 && room % program_.mesh.axes[axes[at]].size == 0; ++at) {
            room /= program_.mesh.axes[axes[at]].size;
            if (llvm::is_contained(reader.operand.dims, factor)) mine |= maskOf(axes[at]);
          }
        if (at == axes.size()) got |= mine;
      }
    for (DimId d : reader.operand.dims) {
      const Dim& dim = model_.dims[d];
      const int64_t size = program_.mesh.size(axes);
      if (dim.name == rule.dim && dim.kind == DimKind::Basic && size <= dim.extent &&
          (rule.uneven || dim.extent % size == 0))
        got |= maskOf(axes);
    }
    return got;
  }

  /// Returns whether the rule places single operators of the layer. Then it leaves the others whole on purpose.
  static bool choosesIn(const PlacementRule& rule, const std::vector<Symbol>& layer) {
    return depthOf(rule) > layer.size() && inCommon(rule.selector.names(), layer) == layer.size();
  }

  /// Returns whether any rule concerns this dimension of the operator, `replicate` included. Then it is whole on
  /// purpose.
  bool spokenOf(const PlacementRule& rule, const Reader& reader) const {
    return llvm::any_of(selectors_.candidates(reader.op.path), [&](uint32_t r) {
      const PlacementRule* const other = rules_[r];
      if (!other->selector.matches(reader.op.path)) return false; // a slice leaves other instances whole on purpose
      return other->dim == rule.dim || llvm::any_of(reader.operand.dims, [&](DimId d) {
               return model_.dims[d].name == other->dim || llvm::any_of(reader.op.composites, [&](CompositeId id) {
                        const Composite& c = model_.composites[id];
                        return c.name == other->dim && llvm::is_contained(c.factors, d) && c.name == rule.dim;
                      });
             });
    });
  }

  /// Returns whether the axes are unused in the operator, or used only where the rule would take precedence, and no
  /// rule equally near splits the parameter.
  bool free(const PlacementRule& rule, const Reader& reader, AxisMask axes) const {
    return llvm::all_of(reader.in(program_).dims, [&](const PlacedDim& p) {
      const bool near = p.rule && depthOf(*p.rule) >= depthOf(rule);
      if (llvm::is_contained(reader.operand.dims, p.dim) && !p.axes.empty()) return !near && !(maskOf(p.axes) & axes);
      return !(maskOf(p.axes) & axes) || !(near || llvm::is_contained(reader.op.contest, p.dim));
    });
  }

  /// Returns whether a rule of the group splits the same storage elsewhere, which is an error of its own.
  bool tied(const Group& group, const Reader& reader) const {
    bool any = false;
    for (const Reader* other : byStorage_.at(storageOf(reader)))
      eachSplit(*other, [&](const PlacementRule* rule) {
        any |= rule->dim == group.rules[0]->dim && rule->targets == group.rules[0]->targets;
      });
    return any;
  }
  ValueId storageOf(const Reader& reader) const { return model_.values[reader.operand.value].storage; }

  /// Returns whether the parameter is stored split over the axes, wherever it is used.
  bool stored(const Reader& reader, AxisMask axes) const {
    const Value& value = model_.values[reader.operand.value];
    const ClassHead& of = program_.head(reader.layerClass);
    std::optional<int> best;
    AxisMask split = 0;
    for (const StateRule& rule : program_.plan->states)
      if (rule.state == StateKind::Params && holds(program_.mesh, rule))
        if (const auto depth = reaches(rule.selector, value.path, model_.layers[of.layer], of.instances);
            depth && (!best || *depth >= *best))
          best = depth, split = rule.host ? axes : maskOf(resolveTargets(program_.mesh, rule.targets));
    return (split & axes) == axes;
  }

  std::vector<Whole> wholeOf(const Group& group) const {
    std::vector<Whole> all;
    for (const Reader& reader : readers_) {
      const PlacementRule& rule = *group.rules[nearest(group, reader)];
      const AxisMask axes = gain(rule, reader);
      if (axes && !choosesIn(rule, reader.layer()) && !spokenOf(rule, reader) && !tied(group, reader) &&
          free(rule, reader, axes) && !stored(reader, axes))
        all.push_back({&reader, axes});
    }
    return all;
  }

  /// Returns the index of the rule in the group whose split parameter lies nearest to the reader.
  static size_t nearest(const Group& group, const Reader& reader) {
    for (std::vector<Symbol> path = reader.op.path; !path.empty(); path.pop_back())
      if (const auto found = group.below.find(path); found != group.below.end()) return found->second;
    return 0;
  }

  // ---- the fix ----------------------------------------------------------------

  /// Returns whether the plan with these changes can be placed, splits every whole parameter, and leaves the others as
  /// they are.
  bool mends(const std::vector<Whole>& whole, const std::function<void(std::vector<PlacementRule>&)>& change) const {
    const Tried tried(program_, change);
    DiagnosticEngine quiet;
    if (!tried.placed || !checkKernels(tried.program, quiet)) return false;
    return llvm::all_of(readers_, [&](const Reader& reader) {
      const auto mended = llvm::find_if(whole, [&](const Whole& w) { return w.reader == &reader; });
      AxisMask split = 0;
      for (DimId d : reader.operand.dims) {
        const AxisList& after = reader.in(tried.program).axesOf(d);
        if (mended == whole.end() && after != reader.in(program_).axesOf(d)) return false;
        split |= maskOf(after);
      }
      return mended == whole.end() || !(mended->axes & ~split);
    });
  }

  bool mends(const std::vector<Whole>& whole, const PlacementRule& rule, const std::vector<LayerRef>& scopes) const {
    return mends(whole, [&](std::vector<PlacementRule>& rules) {
      for (const LayerRef& scope : scopes) {
        rules.push_back(rule);
        rules.back().selector = {scope, rule.selector.range};
      }
    });
  }

  /// Returns the widest scope with which one rule fixes it, `*` or `decoder.*`; null if there is none.
  std::optional<LayerRef> scopeOf(const std::vector<Whole>& whole, const PlacementRule& rule,
                                  const Reader& split) const {
    const std::vector<Symbol> layer = split.layer();
    size_t common = layer.size(), deepest = layer.size();
    for (const Whole& w : whole) {
      common = std::min(common, inCommon(layer, w.reader->layer()));
      deepest = std::max(deepest, w.reader->layer().size());
    }
    for (size_t steps = 1; steps <= deepest; ++steps)
      for (size_t names = std::min(common, steps - 1) + 1; names-- > 0;) {
        LayerRef scope = LayerRef::of({layer.begin(), layer.begin() + static_cast<std::ptrdiff_t>(names)});
        scope.steps.resize(steps, LayerStep::any());
        if (mends(whole, rule, {scope})) return scope;
      }
    return std::nullopt;
  }

  /// Returns a fix that replaces the last name of the scope of the rule, and of all other rules with this scope, by
  /// `*`; null if that does not fix it.
  std::optional<TextFix> fixOf(const std::vector<Whole>& whole, const PlacementRule& rule) const {
    const Selector& scope = rule.selector;
    if (scope.steps.empty() || scope.steps.back().star || scope.steps.back().slice) return std::nullopt;
    const size_t last = scope.steps.size() - 1;
    const bool mended = mends(whole, [&](std::vector<PlacementRule>& rules) {
      for (PlacementRule& r : rules)
        if (r.selector.steps.size() > last && r.selector.prefix(last + 1).steps == scope.steps &&
            (r.selector.range == scope.range || r.selector.around.valid()))
          r.selector.steps[last] = LayerStep::any();
    });
    if (!mended) return std::nullopt;
    const std::string name = scope.steps.back().name.str();
    return TextFix{fmt::format("write `*` instead of `{}`", name), {{scope.range, "*", name}}};
  }

  // ---- the report -------------------------------------------------------------

  /// Returns the layers that a report names: the part of the split layer's path that the rule's scope names, and the
  /// matching part of the whole layer's path.
  static std::pair<LayerRef, LayerRef> named(const PlacementRule& rule, const Reader& split, const Reader& whole) {
    std::vector<Symbol> ours = split.layer(), theirs = whole.layer();
    while (ours.size() > std::max<size_t>(depthOf(rule), 1) && theirs.size() > 1 && ours.back() == theirs.back())
      ours.pop_back(), theirs.pop_back();
    return {LayerRef::of(ours), LayerRef::of(theirs)};
  }

  static std::vector<LayerRef> layersOf(const std::vector<Whole>& whole) {
    std::vector<LayerRef> layers;
    for (const Whole& w : whole)
      if (LayerRef layer = LayerRef::of(w.reader->layer()); !llvm::is_contained(layers, layer))
        layers.push_back(std::move(layer));
    return layers;
  }

  void look(const Group& group) {
    std::vector<Whole> whole = wholeOf(group);
    const auto share = [&] {
      double elements = 0;
      for (const Whole& w : whole) elements += w.reader->elements;
      return elements / model_.parameterCount();
    };
    if (share() <= kLeast) return;
    for (const LayerRef& layer : layersOf(whole)) { // a law can forbid it although the extents allow it
      const auto here = [&](const Whole& w) { return LayerRef::of(w.reader->layer()) == layer; };
      std::vector<Whole> one;
      llvm::copy_if(whole, std::back_inserter(one), here);
      if (!mends(one, *group.rules[nearest(group, *one[0].reader)], {layer})) llvm::erase_if(whole, here);
    }
    if (share() > kLeast) report(group, whole, share());
  }

  void report(const Group& group, const std::vector<Whole>& whole, double share) {
    const Reader& most = *std::max_element(whole.begin(), whole.end(), [](const Whole& a, const Whole& b) {
                            return a.reader->elements < b.reader->elements;
                          })->reader;
    const size_t at = nearest(group, most);
    const PlacementRule& rule = *group.rules[at];
    const Reader& split = *group.split[at];
    PlacementRule plain = rule;
    plain.optional = false;
    const std::string text = fmt::format("{} -> {}", rule.dim.view(), effectText(plain));
    const auto [ours, theirs] = named(rule, split, most);
    const std::string layer = theirs.str();
    auto report = diagnostics_.report(PlacedByHalf, rule.range,
                                      {{"rule", text},
                                       {"split", ours.str()},
                                       {"whole", layer},
                                       {"share", fmt::format("{:.3g} %", 100 * share)},
                                       {"axes", program_.mesh.str(resolveTargets(program_.mesh, rule.targets))}});
    report.label(most.op.range, fmt::format("`{}` of `{}` is whole here", rule.dim.view(), layer));
    const std::vector<std::string> layers = namesOf(rule, split, whole);
    const bool several = layers.size() > 1;
    const std::string all = fmt::format("{}", fmt::join(layers, ", "));
    if (const auto scope = scopeOf(whole, plain, split))
      report.help(
          fmt::format("`{} {{ {} }}` reaches {}", scope->str(), text, several ? "all of them" : "both of them"));
    else
      report.help(fmt::format("`{} {{ {} }}` splits the whole ones, too", all, text));
    report.help(fmt::format("if {} to stay whole, write `{} {{ {} -> {} }}`", several ? "they are" : "it is", all,
                            rule.dim.view(), targetText({}, false)));
    if (auto fix = fixOf(whole, rule)) report.fix(std::move(*fix));
  }

  /// Returns the names of the whole layers, each once.
  static std::vector<std::string> namesOf(const PlacementRule& rule, const Reader& split,
                                          const std::vector<Whole>& whole) {
    std::vector<std::string> names;
    for (const Whole& w : whole)
      if (std::string name = named(rule, split, *w.reader).second.str(); !llvm::is_contained(names, name))
        names.push_back(std::move(name));
    return names;
  }

  const ShardedProgram& program_;
  const Model& model_;
  DiagnosticEngine& diagnostics_;
  std::vector<Reader> readers_;
  std::vector<const PlacementRule*> rules_;
  SelectorIndex selectors_; ///< of the rules
  std::map<ValueId, std::vector<const Reader*>> byStorage_;
};

} // namespace

void warnPlacedByHalf(const ShardedProgram& program, DiagnosticEngine& diagnostics) {
  Finder(program, diagnostics).run();
}

} // namespace planc::passes
