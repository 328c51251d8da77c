// Part of place-states: the collectives and copies that follow from where states are stored (docs/language.md, section
// 11). The storage layout of the gradient decides when it is reduced. There is no other rule about data parallelism.
// SPDX-License-Identifier: Apache-2.0
#include "passes/place/MoveStates.h"

#include "ir/program/States.h"
#include "passes/lower/Lowering.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace planc::passes {
using namespace ir;

bool runsOnHost(const ProgramHead& program, const ParamState& p) {
  if (program.plan->workload.tableOptimizer && isTable(program.model, p.param)) return false;
  const Optimizer* by = updaterOf(program, p);
  return by && by->onHost;
}

namespace {

/// Adds the data movement of the states of one class.
struct StateMover {
  const ProgramHead& program;
  ClassHead& layerClass;
  const std::vector<bool>& wanted; ///< by value: its gradient is needed
  std::vector<StateCollective>& moved = layerClass.states.edit();
  Multipliers multipliers{program.model, layerClass.layer};
  /// Places of the collectives and of the copies to and from the host in `moved`.
  using Bucket = std::tuple<RegionId, CollectiveKind, CollectiveClass, Phase, AxisMask, bool>;
  mutable std::map<Bucket, size_t> buckets = {};
  mutable std::map<std::tuple<RegionId, Phase, bool>, size_t> copies = {};

  const StateRule* ruleOf(const ParamState& p, size_t state) const {
    return p.rules[state] < 0 ? nullptr : &program.plan->states[static_cast<size_t>(p.rules[state])];
  }
  SourceRange rangeOf(const ParamState& p, size_t state) const {
    const StateRule* rule = ruleOf(p, state);
    return rule ? rule->range : SourceRange{};
  }

  /// Returns the rule that splits an operator of the parameter over the axes, so that each device has a summand of its
  /// gradient.
  SourceRange splitOver(const ParamState& p, AxisMask axes) const {
    const Layer& layer = program.model->layers[layerClass.layer];
    for (uint32_t i = layer.first.index; i < layer.end.index; ++i) {
      const Op& op = program.model->ops[OpId(i)];
      const auto reads = [&](const Operand& o) { return o.value == p.param; };
      if (std::none_of(op.operands.begin(), op.operands.end(), reads)) continue;
      for (const PlacedDim& d : layerClass.placements[i - layer.first.index].dims)
        if (d.rule && (maskOf(d.axes) & axes)) return d.rule->range;
    }
    return {};
  }

  /// Adds bytes to the bucket of the layer: one collective per kind, axes and phase. `bytes`: of one instance of the
  /// class. `because` returns the rule of the first parameter.
  template <class Because>
  void bucket(const ParamState& p, CollectiveKind kind, CollectiveClass cls, Phase phase, AxisMask axes, double bytes,
              Because because, bool kept = false) const {
    if (!axes || bytes <= 0) return;
    const int64_t times = program.timesInside(layerClass.layer, p.region);
    bytes /= static_cast<double>(times);
    const auto [place, fresh] = buckets.try_emplace({p.region, kind, cls, phase, axes, kept}, moved.size());
    if (!fresh) {
      moved[place->second].bytes += bytes;
      moved[place->second].params.push_back(p.param);
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
    c.because = because();
    moved.push_back(std::move(c));
  }

  /// Adds a copy between device and host memory, on the stream after the streams of the levels. `bytes`: of one
  /// instance of the class, for all instances of `layer` in it.
  void hostCopy(RegionId layer, Phase phase, bool out, double bytes, SourceRange because, ValueId param = {}) const {
    if (bytes <= 0) return;
    const int64_t times = program.timesInside(layerClass.layer, layer);
    bytes /= static_cast<double>(times);
    const auto [place, fresh] = copies.try_emplace({layer, phase, out}, moved.size());
    if (!fresh) {
      moved[place->second].bytes += bytes;
      if (param.valid()) moved[place->second].params.push_back(param);
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
    moved.push_back(std::move(c));
  }

  /// Adds copies of offloaded states. Parameters arrive before each use, and gradients leave after each backward pass.
  /// Gradients that only an update on the host reads leave once per step. Streams of the optimizer belong to its step.
  void hostStates(const ParamState& p, bool usedBackward) const {
    const Precision& precision = program.precisionOf(program.model->values[p.param]);
    const double stored = p.elements * share(p.params) * width(storedAs(program, p));
    if (p.host[0]) hostCopy(p.region, Phase::Forward, false, stored, rangeOf(p, 0), p.param);
    if (p.host[0] && usedBackward) hostCopy(p.region, Phase::Backward, false, stored, rangeOf(p, 0), p.param);
    if (p.host[1] && program.plan->workload.hasBackward() && p.trainable && p.owner && !updatesRows(program, p))
      hostCopy(p.region, Phase::Backward, true, p.elements * share(p.grads) * width(precision.reduce), rangeOf(p, 1),
               p.param);
    if (runsOnHost(program, p))
      hostCopy(p.region, Phase::Step, true, sentToHost(program, p), updaterOf(program, p)->range, p.param);
  }

  /// Adds copies of values kept in the host's memory. They leave after forward and return before backward.
  void hostActivations() const {
    SourceRange because;
    for (const Keep& keep : program.plan->keeps)
      if (keep.host && !because.valid()) because = keep.selector.range;
    for (const Saved& s : layerClass.saved) {
      if (!s.host) continue;
      const RegionId layer = program.model->ops[s.op].region;
      hostCopy(layer, Phase::Forward, true, s.bytes, because);
      hostCopy(layer, Phase::Backward, false, s.bytes, because);
    }
  }

  double share(AxisMask axes) const { return 1.0 / static_cast<double>(program.mesh.size(axes)); }

  void collectives(const ParamState& p, bool usedBackward) const {
    const Precision& precision = program.precisionOf(program.model->values[p.param]);
    const double wire = std::min(width(storedAs(program, p)), width(usedAs(program, p, multipliers.of(p))));
    const double full = p.elements * wire;
    // Parameters are gathered again for backward, or kept from forward until then.
    const StateRule* const ofParams = ruleOf(p, 0);
    const bool kept = usedBackward && ofParams && !ofParams->regather;
    const auto ofState = [&](size_t state) { return [this, &p, state] { return rangeOf(p, state); }; };
    bucket(p, CollectiveKind::AllGather, CollectiveClass::State, Phase::Forward, p.params, full, ofState(0), kept);
    if (usedBackward && !kept)
      bucket(p, CollectiveKind::AllGather, CollectiveClass::State, Phase::Backward, p.params, full, ofState(0));
    if (!p.trainable || !p.owner || !program.plan->workload.hasBackward()) return;
    double gradient = p.elements * width(precision.reduce);
    const AxisMask now = p.grads & p.partial;
    bucket(p, CollectiveKind::ReduceScatter, CollectiveClass::Gradient, Phase::Backward, now, gradient, ofState(1));
    gradient *= share(now);
    const AxisMask once = p.optimizer & p.partial & ~p.grads;
    bucket(p, CollectiveKind::ReduceScatter, CollectiveClass::Gradient, Phase::Step, once, gradient, ofState(2));
    gradient *= share(once);
    const AxisMask rest = p.partial & ~now & ~once;
    bucket(p, CollectiveKind::AllReduce, CollectiveClass::Gradient, Phase::Step, rest, gradient,
           [&] { return splitOver(p, rest); });
    bucket(p, CollectiveKind::AllGather, CollectiveClass::State, Phase::Step, p.optimizer & ~p.params,
           full * share(p.params), ofState(2));
    wholeMatrices(p);
  }

  /// Gathers whole matrices for an optimizer that works on them: what the update reads is gathered over every axis that
  /// splits a matrix (arXiv 2502.16982, section 2.3). Each device updates its share of the matrices.
  void wholeMatrices(const ParamState& p) const {
    const Optimizer* optimizer = updaterOf(program, p);
    if (!optimizer || optimizer->orthogonalise == 0) return;
    const AxisMask split = splitsMatrix(program, p);
    const double full = p.elements * static_cast<double>(program.mesh.size(split)) * width(kMatrixType);
    bucket(p, CollectiveKind::AllGather, CollectiveClass::Gradient, Phase::Step, p.optimizer | split, full,
           [&] { return rangeOf(p, 2); });
  }

  /// Returns, by value, whether an operator reads it whose result has a gradient.
  std::vector<bool> usedBackward() const {
    std::vector<bool> used(program.model->values.size());
    if (layerClass.params.empty() || !program.plan->workload.hasBackward())
      return used; // no values wanted of reshards alone
    const Layer& layer = program.model->layers[layerClass.layer];
    for (uint32_t i = layer.first.index; i < layer.end.index; ++i) {
      const Op& op = program.model->ops[OpId(i)];
      if (!wanted[op.result.index]) continue;
      for (const Operand& o : op.operands) used[o.value.index] = true;
    }
    return used;
  }
};

} // namespace

void moveStates(const ProgramHead& program, ClassHead& layerClass, const std::vector<bool>& wanted) {
  const StateMover mover{program, layerClass, wanted};
  const std::vector<bool> backward = mover.usedBackward();
  for (const ParamState& p : layerClass.params) {
    mover.collectives(p, backward[p.param.index]);
    mover.hostStates(p, backward[p.param.index]);
  }
  if (program.plan->workload.hasBackward()) mover.hostActivations();
}

Memos* memosOfMoves(const ProgramHead& program) {
  return program.routes == 1 ? program.memos.get() : nullptr;
}

void sumOverRoutes(ProgramHead& program, const std::set<ValueId>& summed) {
  if (program.routes == 1 || !program.plan->workload.hasBackward()) return;
  const std::vector<bool> unasked;
  for (ClassHead& layerClass : program.heads()) {
    const StateMover mover{program, layerClass, unasked};
    const size_t before = mover.moved.size();
    for (const ParamState& p : layerClass.params) {
      if (!p.trainable || !p.owner || summed.count(program.model->values[p.param].storage)) continue;
      const double bytes = p.elements * mover.share(p.optimizer & p.partial) *
                           width(program.precisionOf(program.model->values[p.param]).reduce);
      mover.bucket(p, CollectiveKind::AllReduce, CollectiveClass::Gradient, Phase::Step, program.stageAxes, bytes,
                   [] { return SourceRange{}; });
    }
    for (size_t s = before; s < mover.moved.size(); ++s)
      mover.moved[s].group = program.routes, mover.moved[s].because = program.plan->pipeline->range;
  }
}

} // namespace planc::passes
