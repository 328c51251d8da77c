// Layer and stage rows: one per path and device stage, numbers of one instance and one micro-batch on one device.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/result/Rows.h"

#include "ir/Labels.h"

#include <algorithm>
#include <array>

namespace planc::cost {

namespace {

/// Rows of one instance of a body, and where their time goes.
struct BodyRows {
  std::vector<LayerRow> rows;
  std::vector<std::array<double, 4>> shares; ///< seconds by Bound
  std::array<std::vector<size_t>, 2> rowOf;  ///< by node of the forward and of the backward list; none: past the rows

  LayerRow& at(size_t row) {
    if (row >= rows.size()) rows.resize(row + 1), shares.resize(row + 1);
    return rows[row];
  }
};

void addNodes(BodyRows& out, RowPaths& paths, const std::vector<ir::Node>& nodes, const SegmentCost& cost,
              bool backward) {
  out.rowOf[backward].assign(nodes.size(), SIZE_MAX);
  for (size_t n = 0; n < nodes.size(); ++n) {
    const NodeCost& c = cost.nodes[n];
    if (!c.runs || !nodes[n].op.valid()) continue;
    const size_t index = out.rowOf[backward][n] = paths.rowOf(nodes[n].op);
    LayerRow& row = out.at(index);
    const bool again = nodes[n].phase == ir::Phase::Recompute, forward = nodes[n].phase == ir::Phase::Forward;
    (again ? row.recompute : forward ? row.forward : row.backward) += c.spent.sum();
    (again ? row.recomputeExposed : forward ? row.forwardExposed : row.backwardExposed) += c.spent.exposed;
    row.exposed += c.spent.exposed;
    if (nodes[n].kind == ir::NodeKind::Collective) row.comm += c.seconds;
    row.flops += c.flops;
    row.bytes += c.bytes;
    auto& shares = out.shares[index];
    shares[static_cast<size_t>(Bound::Network)] += c.spent.exposed;
    shares[static_cast<size_t>(Bound::Launch)] += c.spent.launches;
    if (nodes[n].kind != ir::NodeKind::Collective)
      shares[static_cast<size_t>(c.bound)] += c.spent.computing + c.spent.slowed;
  }
}

double wholeElements(const ir::Model& model, const ir::Value& param, const ir::Unit& unit) {
  double n = static_cast<double>(model.times(param.region)) /
             static_cast<double>(std::max<int64_t>(1, model.times(unit.region)));
  for (ir::DimId d : param.dims) n *= static_cast<double>(model.dims[d].extent);
  return n;
}

/// The first operator of the unit that reads a parameter: its layer holds it.
ir::OpId readerOf(const ir::Model& model, const ir::Unit& unit, ir::ValueId param) {
  for (uint32_t i = unit.first.index; i < unit.end.index; ++i)
    for (const ir::Operand& o : model.ops[ir::OpId(i)].operands)
      if (o.value == param) return ir::OpId(i);
  return {};
}

void addStored(BodyRows& out, RowPaths& paths, const ir::Program& program, const ir::Body& body) {
  const ir::Unit& unit = program.model.units[body.unit];
  for (const ir::ParamState& p : body.params)
    if (const ir::OpId reader = readerOf(program.model, unit, p.param); p.owner && reader.valid())
      out.at(paths.rowOf(reader)).params += wholeElements(program.model, program.model.values[p.param], unit);
  for (const ir::Saved& s : body.saved)
    if (s.op.valid()) out.at(paths.rowOf(s.op)).activationBytes += s.bytes;
}

bool empty(const LayerRow& row) {
  return row.forward == 0 && row.backward == 0 && row.recompute == 0 && row.comm == 0 && row.flops == 0 &&
         row.params == 0 && row.activationBytes == 0;
}

/// From the numbers of one instance of the unit to those of one of the row's, which lies in nested repeats.
void perInstance(LayerRow& row, int64_t times) {
  row.times = times;
  for (double LayerRow::*number :
       {&LayerRow::forward, &LayerRow::backward, &LayerRow::recompute, &LayerRow::comm, &LayerRow::exposed,
        &LayerRow::flops, &LayerRow::bytes, &LayerRow::params, &LayerRow::activationBytes, &LayerRow::forwardExposed,
        &LayerRow::backwardExposed, &LayerRow::recomputeExposed})
    row.*number /= static_cast<double>(times);
}

BodyRows rowsOf(const ir::Program& program, ir::BodyId id, const BodyCost& cost) {
  const ir::Body& body = program.bodies[id];
  RowPaths paths(program, id);
  BodyRows out;
  addNodes(out, paths, body.forward, cost.forward, false);
  addNodes(out, paths, body.backward, cost.backward, true);
  addStored(out, paths, program, body);
  for (size_t r = 0; r < out.rows.size(); ++r) {
    const auto& shares = out.shares[r];
    out.rows[r].path = paths.paths()[r];
    out.rows[r].bound = static_cast<Bound>(std::max_element(shares.begin(), shares.end()) - shares.begin());
    perInstance(out.rows[r], paths.times(r));
  }
  return out;
}

/// What all instances of a body take of the step, on the critical stage.
void addPath(std::vector<LayerRow>& rows, const BodyRows& body, const BodySpent& spent) {
  for (const bool backward : {false, true}) {
    const std::vector<Spent>& nodes = spent.nodes(backward);
    for (size_t n = 0; n < nodes.size(); ++n) {
      if (body.rowOf[backward][n] >= rows.size()) continue;
      LayerRow& row = rows[body.rowOf[backward][n]];
      row.onPath += nodes[n].computing;
      row.slowed += nodes[n].slowed;
      row.launches += nodes[n].launches;
      row.exposedOnPath += nodes[n].exposed;
    }
  }
}

} // namespace

RowPaths::RowPaths(const ir::Program& program, ir::BodyId body)
    : program_(program), body_(program.bodies[body]), tree_(program.model) {
  const ir::Unit& unit = program.model.units[body_.unit];
  const auto classes = std::count_if(program.bodies.begin(), program.bodies.end(),
                                     [&](const ir::Body& b) { return !b.seam && b.unit == body_.unit; });
  unitPath_ = unit.repeat && classes > 1 && !body_.seam ? unit.label(body_.instances) : unit.label();
}

size_t RowPaths::rowOf(ir::OpId id) {
  const ir::Op& op = program_.model.ops[id];
  const ir::Unit& unit = program_.model.units[body_.unit];
  // What a seam reshards belongs to no instance; its row stands beside those of the children, outside of their sum.
  const bool carry = op.kind == ir::OpKind::Carry || op.path.size() < 2 || op.unit != body_.unit;
  std::vector<Symbol> below;
  if (unit.repeat && body_.seam) {
    below = {Symbol(ir::labels::kSeam)};
  } else if (unit.repeat && carry) {
    below = {Symbol(ir::labels::kCarry)};
  } else {
    below = tree_.rowOf(id);
    below.erase(below.begin(), below.begin() + static_cast<std::ptrdiff_t>(unit.path().size()));
  }
  const auto found = std::find(rows_.begin(), rows_.end(), below);
  if (found != rows_.end()) return static_cast<size_t>(found - rows_.begin());
  rows_.push_back(below);
  paths_.push_back(below.empty() ? unitPath_ : unitPath_ + (body_.seam ? " " : ".") + ir::join(below));
  return rows_.size() - 1;
}

int64_t RowPaths::times(size_t row) const {
  std::vector<Symbol> path = program_.model.units[body_.unit].path();
  path.insert(path.end(), rows_[row].begin(), rows_[row].end());
  return tree_.times(body_.unit, path);
}

std::vector<LayerRow> layerRows(const Simulation& sim) {
  const ir::Program& program = *sim.schedule->program;
  std::vector<BodyRows> byBody;
  for (uint32_t b = 0; b < program.bodies.size(); ++b) byBody.push_back(rowsOf(program, ir::BodyId(b), sim.bodies[b]));
  std::vector<LayerRow> rows;
  for (int64_t s = 0; s < program.stages; ++s) {
    const std::vector<int64_t> counts = instancesOn(program, s);
    for (uint32_t b = 0; b < byBody.size(); ++b) {
      if (counts[b] == 0) continue;
      std::vector<LayerRow> ofBody = byBody[b].rows;
      const ir::Unit& unit = program.model.units[program.bodies[ir::BodyId(b)].unit];
      const int64_t within = unit.isPart() ? unit.count : 1; // of an instance of the repeat
      const BodySpent* spent = sim.accounts[static_cast<size_t>(s)].account.find(ir::BodyId(b));
      if (s == sim.critical && spent) addPath(ofBody, byBody[b], *spent);
      for (LayerRow& row : ofBody) {
        if (empty(row)) continue;
        row.count = counts[b] * row.times;
        row.times *= within;
        row.stage = s;
        rows.push_back(std::move(row));
      }
    }
  }
  return rows;
}

std::vector<StageRow> stageRows(const Simulation& sim) {
  std::vector<StageRow> rows;
  for (size_t s = 0; s < sim.stages.size(); ++s) {
    StageRow row;
    row.stage = static_cast<int64_t>(s);
    for (size_t vs : sim.schedule->program->heldBy(row.stage)) {
      row.forward += sim.passage(static_cast<int64_t>(vs), false).seconds;
      row.backward += sim.passage(static_cast<int64_t>(vs), true).seconds;
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
