// The values that forward keeps for backward: the smaller side of a reshard, or the later side if both are equal. A
// checkpoint keeps only what enters it, and results kept by name (docs/language.md, section 11). Replays.cpp adds the
// replays.
// SPDX-License-Identifier: Apache-2.0
#include "ir/facts/StackFacts.h"
#include "ir/print/Labels.h"
#include "passes/backward/Backward.h"
#include "support/Rounding.h"

#include "llvm/ADT/STLExtras.h"

#include <fmt/format.h>

namespace planc::passes {
using namespace ir;

PLANC_ERROR(KeptTwice, 789, "two `keep` statements of the same depth keep `{value}` {first} and {second}")

std::optional<int> keepsOf(const ShardedProgram& program, LayerId layer, const RangeSet& instances,
                           const Selector& selector, OpId reader, const Value& value) {
  const Op& taker = program.model->ops[reader];
  if (value.kind != ValueKind::Result) return std::nullopt;
  // A carried value is produced by the instance before, or before the repeat. Each instance keeps its own copy.
  const Op& owner = taker.kind == OpKind::Carry ? taker : program.model->ops[value.producer];
  return reaches(selector, owner.path, program.model->layers[owner.layer],
                 owner.layer == layer ? instances : RangeSet{});
}

namespace {

/// The statement that chooses the side of a value to keep, and a contradicting statement of equal depth.
struct KeptSide {
  const Keep* keep = nullptr;
  const Keep* against = nullptr;
};

/// Returns the innermost of the statements that reach the value. Their order means nothing.
KeptSide sideOf(const ShardedProgram& program, const ShardedClass& layerClass, OpId reader, const Value& value) {
  KeptSide side;
  int innermost = -1;
  for (const Keep& keep : program.plan->keeps) {
    if (keep.host) continue;
    const std::optional<int> depth =
        keepsOf(program, layerClass.layer, layerClass.instances, keep.selector, reader, value);
    if (!depth || *depth < innermost) continue;
    if (*depth > innermost)
      innermost = *depth, side = {&keep, nullptr};
    else if (keep.gathered != side.keep->gathered)
      side.against = &keep;
  }
  return side;
}

} // namespace

bool checkKeeps(const ShardedProgram& program, DiagnosticEngine& diagnostics) {
  if (program.plan->keeps.size() < 2) return true;
  for (const ShardedClass& layerClass : program.classes) {
    const Layer& layer = program.model->layers[layerClass.layer];
    for (uint32_t i = layer.first.index; !layerClass.boundaryReshard && i < layer.end.index; ++i)
      for (const Operand& o : program.model->ops[OpId(i)].operands) {
        const KeptSide side = sideOf(program, layerClass, OpId(i), program.model->values[o.value]);
        if (!side.against) continue;
        diagnostics
            .report(KeptTwice, side.against->selector.range,
                    {{"value", program.model->pathOf(o.value)},
                     {"first", side.keep->gathered ? "gathered" : "split"},
                     {"second", side.against->gathered ? "gathered" : "split"}})
            .label(side.keep->selector.range, "the other statement")
            .help("remove one of them, or let one name an inner layer: the inner statement wins");
        return false;
      }
  }
  return true;
}

double ownCopies(const ShardedProgram& program, const ShardedClass& layerClass, OpId id) {
  const Op& op = program.model->ops[id];
  const Number* each = program.plan->stack ? program.plan->stack->number(StackFact::Keeps, op.name) : nullptr;
  if (!each || op.operands.empty()) return 0;
  const Placement& placement = layerClass.placements[local(program.model->layers[layerClass.layer], id)];
  const std::vector<DimId>& dims = op.operands[0].dims;
  return localElements(program, dims, need(program, placement, dims)) * each->value * timesOf(program, op);
}

ActivationPolicy::ActivationPolicy(const ShardedProgram& program, ShardedClass& layerClass,
                                   const std::vector<bool>& wanted, const Checkpoints& checkpoints)
    : program_(program), layerClass_(layerClass), wanted_(wanted), checkpoints_(checkpoints),
      layer_(program.model->layers[layerClass.layer]), producerNode_(layer_.end.index - layer_.first.index, -1),
      replayed_(layerClass.forward.size(), -1), state_(checkpoints.forms.size(), Replay::Waiting),
      keptAnyway_(producerNode_.size()), opsOf_(checkpoints.forms.size()), nodesOf_(checkpoints.forms.size()) {
  for (size_t n = 0; n < layerClass.forward.size(); ++n) {
    const ShardedNode& node = layerClass.forward[n];
    if (node.isCompute()) producerNode_[local(layer_, node.op)] = static_cast<int32_t>(n);
    if (const int checkpoint = checkpointOf(node.op); checkpoint >= 0)
      nodesOf_[static_cast<size_t>(checkpoint)].push_back(static_cast<uint32_t>(n));
  }
  for (uint32_t i = layer_.first.index; i < layer_.end.index; ++i)
    if (const int checkpoint = checkpointOf(OpId(i)); checkpoint >= 0)
      opsOf_[static_cast<size_t>(checkpoint)].push_back(OpId(i));
}

/// Returns whether the backward of the operator reads this operand. A contraction reads an operand for the gradient of
/// another one.
bool ActivationPolicy::reads(const Op& op, size_t operand) const {
  const ValueKind kind = program_.model->values[op.operands[operand].value].kind;
  if (kind != ValueKind::Result) return false; // parameters and inputs are present anyway
  if (llvm::none_of(op.saves, [&](const Save& s) {
        return s.what == Save::What::Operand && s.operand == static_cast<int>(operand);
      }))
    return false;
  for (size_t i = 0; i < op.operands.size(); ++i)
    if ((i != operand || !isContraction(op.kind)) && wanted_[op.operands[i].value.index] &&
        program_.model->passesGradient(op, op.operands[i]))
      return true;
  return false;
}

std::vector<ActivationPolicy::Point> ActivationPolicy::points(OpId id, size_t operand) const {
  const Op& op = program_.model->ops[id];
  const ValueId v = op.operands[operand].value;
  const Value& value = program_.model->values[v];
  const bool inside = value.kind == ValueKind::Result && program_.model->ops[value.producer].layer == layerClass_.layer;
  std::vector<const ShardedNode*> chain;
  std::vector<int32_t> indices;
  for (int32_t n = layerClass_.brought[local(layer_, id)][operand]; n >= 0;) {
    chain.insert(chain.begin(), &layerClass_.forward[n]);
    indices.insert(indices.begin(), n);
    int32_t before = -1;
    for (NodeIndex d : chain.front()->deps)
      if (const Reshard* r = layerClass_.forward[d].asReshard(); r && r->value == v) before = static_cast<int32_t>(d);
    n = before;
  }
  std::vector<Point> result;
  auto add = [&](const Layout& layout, int32_t node) {
    const Point point{layout, node, localElements(program_, value.dims, layout)};
    if (result.size() == 1 && result.front().layout.partial) result.clear();
    if (!layout.partial || result.empty()) result.push_back(point); // a pending sum only if nothing else is read
  };
  const int32_t made = inside ? producerNode_[local(layer_, value.producer)] : -1;
  if (chain.empty()) {
    // The layout as produced. A carried value enters in the layout that its repeat needs.
    add(op.kind == OpKind::Carry ? need(program_, layerClass_.placements[local(layer_, id)], op.operands[operand].dims)
        : inside                 ? layerClass_.results[local(layer_, value.producer)]
                                 : layoutOf(program_, v),
        made);
    return result;
  }
  add(chain.front()->reshard().from, made);
  for (size_t i = 0; i < chain.size(); ++i) {
    const Reshard& r = chain[i]->reshard();
    for (const ReshardStep& step :
         ir::reshard(program_.mesh, program_.extents(value.dims), program_.unordered(r, chain[i]->op), r.from, r.to))
      add(step.after, indices[i]);
  }
  return result;
}

ActivationPolicy::Point ActivationPolicy::kept(OpId id, size_t operand) const {
  const std::vector<Point> all = points(id, operand);
  const Value& value = program_.model->values[program_.model->ops[id].operands[operand].value];
  if (const Keep* keep = sideOf(program_, layerClass_, id, value).keep)
    return keep->gathered ? all.back() : all.front();
  // Compares means over devices, so that an exchange is not repeated only because its busiest device receives more than
  // it gave.
  auto mean = [&](const Point& p) { return p.elements / program_.skew(value.dims, p.layout); };
  Point best = all.front();
  for (const Point& p : all)
    if (mean(p) <= mean(best) * (1 + kRounding)) best = p;
  return best;
}

/// Returns whether the plan keeps the reader's copy of this value in the host's memory.
bool ActivationPolicy::onHost(OpId reader, ValueId value) const {
  return llvm::any_of(program_.plan->keeps, [&](const Keep& keep) {
    return keep.host && keepsOf(program_, layerClass_.layer, layerClass_.instances, keep.selector, reader,
                                program_.model->values[value]);
  });
}

/// Returns the type in which a value is kept. The reader that keeps it decides. With several readers the widest type is
/// kept, and all read that one.
DType ActivationPolicy::keptType(ValueId value) const {
  const DType own = program_.dtypeOf(value);
  std::optional<DType> widest;
  for (uint32_t i = layer_.first.index; i < layer_.end.index; ++i) {
    const Op& op = program_.model->ops[OpId(i)];
    bool keeps =
        op.result == value && llvm::any_of(op.saves, [](const Save& s) { return s.what == Save::What::Result; });
    for (size_t k = 0; k < op.operands.size() && !keeps; ++k)
      keeps = op.operands[k].value == value &&
              (reads(op, k) || (checkpointOf(OpId(i)) >= 0 && enters(value, checkpointOf(OpId(i)))));
    if (!keeps) continue;
    const DType here = program_.savedType(op, value);
    if (!widest || width(here) > width(*widest)) widest = here;
  }
  return widest.value_or(own);
}

void ActivationPolicy::save(OpId reader, ValueId value, const Layout& layout, double elements, int32_t made) {
  std::vector<Layout>& layouts = savedLayouts_[program_.model->storageOf(value)];
  if (llvm::is_contained(layouts, layout)) return;
  layouts.push_back(layout);
  const Op& op = program_.model->ops[reader];
  const double times = timesOf(program_, op);
  const DType kept = program_.precisionOf(op).saved ? keptType(value) : program_.dtypeOf(value);
  const bool narrowed = kept != program_.dtypeOf(value);
  layerClass_.saved.edit().push_back(
      {reader, value, Symbol(), elements * width(kept) * times, onHost(reader, value), layout, narrowed});
  if (!narrowed) return;
  narrowed_[value] = reader;
  ShardedNode node = castOfSaved(reader, value, layout, Phase::Forward);
  if (made >= 0) node.deps.push_back(static_cast<NodeIndex>(made));
  layerClass_.forward.edit().push_back(std::move(node));
}

/// Returns the node that restores a value kept in fewer bits, added once; -1 for a value kept as it is.
int32_t ActivationPolicy::restore(ValueId value, const Layout& layout, std::vector<ShardedNode>& backward) {
  const auto reader = narrowed_.find(value);
  if (reader == narrowed_.end()) return -1;
  for (size_t n = 0; n < backward.size(); ++n)
    if (const Computation* c = backward[n].asCompute();
        c && c->role == Role::Save && c->value == value && c->kept == layout)
      return static_cast<int32_t>(n);
  backward.push_back(castOfSaved(reader->second, value, layout, Phase::Backward));
  return static_cast<int32_t>(backward.size()) - 1;
}

ShardedNode ActivationPolicy::castOfSaved(OpId reader, ValueId value, const Layout& layout, Phase phase) const {
  Computation save;
  save.role = Role::Save;
  save.value = value;
  save.kept = layout;
  return {{.phase = phase, .op = reader, .times = timesOf(program_, program_.model->ops[reader])}, std::move(save)};
}

void ActivationPolicy::saveBuffer(OpId id, const Save& buffer) {
  const Op& op = program_.model->ops[id];
  const Placement& placement = layerClass_.placements[local(layer_, id)];
  const double bytes =
      buffer.bytes.evaluate([&](DimId d) { return localExtent(program_, placement, d); },
                            [&](int o) { return program_.widthOf(o < 0 ? op.result : op.operands[o].value); });
  const double times = timesOf(program_, op);
  layerClass_.saved.edit().push_back({id, op.result, buffer.buffer, bytes * times, onHost(id, op.result)});
}

/// Keeps the operator's own copies. In a checkpoint they are made again with their operator and live in the working
/// set.
void ActivationPolicy::saveOwnCopies(OpId id) {
  const double bytes = ownCopies(program_, layerClass_, id);
  const ValueId made = program_.model->ops[id].result;
  if (bytes > 0) layerClass_.saved.edit().push_back({id, made, labels::kCopies, bytes, onHost(id, made)});
}

/// Lets a replayed node wait until values kept in fewer bits are restored.
void ActivationPolicy::awaitRestored(ShardedNode& node, const std::vector<ShardedNode>& backward) const {
  const Op& op = program_.model->ops[node.op];
  for (size_t n = 0; n < backward.size() && !narrowed_.empty(); ++n) {
    const Computation* c = backward[n].asCompute();
    if (!c || c->role != Role::Save) continue;
    const ValueId v = c->value;
    if (node.value() == v ||
        (node.isCompute() && llvm::any_of(op.operands, [&](const Operand& o) { return o.value == v; })))
      node.deps.push_back(static_cast<NodeIndex>(n));
  }
}

int32_t ActivationPolicy::keepOperand(OpId id, size_t operand, std::vector<ShardedNode>& backward) {
  const Op& op = program_.model->ops[id];
  const Operand& o = op.operands[operand];
  const Point p = kept(id, operand);
  const int checkpoint = checkpointOf(id);
  const bool entering = checkpoint < 0 || enters(o.value, checkpoint), discards = entering && discarded(o.value);
  int32_t available = -1;
  if (discards) {
    available = again(id, o.value, p, backward);
  } else {
    if (entering) save(id, o.value, p.layout, p.elements, p.node);
    available = entering ? restore(o.value, p.layout, backward) : -1;
    if (available < 0 && checkpoint >= 0) available = replayOf(p.node);
  }
  const Layout wanted = need(program_, layerClass_.placements[local(layer_, id)], o.dims);
  if (sameLayout(program_.unordered(o.dims), p.layout, wanted)) return available;
  for (const int32_t n : regathers_[o.value]) // once per value and target
    if (backward[static_cast<size_t>(n)].reshard().to == wanted) return n;
  const OpId producer = program_.model->values[o.value].producer;
  ShardedNode node({.phase = Phase::Backward, .op = id, .times = timesOf(program_, op)},
                   Reshard{{.value = o.value, .source = producer}, p.layout, wanted, true});
  if (available >= 0) node.deps.push_back(static_cast<NodeIndex>(available));
  backward.push_back(std::move(node));
  regathers_[o.value].push_back(static_cast<int32_t>(backward.size()) - 1);
  return regathers_[o.value].back();
}

std::vector<int32_t> ActivationPolicy::read(OpId id, std::vector<ShardedNode>& backward) {
  const Op& op = program_.model->ops[id];
  std::vector<int32_t> ready;
  for (size_t i = 0; i < op.operands.size(); ++i)
    if (reads(op, i)) {
      const int32_t node = keepOperand(id, i, backward);
      brings_[{id, static_cast<int>(i)}] = node;
      if (node >= 0) ready.push_back(node);
    }
  const int checkpoint = checkpointOf(id);
  if (checkpoint < 0) saveOwnCopies(id);
  for (const Save& s : op.saves) {
    if (s.what == Save::What::Operand) continue;
    if (checkpoint >= 0 && !checkpoints_.named[local(layer_, id)]) {
      if (const int32_t copy = replayOf(producerNode_[local(layer_, id)]); copy >= 0) ready.push_back(copy);
    } else if (s.what == Save::What::Buffer) {
      saveBuffer(id, s);
    } else {
      const Layout& layout = layerClass_.results[local(layer_, id)];
      save(id, op.result, layout, localElements(program_, op.resultDims, layout), producerNode_[local(layer_, id)]);
      if (const int32_t node = restore(op.result, layout, backward); node >= 0) ready.push_back(node);
    }
  }
  return ready;
}

std::vector<int32_t> ActivationPolicy::readOthers(OpId id, int except) const {
  std::vector<int32_t> ready;
  for (auto it = brings_.lower_bound({id, 0}); it != brings_.end() && it->first.first == id; ++it)
    if (it->first.second != except && it->second >= 0) ready.push_back(it->second);
  return ready;
}

} // namespace planc::passes
