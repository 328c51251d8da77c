// Layer and stage rows: one per layer and device stage, with numbers per instance, micro-batch and device.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/result/Rows.h"

#include "backends/cost/price/DeviceStages.h"
#include "ir/print/Labels.h"
#include "support/Indexed.h"

#include <algorithm>
#include <array>

namespace planc::cost {

namespace {

/// Rows of one instance of a class, and how their time is spent.
struct ClassRows {
  std::vector<LayerRow> rows;
  std::vector<EnumArray<Bound, double, 4>> shares; ///< seconds by Bound
  std::array<std::vector<size_t>, 2> rowOf; ///< row by node of the forward and the backward list; SIZE_MAX: no row

  LayerRow& at(size_t row) {
    if (row >= rows.size()) rows.resize(row + 1), shares.resize(row + 1);
    return rows[row];
  }
};

void addNodes(ClassRows& out, ClassLayers& layers, const std::vector<ir::Node>& nodes, const SegmentCost& cost,
              bool backward) {
  out.rowOf[backward].assign(nodes.size(), SIZE_MAX);
  for (size_t n = 0; n < nodes.size(); ++n) {
    const NodeCost& c = cost.nodes[n];
    if (!c.runs || !nodes[n].op.valid()) continue;
    const size_t index = out.rowOf[backward][n] = layers.rowOf(nodes[n].op);
    LayerRow& row = out.at(index);
    const bool again = nodes[n].phase == ir::Phase::Recompute, forward = nodes[n].phase == ir::Phase::Forward;
    (again ? row.recompute : forward ? row.forward : row.backward) += c.spent.sum();
    (again ? row.recomputeExposed : forward ? row.forwardExposed : row.backwardExposed) += c.spent.exposed;
    row.exposed += c.spent.exposed;
    if (nodes[n].isCollective()) row.comm += c.seconds;
    row.flops += c.flops;
    row.bytes += c.bytes;
    auto& shares = out.shares[index];
    shares[Bound::Network] += c.spent.exposed;
    shares[Bound::Launch] += c.spent.launches;
    if (!nodes[n].isCollective()) shares[c.bound] += c.spent.computing + c.spent.slowed;
  }
}

double wholeElements(const ir::Model& model, const ir::Value& param, const ir::Layer& layer) {
  double n = static_cast<double>(model.times(param.region)) /
             static_cast<double>(std::max<int64_t>(1, model.times(layer.region)));
  for (ir::DimId d : param.dims) n *= static_cast<double>(model.dims[d].extent);
  return n;
}

/// Returns, by value, the first operator of the layer that reads it. The row of this operator holds a parameter.
std::map<ir::ValueId, ir::OpId> readersOf(const ir::Model& model, const ir::Layer& layer) {
  std::map<ir::ValueId, ir::OpId> readers;
  for (uint32_t i = layer.first.index; i < layer.end.index; ++i)
    for (const ir::Operand& o : model.ops[ir::OpId(i)].operands) readers.emplace(o.value, ir::OpId(i));
  return readers;
}

void addStored(ClassRows& out, ClassLayers& layers, const ir::Program& program, const ir::LayerClass& layerClass) {
  const ir::Layer& layer = program.model->layers[layerClass.layer];
  const std::map<ir::ValueId, ir::OpId> readers = readersOf(program.model, layer);
  for (const ir::ParamState& p : layerClass.params)
    if (const auto reader = readers.find(p.param); p.owner && reader != readers.end())
      out.at(layers.rowOf(reader->second)).params +=
          wholeElements(program.model, program.model->values[p.param], layer);
  for (const ir::Saved& s : layerClass.saved)
    if (s.op.valid()) out.at(layers.rowOf(s.op)).activationBytes += s.bytes;
}

bool empty(const LayerRow& row) {
  return row.forward == 0 && row.backward == 0 && row.recompute == 0 && row.comm == 0 && row.flops == 0 &&
         row.params == 0 && row.activationBytes == 0;
}

/// Divides the numbers of one top-level instance by the number of the row's instances in it.
void perInstance(LayerRow& row, int64_t times) {
  row.times = times;
  for (double LayerRow::*number :
       {&LayerRow::forward, &LayerRow::backward, &LayerRow::recompute, &LayerRow::comm, &LayerRow::exposed,
        &LayerRow::flops, &LayerRow::bytes, &LayerRow::params, &LayerRow::activationBytes, &LayerRow::forwardExposed,
        &LayerRow::backwardExposed, &LayerRow::recomputeExposed})
    row.*number /= static_cast<double>(times);
}

ClassRows rowsOf(const ir::Program& program, const ir::LayerTree& tree, ir::LayerClassId id, const ClassCost& cost) {
  const ir::LayerClass& layerClass = program.classes[id];
  ClassLayers layers(program, tree, id);
  ClassRows out;
  addNodes(out, layers, layerClass.forward, cost.forward, false);
  addNodes(out, layers, layerClass.backward, cost.backward, true);
  addStored(out, layers, program, layerClass);
  for (size_t r = 0; r < out.rows.size(); ++r) {
    const auto& shares = out.shares[r];
    out.rows[r].layer = layers.rows()[r];
    out.rows[r].bound = static_cast<Bound>(std::max_element(shares.begin(), shares.end()) - shares.begin());
    perInstance(out.rows[r], layers.times(r));
  }
  return out;
}

/// Adds the time that all instances of a class take in a step of their stage.
void addSpent(std::vector<LayerRow>& rows, const ClassRows& body, const ClassSpent& spent) {
  for (const bool backward : {false, true}) {
    const std::vector<Spent>& nodes = spent.nodes(backward);
    for (size_t n = 0; n < nodes.size(); ++n) {
      if (body.rowOf[backward][n] >= rows.size()) continue;
      Spent& inStep = rows[body.rowOf[backward][n]].inStep;
      inStep.computing += nodes[n].computing;
      inStep.slowed += nodes[n].slowed;
      inStep.launches += nodes[n].launches;
      inStep.exposed += nodes[n].exposed;
    }
  }
}

/// Copies the row's time in the step to the critical path.
void putOnPath(LayerRow& row) {
  row.onPath = row.inStep.computing;
  row.slowed = row.inStep.slowed;
  row.launches = row.inStep.launches;
  row.exposedOnPath = row.inStep.exposed;
}

} // namespace

ClassLayers::ClassLayers(const ir::Program& program, const ir::LayerTree& tree, ir::LayerClassId layerClass)
    : program_(program), layerClass_(program.classes[layerClass]), tree_(tree) {}

size_t ClassLayers::rowOf(ir::OpId id) {
  const auto [known, fresh] = rowOfOperator_.try_emplace(id);
  if (!fresh) return known->second;
  const ir::Op& op = program_.model->ops[id];
  const ir::Layer& layer = program_.model->layers[layerClass_.layer];
  const bool carry = op.kind == ir::OpKind::Carry || op.path.size() < 2 || op.layer != layerClass_.layer;
  ir::LayerRef row = program_.refOf(layerClass_);
  // The values of a boundary reshard belong to no instance. Its row stands next to the rows of the children and outside
  // of their sum.
  if (layer.repeat && layerClass_.boundaryReshard) {
    row.boundary = true;
  } else if (layer.repeat && carry) {
    row.steps.push_back({false, ir::labels::kCarry, {}});
  } else {
    const std::vector<Symbol> path = tree_.rowOf(id);
    for (size_t i = layer.path().size(); i < path.size(); ++i) row.steps.push_back({false, path[i], {}});
  }
  const auto [place, added] = places_.try_emplace(row, rows_.size());
  if (added) rows_.push_back(std::move(row));
  return known->second = place->second;
}

int64_t ClassLayers::times(size_t row) const {
  return tree_.times(layerClass_.layer, rows_[row].names());
}

std::vector<LayerRow> layerRows(const Simulation& sim) {
  const ir::Program& program = *sim.schedule->program;
  const ir::LayerTree tree(program.model);
  std::vector<ClassRows> byClass;
  for (uint32_t b = 0; b < program.classes.size(); ++b)
    byClass.push_back(rowsOf(program, tree, ir::LayerClassId(b), sim.classes[b]));
  const DeviceStages devices(program);
  std::vector<LayerRow> rows;
  for (int64_t s = 0; s < program.stages; ++s) {
    for (const auto& [id, count] : devices.instancesOn(static_cast<size_t>(s))) {
      std::vector<LayerRow> ofClass = byClass[id.index].rows;
      const ir::Layer& layer = program.model->layers[program.classes[id].layer];
      const int64_t within = layer.isPart() ? layer.count : 1; // instances of the part in one instance of the repeat
      const ClassSpent* spent = sim.accounts[s].account.find(id);
      if (spent) addSpent(ofClass, byClass[id.index], *spent);
      for (LayerRow& row : ofClass) {
        if (empty(row)) continue;
        row.count = count * row.times;
        row.times *= within;
        row.stage = s;
        if (s == sim.critical) putOnPath(row);
        rows.push_back(std::move(row));
      }
    }
  }
  return rows;
}

std::vector<StageRow> stageRows(const Simulation& sim) {
  const DeviceStages devices(*sim.schedule->program);
  std::vector<StageRow> rows;
  for (size_t s = 0; s < sim.stages.size(); ++s) {
    StageRow row;
    row.stage = static_cast<int64_t>(s);
    for (const uint32_t vs : devices.heldBy(s)) {
      row.forward += sim.stagePass(static_cast<int64_t>(vs), false).seconds;
      row.backward += sim.stagePass(static_cast<int64_t>(vs), true).seconds;
    }
    const StageAccount& account = sim.accounts[s];
    row.end = sim.stages[s].end;
    row.computing = account.spent.computing;
    row.slowed = account.spent.slowed;
    row.launches = account.spent.launches;
    row.communicating = account.spent.exposed;
    row.idle = account.idle;
    row.kind = account.kind;
    rows.push_back(row);
  }
  return rows;
}

} // namespace planc::cost
