// Part of derive-backward: finds the operators of a class that each match of a `recompute` selector replays, and those
// of their results that are kept by name.
// SPDX-License-Identifier: Apache-2.0
#include "passes/backward/Backward.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace planc::passes {
using namespace ir;

PLANC_ERROR(NestedRecompute, 719, "`{inner}` is recomputed twice: it is inside two checkpoints")

namespace {

/// Finds the checkpoints of one class.
struct CheckpointFinder {
  const ShardedProgram& program;
  const ShardedClass& layerClass;
  const Layer& layer;
  Checkpoints result = {};
  std::vector<const Selector*> selectorOf = {}; ///< by operator
  struct Match {
    int checkpoint = -1; ///< its last checkpoint
    uint32_t wrapped = 0;
  };
  std::map<std::pair<const Selector*, std::vector<Symbol>>, Match> matches = {}; ///< by the path that it matched
  std::vector<uint32_t> wrapped = {}; ///< by operator: index of the wrapped layer that holds it

  const Model& model() const { return program.model; }

  bool find(DiagnosticEngine& diagnostics) {
    result.of.assign(layer.end.index - layer.first.index, -1);
    result.named.assign(result.of.size(), false);
    selectorOf.assign(result.of.size(), nullptr);
    findWrapped();
    for (size_t r = 0; r < program.plan->recompute.size(); ++r)
      for (const Selector& selector : program.plan->recompute[r].selectors)
        for (uint32_t i = layer.first.index; i < layer.end.index; ++i)
          if (!enter(r, selector, OpId(i), diagnostics)) return false;
    discardCasts();
    return true;
  }

  /// Finds wrapped layers. Adjacent operators of one region are a layer if they multiply. Others belong to the
  /// preceding layer, the first ones to the following layer.
  void findWrapped() {
    wrapped.assign(result.of.size(), 0);
    bool any = false; // whether an operator multiplied so far
    for (uint32_t i = layer.first.index, begin = i, number = 0; i < layer.end.index;) {
      const RegionId region = model().ops[OpId(i)].region;
      bool multiplies = false;
      for (begin = i; i < layer.end.index && model().ops[OpId(i)].region == region; ++i)
        multiplies |= multipliesWithParameter(model(), model().ops[OpId(i)]);
      if (multiplies && any) ++number;
      any |= multiplies;
      std::fill(wrapped.begin() + (begin - layer.first.index), wrapped.begin() + (i - layer.first.index), number);
    }
  }

  bool enter(size_t rule, const Selector& selector, OpId id, DiagnosticEngine& diagnostics) {
    const Op& op = model().ops[id];
    const auto depth = recomputes(program, rule, selector, op.path, layerClass);
    if (!depth) return true;
    const uint32_t at = local(layer, id);
    if (result.of[at] >= 0) {
      diagnostics.report(NestedRecompute, selector.range, {{"inner", join(op.path)}})
          .label(selectorOf[at]->range, "the other checkpoint is here")
          .help("keep the outer checkpoint: it replays all layers inside");
      return false;
    }
    const Recompute& statement = program.plan->recompute[rule];
    std::vector<Symbol> prefix(op.path.begin(), op.path.begin() + *depth);
    Match& match = matches[{&selector, std::move(prefix)}];
    if (match.checkpoint < 0 || match.wrapped != wrapped[at]) {
      // Layers of one match keep what they pass to each other. The last layer decides for what leaves the match.
      if (match.checkpoint >= 0) result.forms[match.checkpoint].discards = false;
      match = {static_cast<int>(result.forms.size()), wrapped[at]};
      result.forms.push_back({!statement.saves.empty(), statement.outputs});
    }
    result.of[at] = match.checkpoint;
    selectorOf[at] = &selector;
    const std::vector<Symbol> rest(op.path.begin() + *depth, op.path.end());
    result.named[at] = op.kind != OpKind::Cast && llvm::any_of(statement.saves, [&](const Selector& s) {
                         const auto steps = s.matches(rest);
                         return steps && leaves(op, static_cast<size_t>(*depth + *steps));
                       });
    return true;
  }

  /// Returns whether an operator outside the layer reads the result. The layer's path is the first `length` names of
  /// the operator's path.
  bool leaves(const Op& op, size_t length) const {
    auto outside = [&](const Op& reader) {
      return reader.path.size() < length || !std::equal(op.path.begin(), op.path.begin() + length, reader.path.begin());
    };
    bool read = false;
    for (const Op& reader : model().ops)
      for (const Operand& o : reader.operands) {
        if (o.value != op.result) continue;
        if (outside(reader)) return true;
        read = true;
      }
    return !read || model().isLoss(op.result);
  }

  /// Discards casts together with the value that they cast.
  void discardCasts() {
    for (uint32_t i = layer.first.index; i < layer.end.index; ++i) {
      const Op& op = model().ops[OpId(i)];
      const Value& value = model().values[op.operands.empty() ? op.result : op.operands[0].value];
      if (op.kind != OpKind::Cast || result.of[i - layer.first.index] >= 0 || value.kind != ValueKind::Result) continue;
      const Op& maker = model().ops[value.producer];
      if (maker.layer != layerClass.layer) continue;
      const uint32_t made = local(layer, value.producer);
      const int checkpoint = result.of[made];
      if (checkpoint >= 0 && !result.named[made] && result.forms[checkpoint].discards)
        result.of[i - layer.first.index] = checkpoint;
    }
  }
};

} // namespace

std::optional<int> recomputes(const ShardedProgram& program, size_t rule, const Selector& selector,
                              const std::vector<Symbol>& path, const ShardedClass& layerClass) {
  if (rule < program.firstLayers.size() && !program.firstLayers[rule].empty() && !layerClass.instances.ranges.empty() &&
      !program.firstLayers[rule][layerClass.layer.index].contains(layerClass.instances.ranges.front().begin))
    return std::nullopt;
  return reaches(selector, path, program.model->layers[layerClass.layer], layerClass.instances);
}

Checkpoints findCheckpoints(const ShardedProgram& program, const ShardedClass& layerClass,
                            DiagnosticEngine& diagnostics) {
  CheckpointFinder finder{program, layerClass, program.model->layers[layerClass.layer]};
  finder.result.ok = finder.find(diagnostics);
  return std::move(finder.result);
}

} // namespace planc::passes
