// Part of derive-backward: the nodes that a checkpoint replays before its first backward node, their order, and the
// replayed nodes that nothing reads (docs/language.md, section 11).
// SPDX-License-Identifier: Apache-2.0
#include "passes/backward/Backward.h"

#include "llvm/ADT/STLExtras.h"

namespace planc::passes {
using namespace ir;

/// Returns whether the value exists when the checkpoint is replayed: produced outside of it, or kept by name.
bool ActivationPolicy::enters(ValueId v, int checkpoint) const {
  const Value& value = program_.model->values[v];
  if (value.kind != ValueKind::Result) return false;
  const Op& producer = program_.model->ops[value.producer];
  return producer.layer != layerClass_.layer || checkpointOf(value.producer) != checkpoint ||
         checkpoints_.named[local(layer_, value.producer)];
}

/// Returns whether the value is recomputed for its readers in other layers instead of being kept.
bool ActivationPolicy::discarded(ValueId v) const {
  const Value& value = program_.model->values[v];
  if (value.kind != ValueKind::Result || program_.model->ops[value.producer].layer != layerClass_.layer) return false;
  const uint32_t made = local(layer_, value.producer);
  const int checkpoint = checkpoints_.of[made];
  return checkpoint >= 0 && checkpoints_.forms[checkpoint].discards && !checkpoints_.named[made] && !keptAnyway_[made];
}

/// Keeps the values that enter a checkpoint, each on its smaller side. Values that another checkpoint discards are
/// recomputed first.
void ActivationPolicy::saveEntering(int checkpoint, std::vector<ShardedNode>& backward) {
  for (const OpId id : opsOf_[static_cast<size_t>(checkpoint)]) {
    const Op& op = program_.model->ops[id];
    for (size_t k = 0; k < op.operands.size(); ++k) {
      const ValueId v = op.operands[k].value;
      if (!enters(v, checkpoint)) continue;
      if (discarded(v)) {
        const OpId producer = program_.model->values[v].producer;
        if (state_[checkpointOf(producer)] != Replay::Running) {
          replay(checkpointOf(producer), backward);
          continue;
        }
        keptAnyway_[local(layer_, producer)] = true; // each of two checkpoints reads what the other one produces
      }
      const Point p = kept(id, k);
      save(id, v, p.layout, p.elements, p.node);
      restore(v, p.layout, backward);
    }
  }
}

/// Keeps results by name, even if no replay reads them.
void ActivationPolicy::saveNamed(int checkpoint, std::vector<ShardedNode>& backward) {
  for (const OpId id : opsOf_[static_cast<size_t>(checkpoint)]) {
    if (!checkpoints_.named[local(layer_, id)]) continue;
    const Op& op = program_.model->ops[id];
    const Layout& layout = layerClass_.results[local(layer_, id)];
    if (!savedLayouts_.contains(program_.model->storageOf(op.result)))
      save(id, op.result, layout, localElements(program_, op.resultDims, layout), producerNode_[local(layer_, id)]);
    restore(op.result, layout, backward);
  }
}

void ActivationPolicy::replay(int checkpoint, std::vector<ShardedNode>& backward) {
  if (checkpoint < 0 || state_[checkpoint] != Replay::Waiting) return;
  state_[checkpoint] = Replay::Running;
  saveEntering(checkpoint, backward);
  saveNamed(checkpoint, backward);
  for (const uint32_t n : nodesOf_[static_cast<size_t>(checkpoint)]) {
    ShardedNode node = layerClass_.forward[n];
    if (!replayNode(checkpoint, node, static_cast<int32_t>(n))) continue;
    node.phase = Phase::Recompute;
    node.needed = false;
    NodeList deps;
    for (NodeIndex d : node.deps) {
      int32_t copy = replayOf(static_cast<int32_t>(d));
      const Reshard* before = layerClass_.forward[d].asReshard();
      if (copy < 0 && before && discarded(before->value)) // resharded for a reader elsewhere
        copy = again(node.op, before->value, {before->to, static_cast<int32_t>(d), 0}, backward);
      if (copy >= 0) deps.push_back(static_cast<NodeIndex>(copy));
    }
    node.deps = std::move(deps);
    awaitRestored(node, backward);
    replayed_[n] = static_cast<int32_t>(backward.size());
    if (const Reshard* r = node.asReshard()) remade_[r->value].push_back(replayed_[n]);
    backward.push_back(std::move(node));
  }
  state_[checkpoint] = Replay::Done;
}

/// Returns whether this forward node is replayed. A reshard of a kept value starts from the kept layout.
bool ActivationPolicy::replayNode(int checkpoint, ShardedNode& node, int32_t at) const {
  Reshard* const r = node.asReshard();
  if (!r) return !checkpoints_.named[local(layer_, node.op)];
  if (!enters(r->value, checkpoint) || discarded(r->value)) return true;
  const Op& op = program_.model->ops[node.op];
  for (size_t k = 0; k < op.operands.size(); ++k) {
    if (op.operands[k].value != r->value) continue;
    const Point p = kept(node.op, k);
    if (p.node == at) r->from = p.layout; // kept on the way or at its end
  }
  return r->from != r->to;
}

/// Recomputes a discarded result and reshards it to a point before a reader. Returns the node that ends there.
int32_t ActivationPolicy::again(OpId reader, ValueId v, const Point& point, std::vector<ShardedNode>& backward) {
  const OpId producer = program_.model->values[v].producer;
  replay(checkpointOf(producer), backward);
  const int32_t made = replayOf(producerNode_[local(layer_, producer)]);
  if (point.node < 0 || layerClass_.forward[point.node].isCompute()) return made;
  const Layout& from = layerClass_.results[local(layer_, producer)];
  for (const int32_t n : remade_[v]) // once per layout
    if (backward[static_cast<size_t>(n)].reshard().to == point.layout) return n;
  ShardedNode node = layerClass_.forward[point.node];
  node.phase = Phase::Recompute;
  node.needed = false;
  node.op = reader;
  node.reshard().from = from;
  node.reshard().to = point.layout;
  node.deps.clear();
  if (made >= 0) node.deps.push_back(static_cast<NodeIndex>(made));
  backward.push_back(std::move(node));
  remade_[v].push_back(static_cast<int32_t>(backward.size()) - 1);
  return remade_[v].back();
}

/// Returns whether an operator outside the checkpoint reads the result, or no operator does. A checkpoint is replayed
/// up to such results.
bool ActivationPolicy::handsOn(OpId id, const Readers& readers) const {
  const auto found = readers.find(program_.model->ops[id].result);
  if (found == readers.end()) return true;
  return llvm::any_of(found->second, [&](OpId reader) {
    const Op& op = program_.model->ops[reader];
    return op.layer != layerClass_.layer || checkpointOf(reader) != checkpointOf(id) ||
           (op.kind == OpKind::Carry && handsOn(reader, readers)); // an identity
  });
}

/// Removes replayed nodes that only feed results kept by name.
void ActivationPolicy::dropUnread() {
  auto& backward = layerClass_.backward.edit();
  auto drops = [&](const ShardedNode& node) {
    return node.phase == Phase::Recompute && checkpointOf(node.op) >= 0 &&
           checkpoints_.forms[checkpointOf(node.op)].saves;
  };
  if (llvm::none_of(backward, drops)) return;
  Readers readers;
  for (uint32_t i = 0; i < program_.model->ops.size(); ++i)
    for (const Operand& o : program_.model->ops[OpId(i)].operands) readers[o.value].push_back(OpId(i));
  std::vector<bool> stays(backward.size());
  std::vector<NodeIndex> moved(backward.size());
  for (size_t i = backward.size(); i-- > 0;) {
    const ShardedNode& node = backward[i];
    stays[i] = stays[i] || !drops(node) || (node.isCompute() && handsOn(node.op, readers));
    if (stays[i])
      for (NodeIndex d : node.deps) stays[d] = true;
  }
  std::vector<ShardedNode> left;
  for (size_t i = 0; i < backward.size(); ++i) {
    if (!stays[i]) continue;
    moved[i] = static_cast<NodeIndex>(left.size());
    for (NodeIndex& d : backward[i].deps) d = moved[d];
    left.push_back(std::move(backward[i]));
  }
  backward = std::move(left);
}

void ActivationPolicy::finish() {
  dropUnread();
  auto& backward = layerClass_.backward.edit();
  for (size_t i = backward.size(); i-- > 0;)
    if (backward[i].phase != Phase::Recompute || backward[i].needed)
      for (NodeIndex d : backward[i].deps) backward[d].needed = true;
}

} // namespace planc::passes
