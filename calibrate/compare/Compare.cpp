// Joins predicted and measured work by keys, and sums both sides of a step.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/compare/Compare.h"

#include "backends/cost/price/DeviceStages.h"
#include "support/Quantity.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

namespace planc::calibrate {

namespace {

/// The calibrated record of a kind of work.
std::string recordOf(const WorkKey& key) {
  switch (key.kind) {
  case Kind::Gemm:
    return "calibration.gemm";
  case Kind::GroupedGemm:
    return "grouped";
  case Kind::Attention:
    return "calibration.attention";
  case Kind::Optimizer:
    return "optimizer";
  case Kind::Lookup:
    return "calibration.lookup";
  case Kind::Memory:
    return "passes." + key.name.str();
  default:
    return "";
  }
}

/// Rows by key. A row's kind of work is that of its key.
class Rows {
public:
  ComparedRow& at(const WorkKey& key) {
    const auto [it, fresh] = rows_.try_emplace(key);
    if (fresh) it->second = {{}, sizeText(key), key.pass, Sides::Both, recordOf(key)};
    return it->second;
  }
  ComparedRow* find(const WorkKey& key) {
    const auto it = rows_.find(key);
    return it == rows_.end() ? nullptr : &it->second;
  }
  std::vector<ComparedRow> taken() {
    std::vector<ComparedRow> out;
    for (auto& [key, row] : rows_) out.push_back(std::move(row));
    return out;
  }

private:
  std::map<WorkKey, ComparedRow> rows_;
};

void note(std::vector<std::string>& names, std::string name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
}

void sortByGap(std::vector<ComparedRow>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const ComparedRow& a, const ComparedRow& b) {
    return std::tuple(-std::abs(a.gap()), a.of) < std::tuple(-std::abs(b.gap()), b.of);
  });
}

class Joiner {
public:
  Joiner(const Predicted& plan, const Trace& trace, const TraceWorks& works, const std::vector<TraceStep>& steps)
      : plan_(plan), program_(*plan.simulation->schedule->program), trace_(trace), works_(works), steps_(steps),
        counts_(trace.kernels.size(), false) {
    for (const TraceStep& step : steps_)
      for (const size_t k : step.kernels) counts_[k] = true;
    for (const TraceMark& mark : trace_.marks) marks_.insert(mark.name);
  }

  TraceComparison all() {
    out_.stage = plan_.stage;
    out_.steps = steps_.size();
    addPlan();
    addTrace();
    finishRows();
    addParts();
    return std::move(out_);
  }

private:
  /// The rows of a stage's operators: the seconds of the account, which the report's rows add up to.
  void addPlan() {
    const cost::Simulation& sim = *plan_.simulation;
    const cost::DeviceStages devices(program_);
    std::map<uint32_t, double> instances;
    for (const auto& [id, count] : devices.instancesOn(static_cast<size_t>(plan_.stage)))
      instances[id.index] = static_cast<double>(count);
    for (const ir::LayerClass& c : program_.classes)
      for (const ir::Node& node : c.backward) again_ |= node.phase == ir::Phase::Recompute;
    for (const auto& [id, spent] : sim.accounts[plan_.stage].account.bodies()) {
      const ir::LayerClass& layerClass = program_.classes[id];
      const std::map<uint32_t, const ir::LocalWork*> forward = forwardOf(layerClass);
      const double runs = instances[id.index] * static_cast<double>(program_.passes());
      for (const bool backward : {false, true}) {
        const std::vector<ir::Node>& nodes = backward ? layerClass.backward : layerClass.forward;
        for (size_t n = 0; n < spent.nodes(backward).size(); ++n)
          addNode(nodes[n], forward, spent.nodes(backward)[n], runs);
      }
    }
    if (const double seconds = sim.steps[plan_.stage].optimizer; seconds > 0) {
      const Symbol label("optimizer");
      ComparedRow& row = rows_.at(marks_.count(label) ? markKey(label, WorkPass::Forward) : WorkKey{Kind::Optimizer});
      row.of = {label.str()};
      row.planRuns = 1;
      row.predicted += seconds;
    }
  }

  static std::map<uint32_t, const ir::LocalWork*> forwardOf(const ir::LayerClass& layerClass) {
    std::map<uint32_t, const ir::LocalWork*> forward;
    for (const ir::Node& node : layerClass.forward)
      if (const ir::Compute* c = node.asCompute(); c && c->role == ir::Role::Forward)
        forward.emplace(node.op.index, &c->work);
    return forward;
  }

  void addNode(const ir::Node& node, const std::map<uint32_t, const ir::LocalWork*>& forward, const cost::Spent& spent,
               double runs) {
    const double seconds = spent.computing + spent.slowed;
    if (seconds <= 0 || node.isCollective() || !node.op.valid()) return;
    const auto own = forward.find(node.op.index);
    static const ir::LocalWork kNone;
    const std::string label = labelOf(program_, node);
    WorkKey key =
        marks_.count(Symbol(label))
            ? markKey(Symbol(label), node.phase == ir::Phase::Backward ? WorkPass::Backward : WorkPass::Forward)
            : keyOf(program_, node, own == forward.end() ? kNone : *own->second, again_);
    ComparedRow& row = rows_.at(key);
    note(row.of, ir::join(program_.model->ops[node.op].path));
    row.planRuns += runs * node.times;
    row.predicted += seconds;
  }

  static WorkKey markKey(Symbol mark, WorkPass pass) { return {Kind::Step, mark, {}, pass}; }

  double secondsOf(const std::vector<size_t>& kernels) const {
    double sum = 0;
    for (const size_t k : kernels) sum += counts_[k] ? trace_.kernels[k].seconds : 0;
    return sum;
  }

  /// Returns whether autograd ran the operator that launched a kernel.
  bool inBackward(size_t kernel) const {
    for (int at = trace_.kernels[kernel].op; at >= 0; at = trace_.ops[static_cast<size_t>(at)].parent)
      if (trace_.ops[static_cast<size_t>(at)].backward) return true;
    return false;
  }

  void addTrace() {
    for (const TraceWork& work : works_.works) {
      if (moves(work)) continue;
      std::vector<size_t> kernels = work.kernels;
      std::erase_if(kernels, [&](size_t k) { return !counts_[k]; });
      if (kernels.empty()) continue;
      if (work.sample)
        addWork(work, kernels);
      else // all calls of an operator that has no sample: each may stand in a mark of its own
        for (const size_t k : kernels) addWork(work, {k});
    }
    addCollectives();
  }

  void addWork(const TraceWork& work, const std::vector<size_t>& kernels) {
    ComparedRow* row = counterpart(work, kernels.front());
    if (!row) {
      row = &unknown_[work.sample ? shapeText(*work.sample) : work.name.str()];
      row->of = {work.name.str()};
      if (work.sample) row->size = shapeText(*work.sample);
    }
    row->runs += 1 / perStep();
    row->measured += secondsOf(kernels) / perStep();
  }

  double perStep() const { return static_cast<double>(steps_.size()); }

  /// Returns the row of the plan's work that some measured work is; null if there is none.
  ComparedRow* counterpart(const TraceWork& work, size_t kernel) {
    if (const int mark = trace_.kernels[kernel].mark; mark >= 0)
      for (const WorkPass pass : {WorkPass::Forward, WorkPass::Backward})
        if (ComparedRow* row = rows_.find(markKey(trace_.marks[static_cast<size_t>(mark)].name, pass))) return row;
    if (!work.sample) return nullptr;
    const bool product = work.sample->kind == Kind::Gemm || work.sample->kind == Kind::GroupedGemm;
    // In a plan that recomputes, autograd runs the forward operators a second time.
    WorkKey key = keyOf(*work.sample, work.backward || (!again_ && inBackward(kernel)));
    if (again_ && product) key.pass = WorkPass::Either;
    return rows_.find(key);
  }

  static bool moves(const TraceWork& work) { return work.sample && work.sample->kind == Kind::Collective; }

  void addCollectives() {
    std::map<std::pair<std::string, int64_t>, ComparedRow> rows;
    const auto at = [&](const std::string& name, double group) -> ComparedRow& {
      ComparedRow& row = rows[{name, static_cast<int64_t>(group)}];
      row.of = {name};
      row.size = fmt::format("{:.0f} ranks", group);
      return row;
    };
    for (const cost::CollectiveRow& c : plan_.estimate->collectives) {
      if (c.stage != plan_.stage || !(c.count > 0)) continue;
      ComparedRow& row = at(c.op, static_cast<double>(c.group));
      row.planRuns += c.count;
      row.predicted += c.count * c.seconds;
    }
    for (const TraceWork& work : works_.works) {
      const double seconds = secondsOf(work.kernels);
      if (!moves(work) || seconds <= 0) continue;
      ComparedRow& row = at(work.sample->name.str(), (*work.sample)[Extent::Ranks]);
      row.runs += 1 / perStep();
      row.measured += seconds / perStep();
    }
    for (auto& [key, row] : rows) out_.collectives.push_back(std::move(row));
  }

  static void settle(std::vector<ComparedRow>& rows) {
    for (ComparedRow& row : rows)
      row.sides = row.predicted > 0 && row.measured > 0 ? Sides::Both : row.predicted > 0 ? Sides::Plan : Sides::Trace;
    sortByGap(rows);
  }

  void finishRows() {
    out_.operators = rows_.taken();
    for (auto& [name, row] : unknown_) out_.operators.push_back(std::move(row));
    settle(out_.operators);
    settle(out_.collectives);
    double predicted = 0, measured = 0, bothPredicted = 0, bothMeasured = 0;
    for (const ComparedRow& row : out_.operators) {
      predicted += row.predicted, measured += row.measured;
      if (row.sides == Sides::Both) bothPredicted += row.predicted, bothMeasured += row.measured;
    }
    out_.planMatched = predicted > 0 ? bothPredicted / predicted : 1;
    out_.traceMatched = measured > 0 ? bothMeasured / measured : 1;
  }

  void addParts() {
    const cost::Simulation& sim = *plan_.simulation;
    const cost::StageAccount& account = sim.accounts[plan_.stage];
    const cost::Totals& totals = plan_.estimate->totals;
    TraceStep mean;
    std::vector<double> seconds;
    for (const TraceStep& step : steps_) {
      for (double TraceStep::*part : {&TraceStep::operators, &TraceStep::together, &TraceStep::exposed,
                                      &TraceStep::host, &TraceStep::idle, &TraceStep::seconds})
        mean.*part += step.*part / static_cast<double>(steps_.size());
      seconds.push_back(step.seconds);
    }
    std::sort(seconds.begin(), seconds.end());
    out_.low = seconds.front(), out_.high = seconds.back();
    out_.median = (seconds[(seconds.size() - 1) / 2] + seconds[seconds.size() / 2]) / 2;
    out_.measured = mean.seconds;
    out_.predicted = totals.stepTime;
    double operators = 0;
    for (const ComparedRow& row : out_.operators) operators += row.predicted;
    const double own = operators + account.spent.exposed + account.spent.launches;
    const double straggler = totals.straggler.value_or(0);
    out_.parts = {
        {"operators", "kernels that compute", operators, mean.operators},
        {"together", "of these, those that ran at once count once", 0, -mean.together},
        {"exposed", "communication that nothing hides", account.spent.exposed, mean.exposed},
        {"host", "the device waits for launches", account.spent.launches, mean.host},
        {"idle", "between launched kernels, or for another stream, stage or rank",
         totals.stepTime - own - totals.overhead - straggler, mean.idle},
        {"overhead", "fixed time of a step, and the slowest device", totals.overhead + straggler, 0},
    };
  }

  const Predicted& plan_;
  const ir::Program& program_;
  const Trace& trace_;
  const TraceWorks& works_;
  const std::vector<TraceStep>& steps_;
  std::vector<bool> counts_; ///< by kernel: it belongs to a step that counts
  std::set<Symbol> marks_;
  bool again_ = false; ///< the plan recomputes
  Rows rows_;
  std::map<std::string, ComparedRow> unknown_;
  TraceComparison out_;
};

} // namespace

std::string_view name(Sides sides) {
  return sides == Sides::Both ? "both" : sides == Sides::Plan ? "plan" : "trace";
}

TraceComparison compare(const Predicted& plan, const Trace& trace, const TraceWorks& works,
                        const std::vector<TraceStep>& steps) {
  return Joiner(plan, trace, works, steps).all();
}

std::vector<bool> movesOf(const Trace& trace, const TraceWorks& works) {
  std::vector<bool> moves(trace.kernels.size(), false);
  for (const TraceWork& work : works.works)
    for (const size_t k : work.kernels)
      moves[k] = (work.sample && work.sample->kind == Kind::Collective) ||
                 trace.kernels[k].name.view().find("nccl") != std::string_view::npos;
  return moves;
}

} // namespace planc::calibrate
