// place-states: decides where parameters, gradients and optimizer states are stored (docs/language.md, section 11), and
// which parameters share a storage. MoveStates.cpp adds the data movement that follows.
// SPDX-License-Identifier: Apache-2.0
#include "ir/program/States.h"
#include "passes/Steps.h"
#include "passes/cut/Statements.h"
#include "passes/lower/SelectorIndex.h"
#include "passes/place/MoveStates.h"
#include "support/Memo.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace planc::passes {
using namespace ir;

PLANC_ERROR(StatesNotNested, 633,
            "`{outer} -> {outer_axes}` is not inside `{inner} -> {inner_axes}` for parameter `{param}`")
PLANC_ERROR(TiedLayouts, 637, "tied parameter `{param}` is needed in two layouts")
PLANC_WARNING(OnTheHostAnyway, 738,
              "`host` in `optimizer -> {targets}` has no effect: `{optimizer}` already runs on the host")
PLANC_WARNING(SummedOnTheHost, 739,
              "gradients are summed on the host and reduced over `{axes}` once per step, but the copy back to the "
              "devices is not priced")

namespace {

constexpr StateKind kStates[] = {StateKind::Params, StateKind::Grads, StateKind::Optimizer};

struct StatePlacer {
  ProgramHead& program;
  DiagnosticEngine& diagnostics;
  bool ok = true;

  const Value& value(ValueId v) const { return program.model->values[v]; }
  const std::vector<StateRule>& rules = program.plan->states;
  std::vector<AxisMask> masks = {}; ///< by rule
  SelectorIndex selectors{rules.size(), [this](size_t r) -> const Selector& { return rules[r].selector; }};

  bool run() {
    for (const StateRule& rule : rules) // the axes that its targets resolve to
      masks.push_back(maskOf(resolveTargets(program.mesh, rule.targets)));
    for (ClassHead& layerClass : program.heads()) {
      std::vector<ParamState> params;
      params.reserve(layerClass.uses.size());
      for (const ParamUse& use : layerClass.uses) {
        resolve(layerClass, params.emplace_back(use));
        if (!ok) return false;
      }
      layerClass.params = std::move(params);
    }
    return true;
  }

  /// Applies the innermost rule that names a state. A state without a rule gets the axes of the state before it.
  void resolve(const ClassHead& layerClass, ParamState& p) {
    const Layer& home = program.model->layers[value(p.param).layer];
    std::array<AxisMask, 3> axes{};
    const std::vector<uint32_t> candidates = selectors.candidates(value(p.param).path);
    for (size_t k = 0; k < 3; ++k) {
      int best = -1;
      for (const uint32_t r : candidates)
        if (rules[r].state == kStates[k] && holds(program.mesh, rules[r]))
          if (auto depth = reaches(rules[r].selector, value(p.param).path, home, layerClass.instances);
              depth && *depth >= best)
            best = *depth, p.rules[k] = static_cast<int32_t>(r);
      axes[k] = best >= 0 ? masks[static_cast<size_t>(p.rules[k])] : k ? axes[k - 1] : 0;
      p.host[k] = best >= 0 ? ruleOf(p, k)->host : k && p.host[k - 1];
      if (best < 0 && k) p.rules[k] = p.rules[k - 1];
      if (k && (axes[k - 1] & ~axes[k])) notNested(p, k, axes);
    }
    p.host[2] = p.host[2] || runsOnHost(program, p);
    const AxisMask own = p.layout.axes();
    p.params = axes[0] & ~own;
    p.grads = axes[1] & ~own;
    p.optimizer = axes[2] & ~own;
  }

  const StateRule* ruleOf(const ParamState& p, size_t k) const {
    return p.rules[k] < 0 ? nullptr : &rules[static_cast<size_t>(p.rules[k])];
  }

  /// Returns the axes as a rule would name them.
  std::string written(AxisMask axes) const {
    std::string targets;
    for (auto a = program.mesh.order.rbegin(); a != program.mesh.order.rend(); ++a) {
      const std::string name = program.mesh.axes[*a].written.str();
      if (!(axes & maskOf(*a)) || targets.ends_with(name)) continue; // a refined axis has parts
      targets += (targets.empty() ? "" : ", ") + name;
    }
    return targets;
  }

  void notNested(const ParamState& p, size_t k, const std::array<AxisMask, 3>& axes) { // L6
    ok = false;
    auto text = [&](AxisMask m) { return m ? program.mesh.str(m) : std::string("replicate"); };
    const StateRule& rule = *ruleOf(p, k);
    auto report = diagnostics.report(StatesNotNested, rule.range,
                                     {{"outer", name(kStates[k - 1])},
                                      {"outer_axes", text(axes[k - 1])},
                                      {"inner", name(kStates[k])},
                                      {"inner_axes", rule.host && !axes[k] ? std::string(kHost) : text(axes[k])},
                                      {"param", program.model->pathOf(p.param)}});
    if (const StateRule* outer = ruleOf(p, k - 1); outer && outer != &rule)
      report.label(outer->range, fmt::format("`{}` is placed here", name(kStates[k - 1])));
    std::string targets = written(axes[k - 1] | axes[k]);
    if (rule.host) targets += fmt::format(", {}", kHost);
    const bool list = targets.find(',') != std::string::npos;
    report.help(fmt::format("{0} must be split at least as far as {1}: `{0} -> {2}{3}{4}`", name(kStates[k]),
                            name(kStates[k - 1]), list ? "[" : "", targets, list ? "]" : ""));
  }
};

/// Returns the device stages on which a class has instances.
std::set<int64_t> stagesOf(const ProgramHead& program, LayerClassId layerClass) {
  std::set<int64_t> stages;
  for (const VirtualStage& s : program.virtualStages)
    for (const auto& [id, count] : program.kindOf(s.index).classes)
      if (id == layerClass) stages.insert(s.devices.begin(), s.devices.end());
  return stages;
}

/// Returns the group that sums a gradient over device stages once per step.
StageGroup sumOver(const ProgramHead& program, ValueId storage, std::vector<int64_t> stages, double bytes) {
  StageGroup group;
  group.storage = storage;
  group.stages = std::move(stages);
  Collective& n = group.allReduce;
  n.value = storage;
  n.gradient = true;
  n.kind = CollectiveKind::AllReduce;
  n.cls = CollectiveClass::Gradient;
  n.axes = program.stageAxes;
  n.group = static_cast<int64_t>(group.stages.size());
  n.level = program.mesh.levelOf(program.stageAxes);
  n.bytes = bytes;
  n.because = program.plan->pipeline ? program.plan->pipeline->range : SourceRange{};
  return group;
}

/// Ties parameters that share a storage. On each device stage the first class owns the storage. If several stages hold
/// it, its gradient is summed over them (tied embeddings).
struct Tying {
  StatePlacer& placer;
  ProgramHead& program;
  std::set<ValueId> summed = {}; ///< storages that already have a group

  struct Use {
    LayerClassId layerClass;
    size_t index;
    std::set<int64_t> stages;
  };

  void run() {
    for (const ValueId storage : ofSeveralLayers()) {
      std::vector<Use> uses;
      for (uint32_t b = 0; b < program.classCount(); ++b)
        for (size_t i = 0; i < program.head(LayerClassId(b)).params.size(); ++i)
          if (storageOf({LayerClassId(b), i, {}}) == storage) uses.push_back({LayerClassId(b), i, {}});
      tie(storage, uses);
    }
  }

  /// Returns the storages that parameters of more than one layer use, in order.
  std::set<ValueId> ofSeveralLayers() {
    std::vector<LayerId> layers(program.model->values.size());
    std::set<ValueId> tied;
    for (uint32_t b = 0; b < program.classCount(); ++b)
      for (size_t i = 0; i < program.head(LayerClassId(b)).params.size(); ++i) {
        const ValueId storage = storageOf({LayerClassId(b), i, {}});
        LayerId& first = layers[storage.index];
        if (!first.valid()) first = program.head(LayerClassId(b)).layer;
        if (first != program.head(LayerClassId(b)).layer) tied.insert(storage);
      }
    return tied;
  }

  ValueId storageOf(const Use& u) { return program.model->values[state(u).param].storage; }
  const ParamState& state(const Use& u) const { return program.head(u.layerClass).params[u.index]; }
  /// Edits only parameters that change, so that the others stay shared.
  ParamState& edit(const Use& u) { return program.head(u.layerClass).params.edit()[u.index]; }

  void tie(ValueId storage, std::vector<Use>& list) {
    std::set<int64_t> all;
    for (Use& u : list) {
      u.stages = stagesOf(program, u.layerClass);
      all.insert(u.stages.begin(), u.stages.end());
      if (state(u).layout == state(list[0]).layout) continue;
      placer.ok = false;
      const Layer& layer = program.model->layers[program.head(u.layerClass).layer];
      placer.diagnostics.report(TiedLayouts, layer.range, {{"param", program.model->pathOf(storage)}})
          .label(program.model->values[storage].range, "the parameter")
          .help("place its dimensions equally in all of its uses, such as `embed, head { vocab -> tp }`");
      return;
    }
    for (size_t i = 1; i < list.size(); ++i)
      for (size_t k = 0; k < i; ++k)
        if (list[i].stages == list[k].stages && state(list[k]).owner) {
          if (state(list[i]).owner) edit(list[i]).owner = false;
          if (state(list[i]).partial & ~state(list[k]).partial) edit(list[k]).partial |= state(list[i]).partial;
        }
    if (all.size() < 2 || !program.model->values[storage].trainable) return;
    const ParamState& p = state(list[0]);
    program.stageGroups.push_back(
        sumOver(program, storage, std::vector<int64_t>(all.begin(), all.end()),
                p.elements * width(program.precisionOf(program.model->values[p.param]).reduce) /
                    static_cast<double>(program.mesh.size(p.grads & p.partial))));
    summed.insert(storage);
  }
};

/// Warns of a rule that puts states of an optimizer on the host if the optimizer runs there anyway.
void warnOfHostTwice(const StatePlacer& placer) {
  for (const StateRule& rule : placer.program.plan->states) {
    if (rule.state != StateKind::Optimizer || !rule.host) continue;
    const Optimizer *runs = nullptr, *moves = nullptr;
    for (const ClassHead& layerClass : placer.program.heads())
      for (const ParamState& p : layerClass.params)
        if (const StateRule* by = placer.ruleOf(p, 2); by && sayTheSame(*by, rule))
          if (const Optimizer* updates = updaterOf(placer.program, p))
            (runsOnHost(placer.program, p) ? runs : moves) = updates;
    if (!runs || moves) continue;
    std::vector<std::string> targets;
    for (const Symbol t : rule.targets) targets.push_back(t.str());
    const std::string axes = fmt::format("{}", fmt::join(targets, ", "));
    placer.diagnostics
        .report(OnTheHostAnyway, rule.range,
                {{"targets", axes.empty() ? "host" : fmt::format("[{}, host]", axes)}, {"optimizer", runs->name.str()}})
        .help(axes.empty()
                  ? "remove it: an optimizer on the host has its states in host memory"
                  : fmt::format("write `optimizer -> {}`: an optimizer on the host has its states in host memory",
                                targets.size() == 1 ? axes : "[" + axes + "]"));
  }
}

/// Warns of gradients that are summed on the host and then reduced over devices, because no collective here brings them
/// back. Axes that only a few parameters, such as those of norms, are reduced over are left out.
void warnOfSumsOnHost(const StatePlacer& placer) {
  const ProgramHead& program = placer.program;
  if (!program.plan->workload.hasBackward()) return;
  for (const StateRule& rule : placer.rules) {
    if (rule.state != StateKind::Grads || !rule.host) continue;
    AxisMask later = ~AxisMask{}, now = 0;
    bool any = false;
    for (const ClassHead& layerClass : program.heads())
      for (const ParamState& p : layerClass.params)
        if (const StateRule* by = placer.ruleOf(p, 1); by && sayTheSame(*by, rule) && p.trainable && p.owner)
          later &= p.partial & ~p.grads, now |= p.grads, any = true;
    if (!any || !later) continue;
    placer.diagnostics.report(SummedOnTheHost, rule.range, {{"axes", program.mesh.str(later)}})
        .help(fmt::format("reduce them before they leave: `grads -> [{}, host]`", placer.written(now | later)));
  }
}

using Params = Shared<std::vector<ParamState>>;

/// The parameters of all classes, before they are tied. They depend on mesh and rules alone.
struct PlacedParams {
  Mesh mesh;
  std::vector<StateRule> rules;
  std::vector<Params> params; ///< by class
};

std::vector<Params> paramsOf(const ProgramHead& program) {
  std::vector<Params> params;
  for (const ClassHead& layerClass : program.heads()) params.push_back(layerClass.params);
  return params;
}

/// Places the parameters of all classes, or takes those of a plan with the same layers, mesh and rules.
bool placeParams(StatePlacer& placer) {
  ProgramHead& program = placer.program;
  if (!program.memos) return placer.run();
  auto& placed = program.memos->of<Latest<PlacedParams>>();
  const PlacedParams* before =
      placed.find([&](const PlacedParams& p) { return p.rules == program.plan->states && p.mesh == program.mesh; });
  for (uint32_t b = 0; before && b < program.classCount(); ++b)
    program.head(LayerClassId(b)).params = before->params[b];
  if (before) return true;
  if (!placer.run()) return false;
  placed.add({program.mesh, program.plan->states, paramsOf(program)});
  return true;
}

/// Returns the inputs of the moves of a class's states: the class, its placed parameters, and the changes by ties.
Reads readByMoves(LayerClassId id, const Params& placed, const Params& tied) {
  Reads reads;
  reads << id.index << placed;
  for (size_t i = 0; i < placed.size() && !tied.sharedWith(placed); ++i)
    if (const ParamState& before = placed[i], &p = tied[i]; p.owner != before.owner || p.partial != before.partial)
      reads << i << p.owner << p.partial;
  return reads;
}

/// The parameters of a class and their moves. Equal ones are one object, so that later memos recognise them.
struct MovedStates {
  Params params;
  Shared<std::vector<StateCollective>> states;
};

} // namespace

bool placeStates(ProgramHead& program, DiagnosticEngine& diagnostics) {
  StatePlacer placer{program, diagnostics};
  program.stageGroups.clear();
  for (ClassHead& layerClass : program.heads()) layerClass.states = {};
  if (!placeParams(placer)) return false;
  if (diagnostics.wantsWarnings()) warnOfHostTwice(placer), warnOfSumsOnHost(placer);
  Memos* const memos = memosOfMoves(program);
  const std::vector<Params> placed = memos ? paramsOf(program) : std::vector<Params>();
  Tying tying{placer, program};
  tying.run();
  if (!placer.ok) return false;
  sumOverRoutes(program, tying.summed);
  static const std::vector<bool> none;
  for (uint32_t b = 0; b < program.classCount(); ++b) {
    ClassHead& layerClass = program.head(LayerClassId(b));
    const Reads reads = memos ? readByMoves(LayerClassId(b), placed[b], layerClass.params) : Reads();
    const MovedStates moved = remember(memos, reads, [&] {
      moveStates(program, layerClass, b < program.withGradient.size() ? program.withGradient[b] : none);
      return MovedStates{layerClass.params, layerClass.states};
    });
    layerClass.params = moved.params, layerClass.states = moved.states;
  }
  return true;
}

} // namespace planc::passes
