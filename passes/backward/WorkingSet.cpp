// The working set of an instance: bytes that live in addition to the kept ones while its operators run in program
// order.
// SPDX-License-Identifier: Apache-2.0
#include "passes/backward/Backward.h"

#include <algorithm>
#include <map>
#include <set>

namespace planc::passes {
using namespace ir;

namespace {

/// Returns the bytes that a node leaves for the nodes that depend on it.
double outputBytes(const ShardedProgram& program, const ShardedClass& layerClass, const ShardedNode& node) {
  const Layer& layer = program.model->layers[layerClass.layer];
  if (const Reshard* r = node.asReshard())
    return localElements(program, program.model->values[r->value].dims, r->to) * program.widthOf(r->value);
  const Op& op = program.model->ops[node.op];
  const Computation& c = node.compute();
  if (c.role == Role::Forward)
    return localElements(program, op.resultDims, layerClass.results[local(layer, node.op)]) *
               program.widthOf(op.result) +
           (node.phase == Phase::Recompute ? ownCopies(program, layerClass, node.op) : 0);
  if (c.role == Role::Cast && c.operand >= 0) { // a parameter, unpacked for one product
    const Operand& o = op.operands[c.operand];
    return localElements(program, o.dims, need(program, layerClass.placements[local(layer, node.op)], o.dims)) *
           width(program.computeType(op));
  }
  if (c.role == Role::Accumulate || c.role == Role::Cast) return 0;
  if (c.role == Role::Save) // kept, so counted as kept; in full width again until backward has read it
    return node.phase == Phase::Forward
               ? 0
               : localElements(program, program.model->values[c.value].dims, c.kept) * program.widthOf(c.value);
  double bytes = 0; // gradients of the operands, in the layouts in which the operator works
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const Value& value = program.model->values[op.operands[i].value];
    const bool gives = c.role == Role::Backward ? value.kind == ValueKind::Result : static_cast<int>(i) == c.operand;
    if (gives)
      bytes += localElements(program, value.dims,
                             need(program, layerClass.placements[local(layer, node.op)], op.operands[i].dims)) *
               program.widthOf(op.operands[i].value);
  }
  return bytes;
}

/// Returns the most bytes alive at once. An output lives from its node to the last node that waits for it.
double peak(const ShardedProgram& program, const ShardedClass& layerClass, const std::vector<ShardedNode>& nodes,
            bool skipSaved) {
  std::vector<double> freed(nodes.size() + 1);
  std::vector<size_t> lastUse(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    lastUse[i] = i;
    for (NodeIndex d : nodes[i].deps) lastUse[d] = i;
  }
  std::set<ValueId> saved;
  for (const Saved& s : layerClass.saved)
    if (skipSaved && s.buffer.empty()) saved.insert(s.value);
  double live = 0, most = 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const ShardedNode& node = nodes[i];
    const bool counted = node.isCompute() && saved.contains(program.model->ops[node.op].result);
    const double bytes = counted ? 0 : outputBytes(program, layerClass, node);
    live += bytes;
    freed[lastUse[i]] += bytes;
    most = std::max(most, live);
    live -= freed[i];
  }
  return most;
}

/// Returns the bytes that the gradients of parameters read: the operand of each contraction, kept or replayed, and the
/// gradient of its result, for every layer of a nested repeat. Values that several contractions share count once.
double weightOperands(const ShardedProgram& program, const ShardedClass& layerClass) {
  const Layer& layer = program.model->layers[layerClass.layer];
  std::set<ValueId> operands, results;
  std::map<ValueId, double> saved; // the first of each value
  for (const Saved& s : layerClass.saved)
    if (s.buffer.empty()) saved.emplace(s.value, s.bytes);
  double bytes = 0;
  for (const ShardedNode& node : layerClass.backward) {
    const Computation* c = node.asCompute();
    if (!c || c->role != Role::WGrad) continue;
    const Op& op = program.model->ops[node.op];
    if (results.insert(op.result).second)
      bytes += localElements(program, op.resultDims, layerClass.results[local(layer, node.op)]) * node.times *
               std::min(program.widthOf(op.result), width(program.computeType(op))); // cast before the product
    for (size_t i = 0; i < op.operands.size(); ++i) {
      const ValueId v = op.operands[i].value;
      if (static_cast<int>(i) == c->operand || !operands.insert(v).second) continue;
      const auto kept = saved.find(v);
      bytes += kept != saved.end()
                   ? kept->second
                   : localElements(program, program.model->values[v].dims,
                                   need(program, layerClass.placements[local(layer, node.op)], op.operands[i].dims)) *
                         program.widthOf(v) * node.times;
    }
  }
  return bytes;
}

} // namespace

void measureWorkingSet(const ShardedProgram& program, ShardedClass& layerClass) {
  if (layerClass.boundaryReshard) return;
  layerClass.weightOperands = weightOperands(program, layerClass);
  layerClass.workingForward = peak(program, layerClass, layerClass.forward, true);
  layerClass.workingBackward = peak(program, layerClass, layerClass.backward, false);
}

} // namespace planc::passes
