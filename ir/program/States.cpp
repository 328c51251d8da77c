// Computes the states of parameters from optimizer and precision.
// SPDX-License-Identifier: Apache-2.0
#include "ir/program/States.h"

#include "ir/print/Labels.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace planc::ir {

namespace {

/// The role of a parameter's dimension for an optimizer.
enum class MatrixSide { Count, Row, Column };

/// The first operator that multiplies with the parameter or looks it up.
struct Use {
  const Op* op = nullptr;
  size_t operand = 0;
};

/// The operands that an operator multiplies with or looks up: the first two of a contraction, all of a lookup.
size_t multiplied(const Op& op) {
  return isContraction(op.kind)      ? std::min<size_t>(2, op.operands.size())
         : op.kind == OpKind::Lookup ? op.operands.size()
                                     : 0;
}

Use useIn(const Op& op, ValueId param) {
  for (size_t k = 0; k < multiplied(op); ++k)
    if (op.operands[k].value == param) return {&op, k};
  return {};
}

Use useOf(const Model& model, const ParamUse& p) {
  const LayerId layer = model.values[p.param].layer;
  const bool known = layer.valid() && layer.index < model.layers.size();
  const uint32_t first = known ? model.layers[layer].first.index : 0,
                 end = known ? model.layers[layer].end.index : model.ops.size();
  for (uint32_t i = first; i < end; ++i)
    if (const Use use = useIn(model.ops[OpId(i)], p.param); use.op) return use;
  return {};
}

/// The role of each dimension of the parameter; empty for vectors.
std::vector<MatrixSide> sidesOf(const Model& model, const ParamUse& p) {
  const Use use = useOf(model, p);
  if (!use.op) return {};
  const std::vector<DimId>& dims = use.op->operands[use.operand].dims;
  std::vector<MatrixSide> sides;
  if (use.op->kind == OpKind::Lookup) {
    for (size_t i = 0; i < dims.size(); ++i)
      sides.push_back(i + 1 == dims.size()   ? MatrixSide::Column
                      : i + 2 == dims.size() ? MatrixSide::Row
                                             : MatrixSide::Count);
    return dims.size() < 2 ? std::vector<MatrixSide>{} : sides;
  }
  const std::vector<DimId>& other = use.op->operands[use.operand == 0 ? 1 : 0].dims;
  for (DimId d : dims)
    sides.push_back(!llvm::is_contained(use.op->resultDims, d) ? MatrixSide::Row
                    : llvm::is_contained(other, d)             ? MatrixSide::Count
                                                               : MatrixSide::Column);
  return sides;
}

double shards(const Mesh& mesh, const Layout& layout, size_t dim) {
  double n = 1;
  if (dim < layout.shard.size())
    for (const Digit& d : layout.shard[dim]) n *= static_cast<double>(mesh.axes[d.axis].size);
  return n;
}

/// Twice the width without scales: equal for types that differ only in their scales.
int halfBytes(DType t) {
  return static_cast<int>(2 * width(t));
}

} // namespace

Multipliers::Multipliers(const Model& model, LayerId layer) : model_(model), layer_(layer) {
  const Layer& here = model.layers[layer];
  for (uint32_t i = here.first.index; i < here.end.index; ++i)
    for (size_t k = 0; k < multiplied(model.ops[OpId(i)]); ++k)
      first_.emplace(model.ops[OpId(i)].operands[k].value, OpId(i));
}

const Op* Multipliers::of(const ParamUse& p) const {
  if (model_.values[p.param].layer != layer_) return useOf(model_, p).op;
  const auto found = first_.find(p.param);
  return found == first_.end() ? nullptr : &model_.ops[found->second];
}

std::optional<Matrices> matricesOf(const ProgramHead& program, const ParamUse& p, bool local) {
  const std::vector<MatrixSide> sides = sidesOf(program.model, p);
  if (sides.empty()) return std::nullopt;
  Matrices m;
  double mine = 1; // elements of one copy on one device
  const std::vector<DimId>& dims = program.model->values[p.param].dims;
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t whole = program.model->dims[dims[i]].extent;
    const double part = static_cast<double>(ceilDiv(whole, static_cast<int64_t>(shards(program.mesh, p.layout, i))));
    mine *= part;
    const bool split =
        local || sides[i] == MatrixSide::Count; // whole matrices are distributed over devices, not their parts
    (sides[i] == MatrixSide::Count ? m.count
     : sides[i] == MatrixSide::Row ? m.rows
                                   : m.columns) *= split ? part : static_cast<double>(whole);
  }
  if (mine > 0) m.count *= std::max(1.0, p.elements / mine); // nested repeats
  return m;
}

AxisMask splitsMatrix(const ProgramHead& program, const ParamUse& p) {
  const std::vector<MatrixSide> sides = sidesOf(program.model, p);
  AxisMask axes = 0;
  for (size_t i = 0; i < sides.size() && i < p.layout.shard.size(); ++i)
    if (sides[i] != MatrixSide::Count)
      for (const Digit& d : p.layout.shard[i]) axes |= maskOf(d.axis);
  return axes;
}

bool isHiddenMatrix(const ProgramHead& program, const ParamUse& p) {
  const Model& model = program.model;
  const Use use = useOf(model, p);
  return use.op && isContraction(use.op->kind) && model.layers[use.op->layer].repeated();
}

std::vector<bool> tablesOf(const Model& model) {
  std::vector<bool> tables(model.values.size()), others(model.values.size());
  for (const Op& op : model.ops)
    for (const Operand& o : op.operands)
      if (const Value& v = model.values[o.value]; v.kind == ValueKind::Param)
        (op.kind == OpKind::Lookup ? tables : others)[v.storage.index] = true;
  for (size_t v = 0; v < tables.size(); ++v) tables[v] = tables[v] && !others[v];
  return tables;
}

bool isTable(const Model& model, ValueId param) {
  return tablesOf(model)[model.values[param].storage.index];
}

bool updatesRows(const ProgramHead& program, const ParamUse& p) {
  return program.plan->workload.updatesParameters() && program.plan->workload.tableOptimizer && p.trainable &&
         !p.partial && isTable(program.model, p.param);
}

DType storedAs(const ProgramHead& program, const ParamUse& p) {
  if (const auto& declared = program.model->values[p.param].dtype) return *declared;
  const Precision& precision = program.precisionOf(program.model->values[p.param]);
  return precision.frozen && !p.trainable && isHiddenMatrix(program, p) ? *precision.frozen : precision.params;
}

DType usedAs(const ProgramHead& program, const ParamUse& p) {
  const Use use = useOf(program.model, p);
  return usedAs(program, p, use.op);
}

DType usedAs(const ProgramHead& program, const ParamUse& p, const Op* multiplier) {
  if (multiplier) return program.computeType(*multiplier);
  const Precision& precision = program.precisionOf(program.model->values[p.param]);
  return width(precision.compute) < 2 ? precision.activations : precision.compute;
}

bool isPacked(const ProgramHead& program, const ParamUse& p, const Op* multiplier) {
  return halfBytes(storedAs(program, p)) < halfBytes(usedAs(program, p, multiplier));
}

const Optimizer* updaterOf(const ProgramHead& program, const ParamState& p) {
  const Workload& workload = program.plan->workload;
  if (!workload.updatesParameters() || !p.trainable) return nullptr;
  if (p.rowElements > 0) return workload.tableOptimizer ? &*workload.tableOptimizer : nullptr;
  if (!workload.optimizer) return nullptr;
  const Optimizer* optimizer = &*workload.optimizer;
  return optimizer->others && !isHiddenMatrix(program, p) ? optimizer->others.get() : optimizer;
}

const Optimizer* updaterHere(const ProgramHead& program, const ParamState& p) {
  return p.owner ? updaterOf(program, p) : nullptr;
}

namespace {

/// The element types of an optimizer's states: from the precision or, if `wide`, fp32 for all.
struct StateTypes {
  const Precision& precision;
  bool wide = false;
  DType any() const { return wide ? DType::fp32 : precision.optimizer; }
  DType of(Symbol state) const { return wide ? DType::fp32 : precision.stateType(state); }
};

/// Bytes per parameter element of all states together.
double bytesPerElement(const Optimizer& optimizer, const StateTypes& types) {
  if (optimizer.stateBytes) return optimizer.states * *optimizer.stateBytes;
  double bytes = 0;
  for (int s = 0; s < optimizer.states; ++s)
    bytes += width(static_cast<size_t>(s) < optimizer.stateNames.size()
                       ? types.of(optimizer.stateNames[static_cast<size_t>(s)])
                       : types.any());
  return bytes;
}

/// Bytes per element of the master copy, which an optimizer keeps of parameters in a narrower type; 0 without one.
double masterBytes(const Optimizer& optimizer, DType stored, const StateTypes& types) {
  const double master = width(types.of(labels::kMaster));
  return optimizer.master && width(stored) < master ? master : 0;
}

StateBytes stateBytes(const ProgramHead& program, const ParamState& p, const StateTypes& types) {
  auto size = [&](AxisMask axes) { return static_cast<double>(program.mesh.size(axes)); };
  const DType stored = storedAs(program, p);
  StateBytes bytes;
  bytes.params = p.elements * width(stored) / size(p.params);
  if (!p.trainable || !program.plan->workload.hasBackward()) return bytes;
  if (p.touched == 0) bytes.grads = p.elements * width(types.precision.grads) / size(p.grads);
  const Optimizer* optimizer = updaterOf(program, p);
  if (!optimizer) return bytes;
  const double wide = width(types.any());
  double values = p.elements * bytesPerElement(*optimizer, types);
  const std::optional<Matrices> m = optimizer->factored > 0 ? matricesOf(program, p, true) : std::nullopt;
  values += optimizer->factored * wide * (m ? m->count * (m->rows + m->columns) : p.elements);
  if (p.rowElements > 0) values += optimizer->rowStates * wide * p.elements / p.rowElements;
  bytes.states = values / size(p.optimizer);
  bytes.master = p.elements * masterBytes(*optimizer, stored, types) / size(p.optimizer);
  return bytes;
}

} // namespace

StateBytes stateBytes(const ProgramHead& program, const ParamState& p) {
  return stateBytes(program, p, StateTypes{program.precisionOf(program.model->values[p.param])});
}

double updatedElements(const ProgramHead& program, const ParamState& p) {
  return p.touched > 0 ? p.touched * static_cast<double>(program.passes())
                       : p.elements / static_cast<double>(program.mesh.size(p.optimizer));
}

double sentToHost(const ProgramHead& program, const ParamState& p) {
  const Optimizer* by = updaterHere(program, p);
  return by && by->onHost && !p.host[1]
             ? updatedElements(program, p) * width(program.precisionOf(program.model->values[p.param]).reduce)
             : 0;
}

UpdateBytes leastUpdateBytes(const ProgramHead& program, const ParamState& p) {
  if (!updaterOf(program, p)) return {};
  const StateBytes bytes = stateBytes(program, p);
  const double elements = updatedElements(program, p),
               shard = p.elements / static_cast<double>(program.mesh.size(p.optimizer));
  const double states = shard > 0 ? bytes.optimizer() * elements / shard : 0;
  const double parameters = elements * width(storedAs(program, p)) * (bytes.master > 0 ? 1 : 2);
  const double sent = sentToHost(program, p);
  const double gradient = sent > 0 ? sent : elements * width(program.precisionOf(program.model->values[p.param]).grads);
  return {gradient, states, parameters};
}

double narrowUpdateBytes(const ProgramHead& program, const ParamState& p) {
  const Precision& precision = program.precisionOf(program.model->values[p.param]);
  if (precision.optimizer == DType::fp32 && precision.states.empty()) return 0;
  const double shard = p.elements / static_cast<double>(program.mesh.size(p.optimizer)),
               fewer =
                   stateBytes(program, p, StateTypes{precision, true}).optimizer() - stateBytes(program, p).optimizer();
  return shard > 0 ? 2 * fewer * updatedElements(program, p) / shard : 0;
}

double narrowUpdateBytes(const Optimizer& optimizer, DType type) {
  Precision precision;
  precision.optimizer = type;
  const auto bytes = [&](const StateTypes& types) {
    return bytesPerElement(optimizer, types) + masterBytes(optimizer, type, types);
  };
  return 2 * (bytes({precision, true}) - bytes({precision}));
}

double newtonSchulzFlops(double rows, double columns) {
  const double r = std::min(rows, columns), c = std::max(rows, columns);
  return 4 * r * r * c + 2 * r * r * r;
}

} // namespace planc::ir
