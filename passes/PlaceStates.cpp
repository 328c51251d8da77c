// place-states: where parameters, gradients and optimizer states are stored, and the collectives that follow from it
// (docs/language.md, section 11). The storage layout of the gradient decides when it is reduced; there is no other rule
// about data parallelism.
// SPDX-License-Identifier: Apache-2.0
#include "ir/States.h"
#include "passes/Statements.h"
#include "passes/Steps.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace planc::passes {
using namespace ir;

PLANC_ERROR(StatesNotNested, 633,
            "`{outer} -> {outer_axes}` is not inside `{inner} -> {inner_axes}` for parameter `{param}`")
PLANC_ERROR(TiedLayouts, 637, "tied parameter `{param}` is needed in two layouts")
PLANC_WARNING(OnTheHostAnyway, 738, "`host` of `optimizer -> {targets}` says nothing: `{optimizer}` runs on the host")

namespace {

constexpr StateKind kStates[] = {StateKind::Params, StateKind::Grads, StateKind::Optimizer};

struct StatePlacer {
  Program& program;
  DiagnosticEngine& diagnostics;
  std::vector<std::vector<bool>> wanted; ///< by class and value
  bool ok = true;

  const Value& value(ValueId v) const { return program.model.values[v]; }
  AxisMask maskOfRule(const StateRule* rule) const {
    return rule ? maskOf(withoutTrivial(program.mesh, resolveTargets(program.mesh, rule->targets))) : 0;
  }

  /// Tables with an optimizer of their own are updated where they lie; which ones they are is sized later.
  bool runsOnHost(const ParamState& p) const {
    if (program.plan->workload.tableOptimizer && isTable(program.model, p.param)) return false;
    const Optimizer* by = updaterOf(program, p);
    return by && by->onHost;
  }

  /// The innermost rule that names the state; without one, what the state before it resolved to.
  void resolve(const LayerClass& layerClass, ParamState& p) {
    const Layer& home = program.model.layers[value(p.param).layer];
    std::array<AxisMask, 3> axes{};
    for (size_t k = 0; k < 3; ++k) {
      int best = -1;
      for (const StateRule& rule : program.plan->states)
        if (rule.state == kStates[k])
          if (auto depth = reaches(rule.selector, value(p.param).path, home, layerClass.instances);
              depth && *depth >= best)
            best = *depth, p.rules[k] = &rule;
      axes[k] = best >= 0 ? maskOfRule(p.rules[k]) : k ? axes[k - 1] : 0;
      p.host[k] = best >= 0 ? p.rules[k]->host : k && p.host[k - 1];
      if (best < 0 && k) p.rules[k] = p.rules[k - 1];
      if (k && (axes[k - 1] & ~axes[k])) notNested(p, k, axes);
    }
    p.host[2] = p.host[2] || runsOnHost(p);
    const AxisMask own = p.layout.axes();
    p.params = axes[0] & ~own;
    p.grads = axes[1] & ~own;
    p.optimizer = axes[2] & ~own;
  }

  void notNested(const ParamState& p, size_t k, const std::array<AxisMask, 3>& axes) { // L6
    ok = false;
    auto text = [&](AxisMask m) { return m ? program.mesh.str(m) : std::string("replicate"); };
    auto report = diagnostics.report(StatesNotNested, p.rules[k]->range,
                                     {{"outer", name(kStates[k - 1])},
                                      {"outer_axes", text(axes[k - 1])},
                                      {"inner", name(kStates[k])},
                                      {"inner_axes", p.rules[k]->host && !axes[k] ? std::string(kHost) : text(axes[k])},
                                      {"param", program.model.pathOf(p.param)}});
    if (p.rules[k - 1] && p.rules[k - 1] != p.rules[k])
      report.label(p.rules[k - 1]->range, fmt::format("`{}` is placed here", name(kStates[k - 1])));
    std::string targets;
    for (auto a = program.mesh.order.rbegin(); a != program.mesh.order.rend(); ++a) {
      const std::string name = program.mesh.axes[*a].written.str();
      if (!((axes[k - 1] | axes[k]) & maskOf(*a)) || targets.ends_with(name)) continue; // a refined axis has parts
      targets += (targets.empty() ? "" : ", ") + name;
    }
    if (p.rules[k]->host) targets += fmt::format(", {}", kHost);
    const bool list = targets.find(',') != std::string::npos;
    report.help(fmt::format("{0} must be split at least as far as {1}: `{0} -> {2}{3}{4}`", name(kStates[k]),
                            name(kStates[k - 1]), list ? "[" : "", targets, list ? "]" : ""));
  }

  SourceRange ruleOf(const ParamState& p, size_t state) const {
    return p.rules[state] ? p.rules[state]->range : SourceRange{};
  }

  /// The rule that splits an operator of the parameter over the axes, so that each device has a summand of its
  /// gradient.
  SourceRange splitOver(const LayerClass& layerClass, const ParamState& p, AxisMask axes) const {
    const Layer& layer = program.model.layers[layerClass.layer];
    for (uint32_t i = layer.first.index; i < layer.end.index; ++i) {
      const Op& op = program.model.ops[OpId(i)];
      const auto reads = [&](const Operand& o) { return o.value == p.param; };
      if (std::none_of(op.operands.begin(), op.operands.end(), reads)) continue;
      for (const PlacedDim& d : layerClass.placements[i - layer.first.index].dims)
        if (d.rule && (maskOf(d.axes) & axes)) return d.rule->range;
    }
    return {};
  }

  /// Adds to the bucket of the layer: one collective per kind, axes and phase. `bytes`: of one instance of the class.
  void bucket(LayerClass& layerClass, const ParamState& p, CollectiveKind kind, CollectiveClass cls, Phase phase,
              AxisMask axes, double bytes, SourceRange because, bool kept = false) const {
    if (!axes || bytes <= 0) return;
    const int64_t times = program.timesInside(layerClass.layer, p.region);
    bytes /= static_cast<double>(times);
    for (StateCollective& c : layerClass.states)
      if (c.collective == kind && c.cls == cls && c.phase == phase && c.axes == axes && c.kept == kept &&
          c.region == p.region) {
        c.bytes += bytes;
        c.params.push_back(p.param);
        return;
      }
    StateCollective c;
    c.region = p.region;
    c.times = times;
    c.collective = kind;
    c.cls = cls;
    c.phase = phase;
    c.axes = axes;
    c.group = program.mesh.size(axes);
    c.level = program.mesh.levelOf(axes);
    c.bytes = bytes;
    c.kept = kept;
    c.params = {p.param};
    c.because = because;
    layerClass.states.push_back(std::move(c));
  }

  /// A copy between the device and the host's memory, on the stream behind those of the levels. `bytes`: of one
  /// instance of the class, those of `layer` in it.
  void hostCopy(LayerClass& layerClass, RegionId layer, Phase phase, bool out, double bytes, SourceRange because,
                ValueId param = {}) const {
    if (bytes <= 0) return;
    const int64_t times = program.timesInside(layerClass.layer, layer);
    bytes /= static_cast<double>(times);
    for (StateCollective& c : layerClass.states)
      if (c.collective == CollectiveKind::HostCopy && c.phase == phase && c.out == out && c.region == layer) {
        c.bytes += bytes;
        if (param.valid()) c.params.push_back(param);
        return;
      }
    StateCollective c;
    c.region = layer;
    c.times = times;
    c.collective = CollectiveKind::HostCopy;
    c.cls = CollectiveClass::Offload;
    c.phase = phase;
    c.level = program.mesh.levelNames.size();
    c.bytes = bytes;
    c.out = out;
    if (param.valid()) c.params = {param};
    c.because = because;
    layerClass.states.push_back(std::move(c));
  }

  /// Offloaded parameters come before each use, offloaded gradients leave after each backward pass, and those that only
  /// the host's update reads once per step. What the optimizer streams belongs to its step.
  void hostStates(LayerClass& layerClass, const ParamState& p, bool usedBackward) const {
    const Precision& precision = program.precisionOf(program.model.values[p.param]);
    const double stored = p.elements * share(p.params) * width(storedAs(program, p));
    if (p.host[0]) hostCopy(layerClass, p.region, Phase::Forward, false, stored, ruleOf(p, 0), p.param);
    if (p.host[0] && usedBackward)
      hostCopy(layerClass, p.region, Phase::Backward, false, stored, ruleOf(p, 0), p.param);
    if (p.host[1] && program.plan->workload.train && p.trainable && p.owner && p.touched == 0)
      hostCopy(layerClass, p.region, Phase::Backward, true, p.elements * share(p.grads) * width(precision.reduce),
               ruleOf(p, 1), p.param);
    if (runsOnHost(p))
      hostCopy(layerClass, p.region, Phase::Step, true, sentToHost(program, p), updaterOf(program, p)->range, p.param);
  }

  /// Values kept in the host's memory leave after forward and are back before backward.
  void hostActivations(LayerClass& layerClass) const {
    SourceRange because;
    for (const Keep& keep : program.plan->keeps)
      if (keep.host && !because.valid()) because = keep.selector.range;
    for (const Saved& s : layerClass.saved) {
      if (!s.host) continue;
      const RegionId layer = program.model.ops[s.op].region;
      hostCopy(layerClass, layer, Phase::Forward, true, s.bytes, because);
      hostCopy(layerClass, layer, Phase::Backward, false, s.bytes, because);
    }
  }

  double share(AxisMask axes) const { return 1.0 / static_cast<double>(program.mesh.size(axes)); }

  void collectives(LayerClass& layerClass, const ParamState& p, bool usedBackward) const {
    const Precision& precision = program.precisionOf(program.model.values[p.param]);
    const double wire = std::min(width(storedAs(program, p)), width(usedAs(program, p)));
    const double full = p.elements * wire;
    const bool kept = usedBackward && !p.regathers();
    bucket(layerClass, p, CollectiveKind::AllGather, CollectiveClass::State, Phase::Forward, p.params, full,
           ruleOf(p, 0), kept);
    if (usedBackward && !kept)
      bucket(layerClass, p, CollectiveKind::AllGather, CollectiveClass::State, Phase::Backward, p.params, full,
             ruleOf(p, 0));
    if (!p.trainable || !p.owner || !program.plan->workload.train) return;
    double gradient = p.elements * width(precision.reduce);
    const AxisMask now = p.grads & p.partial;
    bucket(layerClass, p, CollectiveKind::ReduceScatter, CollectiveClass::Gradient, Phase::Backward, now, gradient,
           ruleOf(p, 1));
    gradient *= share(now);
    const AxisMask once = p.optimizer & p.partial & ~p.grads;
    bucket(layerClass, p, CollectiveKind::ReduceScatter, CollectiveClass::Gradient, Phase::Step, once, gradient,
           ruleOf(p, 2));
    gradient *= share(once);
    const AxisMask rest = p.partial & ~now & ~once;
    bucket(layerClass, p, CollectiveKind::AllReduce, CollectiveClass::Gradient, Phase::Step, rest, gradient,
           splitOver(layerClass, p, rest));
    bucket(layerClass, p, CollectiveKind::AllGather, CollectiveClass::State, Phase::Step, p.optimizer & ~p.params,
           full * share(p.params), ruleOf(p, 2));
    wholeMatrices(layerClass, p);
  }

  /// An optimizer that works on whole matrices gets them: what the update reads is gathered over every axis that splits
  /// a matrix (arXiv 2502.16982, section 2.3), and each device updates its share of the matrices.
  void wholeMatrices(LayerClass& layerClass, const ParamState& p) const {
    const Optimizer* optimizer = updaterOf(program, p);
    if (!optimizer || optimizer->orthogonalise == 0) return;
    const AxisMask split = splitsMatrix(program, p);
    const double full = p.elements * static_cast<double>(program.mesh.size(split)) * width(kMatrixType);
    bucket(layerClass, p, CollectiveKind::AllGather, CollectiveClass::Gradient, Phase::Step, p.optimizer | split, full,
           ruleOf(p, 2));
  }

  bool usedBackward(LayerClassId id, ValueId param) const {
    if (!program.plan->workload.train) return false;
    const LayerClass& layerClass = program.classes[id];
    const Layer& layer = program.model.layers[layerClass.layer];
    for (uint32_t i = layer.first.index; i < layer.end.index; ++i) {
      const Op& op = program.model.ops[OpId(i)];
      if (!wanted[id.index][op.result.index]) continue;
      bool uses = false;
      for (const Operand& o : op.operands) uses |= o.value == param;
      if (uses) return true;
    }
    return false;
  }
};

/// Device stages on which a class has instances.
std::set<int64_t> stagesOf(const Program& program, LayerClassId layerClass) {
  std::set<int64_t> stages;
  for (const VirtualStage& s : program.virtualStages)
    for (const auto& [id, count] : s.classes)
      if (id == layerClass) stages.insert(s.devices.begin(), s.devices.end());
  return stages;
}

/// The sum of a gradient over device stages, once per step.
StageGroup sumOver(const Program& program, ValueId storage, std::vector<int64_t> stages, double bytes) {
  StageGroup group;
  group.storage = storage;
  group.stages = std::move(stages);
  Node& n = group.allReduce;
  n.kind = NodeKind::Collective;
  n.phase = Phase::Step;
  n.value = storage;
  n.gradient = true;
  n.collective = CollectiveKind::AllReduce;
  n.cls = CollectiveClass::Gradient;
  n.axes = program.stageAxes;
  n.group = static_cast<int64_t>(group.stages.size());
  n.level = program.mesh.levelOf(program.stageAxes);
  n.bytes = bytes;
  n.because = program.plan->pipeline ? program.plan->pipeline->range : SourceRange{};
  return group;
}

/// One storage in several classes: the first of a device stage owns it there; over several stages its gradient is
/// summed (tied embeddings).
struct Tying {
  StatePlacer& placer;
  Program& program;
  std::set<ValueId> summed = {}; ///< storages that a group holds

  struct Use {
    LayerClassId layerClass;
    size_t index;
    std::set<int64_t> stages;
  };

  void run() {
    std::map<ValueId, std::vector<Use>> uses;
    for (uint32_t b = 0; b < program.classes.size(); ++b)
      for (size_t i = 0; i < program.classes[LayerClassId(b)].params.size(); ++i)
        uses[program.model.values[program.classes[LayerClassId(b)].params[i].param].storage].push_back(
            {LayerClassId(b), i, {}});
    for (auto& [storage, list] : uses) {
      const auto& layer = program.classes[list[0].layerClass].layer;
      const bool classesOfOne = std::all_of(list.begin(), list.end(),
                                            [&](const Use& u) { return program.classes[u.layerClass].layer == layer; });
      if (list.size() > 1 && !classesOfOne) tie(storage, list);
    }
  }

  ParamState& state(const Use& u) { return program.classes[u.layerClass].params[u.index]; }

  void tie(ValueId storage, std::vector<Use>& list) {
    std::set<int64_t> all;
    for (Use& u : list) {
      u.stages = stagesOf(program, u.layerClass);
      all.insert(u.stages.begin(), u.stages.end());
      if (state(u).layout == state(list[0]).layout) continue;
      placer.ok = false;
      const Layer& layer = program.model.layers[program.classes[u.layerClass].layer];
      placer.diagnostics.report(TiedLayouts, layer.range, {{"param", program.model.pathOf(storage)}})
          .label(program.model.values[storage].range, "the parameter")
          .help("place its dimensions alike wherever it is used, such as `embed, head { vocab -> tp }`");
      return;
    }
    for (size_t i = 1; i < list.size(); ++i)
      for (size_t k = 0; k < i; ++k)
        if (list[i].stages == list[k].stages && state(list[k]).owner) {
          state(list[i]).owner = false;
          state(list[k]).partial |= state(list[i]).partial;
        }
    if (all.size() < 2 || !program.model.values[storage].trainable) return;
    const ParamState& p = state(list[0]);
    program.stageGroups.push_back(
        sumOver(program, storage, std::vector<int64_t>(all.begin(), all.end()),
                p.elements * width(program.precisionOf(program.model.values[p.param]).reduce) /
                    static_cast<double>(program.mesh.size(p.grads & p.partial))));
    summed.insert(storage);
  }
};

/// A virtual stage that lives on several devices, one per route: the gradients of its parameters are summed over them,
/// after the reductions between equal devices have left each its share.
void sumOverRoutes(StatePlacer& placer, const std::set<ValueId>& summed) {
  Program& program = placer.program;
  if (program.routes == 1 || !program.plan->workload.train) return;
  for (LayerClass& layerClass : program.classes) {
    const size_t before = layerClass.states.size();
    for (const ParamState& p : layerClass.params) {
      if (!p.trainable || !p.owner || summed.count(program.model.values[p.param].storage)) continue;
      const double bytes = p.elements * placer.share(p.optimizer & p.partial) *
                           width(program.precisionOf(program.model.values[p.param]).reduce);
      placer.bucket(layerClass, p, CollectiveKind::AllReduce, CollectiveClass::Gradient, Phase::Step, program.stageAxes,
                    bytes, {});
    }
    for (size_t s = before; s < layerClass.states.size(); ++s)
      layerClass.states[s].group = program.routes, layerClass.states[s].because = program.plan->pipeline->range;
  }
}

/// States of an optimizer that runs on the host lie there; a rule that says so, too, changes nothing.
void warnOfHostTwice(const StatePlacer& placer) {
  for (const StateRule& rule : placer.program.plan->states) {
    if (rule.state != StateKind::Optimizer || !rule.host) continue;
    const Optimizer *runs = nullptr, *moves = nullptr;
    for (const LayerClass& layerClass : placer.program.classes)
      for (const ParamState& p : layerClass.params)
        if (p.rules[2] && sayTheSame(*p.rules[2], rule))
          if (const Optimizer* by = updaterOf(placer.program, p)) (placer.runsOnHost(p) ? runs : moves) = by;
    if (!runs || moves) continue;
    std::vector<std::string> targets;
    for (const Symbol t : rule.targets) targets.push_back(t.str());
    const std::string axes = fmt::format("{}", fmt::join(targets, ", "));
    placer.diagnostics
        .report(OnTheHostAnyway, rule.range,
                {{"targets", axes.empty() ? "host" : fmt::format("[{}, host]", axes)}, {"optimizer", runs->name.str()}})
        .help(axes.empty()
                  ? "take it out: where the host updates, the states lie in its memory"
                  : fmt::format("write `optimizer -> {}`: where the host updates, the states lie in its memory",
                                targets.size() == 1 ? axes : "[" + axes + "]"));
  }
}

} // namespace

bool placeStates(Program& program, DiagnosticEngine& diagnostics) {
  StatePlacer placer{program, diagnostics, valuesWithGradient(program)};
  for (LayerClass& layerClass : program.classes)
    for (ParamState& p : layerClass.params) {
      placer.resolve(layerClass, p);
      if (!placer.ok) return false;
    }
  warnOfHostTwice(placer);
  Tying tying{placer, program};
  tying.run();
  if (!placer.ok) return false;
  sumOverRoutes(placer, tying.summed);
  for (uint32_t b = 0; b < program.classes.size(); ++b) {
    LayerClass& layerClass = program.classes[LayerClassId(b)];
    for (const ParamState& p : layerClass.params) {
      const bool backward = placer.usedBackward(LayerClassId(b), p.param);
      placer.collectives(layerClass, p, backward);
      placer.hostStates(layerClass, p, backward);
    }
  }
  if (program.plan->workload.train)
    for (LayerClass& layerClass : program.classes) placer.hostActivations(layerClass);
  return true;
}

} // namespace planc::passes
