// size-tables: finds parameters that are tables with an optimizer of their own, and the number of their rows that a
// micro-batch reads. A gradient that no other device adds to never exists as a whole: backward updates the rows that
// forward read.
// SPDX-License-Identifier: Apache-2.0
#include "ir/program/States.h"
#include "passes/Steps.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

namespace planc::passes {
using namespace ir;

namespace {

struct Tables {
  Program& program;

  const Model& model() const { return program.model; }

  /// Sizes one table. Dimensions of the table that make up a row are in the result but not in its index; dimensions
  /// that are looked up are missing in the result. `reads` of a lookup is the number of bytes in the rows that it
  /// reads.
  void size(const LayerClass& layerClass, ParamState& p, const Node& node) const {
    const Op& op = model().ops[node.op];
    const Placement& placement = layerClass.placements[local(model().layers[layerClass.layer], node.op)];
    double row = 1, rows = 1;
    const Operand* table = nullptr;
    for (const Operand& o : op.operands)
      if (o.value == p.param) table = &o;
    for (DimId d : table->dims) {
      const bool index = llvm::any_of(
          op.operands, [&](const Operand& o) { return o.value != p.param && llvm::is_contained(o.dims, d); });
      if (!llvm::is_contained(op.resultDims, d))
        rows *= localExtent(program, placement, d);
      else if (!index)
        row *= localExtent(program, placement, d);
    }
    p.rowElements = row;
    if (!updatesRows(program, p))
      return; // summed over devices: a gradient of the table's full size, as for any parameter
    // For independent, even access, k reads of r rows reach an expected r(1 - (1 - 1/r)^k) different rows.
    const double read = node.compute().work.reads / program.widthOf(p.param), tables = p.elements / (row * rows);
    const double each = read / (row * tables);
    const double distinct = rows > 1 ? -rows * std::expm1(each * std::log1p(-1 / rows)) : 1;
    p.touched += distinct * row * tables * node.times;
  }
};

/// Sets the accumulation of a table's gradient to nothing, because its rows are updated directly.
void accumulateNothing(LayerClass& layerClass, ValueId table) {
  for (Node& node : layerClass.backward.edit())
    if (Compute* c = node.asCompute(); c && c->role == Role::Accumulate && c->value == table) c->work.elements = 0;
}

} // namespace

bool sizeTables(Program& program, DiagnosticEngine&) {
  if (!program.plan->workload.tableOptimizer) return true;
  Tables tables{program};
  const std::vector<bool> isTable = tablesOf(program.model);
  for (LayerClass& layerClass : program.classes)
    for (ParamState& p : layerClass.params.edit()) {
      if (!p.trainable || !isTable[program.model->values[p.param].storage.index]) continue;
      for (const Node& n : layerClass.forward)
        if (n.isCompute() && n.compute().role == Role::Forward &&
            llvm::any_of(program.model->ops[n.op].operands, [&](const Operand& o) { return o.value == p.param; }))
          tables.size(layerClass, p, n);
      if (p.touched > 0) accumulateNothing(layerClass, p.param);
    }
  return true;
}

} // namespace planc::passes
