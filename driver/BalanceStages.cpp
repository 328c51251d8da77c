// Settles `stages = balanced`: the dynamic programme over priced layers, and every `even` that divides, priced as whole
// plans; the soonest step of those that fit.
// SPDX-License-Identifier: Apache-2.0
#include "driver/BalanceStages.h"

#include "backends/cost/Balance.h"
#include "backends/cost/Doubts.h"
#include "passes/Passes.h"

#include <algorithm>
#include <map>
#include <optional>

namespace planc::driver {

namespace {

/// Layers of each virtual stage, plain ones among them.
using Held = std::vector<int64_t>;

constexpr int64_t kLayers = 8192; // the programme grows with their square
constexpr int kTightened = 4;     // times that the memory of the programme is corrected
constexpr int kMoves = 12;        // cuts that differ by one layer of the stage with the most work
constexpr int64_t kCounts = 2;    // `even` counts the first and the last plain layers as none, one or two

int64_t layersOf(const ir::Unit& unit) {
  return unit.repeat ? unit.count : 1;
}

std::vector<ir::StageLine> linesOf(const ir::Model& model, const Held& held, SourceRange range) {
  std::vector<ir::StageLine> lines;
  uint32_t unit = 0;
  int64_t at = 0;
  for (size_t s = 0; s < held.size(); ++s) {
    ir::StageLine line;
    line.index = static_cast<int64_t>(s);
    line.range = range;
    for (int64_t left = held[s]; left > 0;) {
      const ir::Unit& u = model.units[ir::UnitId(unit)];
      const int64_t take = std::min(left, layersOf(u) - at);
      ir::SelectorStep step;
      step.name = u.name;
      if (u.repeat && take < u.count) step.slice = ir::Range{at, at + take, 1};
      line.selectors.push_back({{step}, range});
      left -= take, at += take;
      if (at == layersOf(u)) ++unit, at = 0;
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

Held heldOf(const ir::Program& program) {
  Held held;
  for (const ir::VirtualStage& stage : program.virtualStages) {
    int64_t layers = 0;
    for (const auto& [id, count] : stage.bodies) layers += program.bodies[id].seam ? 0 : count;
    held.push_back(layers);
  }
  return held;
}

/// A cut, priced.
struct Tried {
  bool fits = false;
  double peak = 0, room = 0, step = 0;
  std::vector<int64_t> longest; ///< the virtual stages of the device with the most work

  bool better(const Tried& other) const {
    constexpr double kRounding = 1e-9;
    if (fits != other.fits) return fits;
    return fits ? step < other.step * (1 - kRounding) : peak < other.peak * (1 - kRounding);
  }
};

class Balancing {
public:
  explicit Balancing(const ir::Plan& plan) : plan_(plan) {}

  std::vector<ir::StageLine> run() {
    int64_t layers = 0;
    for (const ir::Unit& u : plan_.model->units)
      if (__builtin_add_overflow(layers, layersOf(u), &layers) || layers > kLayers) return {};
    ir::Stages balanced;
    balanced.cut = ir::StageCut::Balanced;
    const std::optional<Held> first = tryCut(balanced, true);
    if (!first || !loads_) return {};
    tryProgramme();
    tryEvens();
    for (int i = 0; i < kMoves && tryMoves(); ++i) {
    }
    return linesOf(*plan_.model, best_->first,
                   plan_.pipeline->cut ? plan_.pipeline->cut->range : plan_.pipeline->range);
  }

private:
  /// Prices a plan of another cut; its layers, too, if they are wanted.
  void price(ir::Plan& trial, std::optional<Held>& held, bool loads) {
    DiagnosticEngine ignored;
    const auto program = passes::lower(trial, ir::Level::Comm, ignored);
    if (!program) return;
    held = heldOf(*program);
    if (tried_.count(*held)) return;
    const auto schedule = passes::schedule(*program);
    const auto estimate = cost::estimate(*schedule, ignored);
    if (!estimate) return;
    if (loads) loads_ = cost::stageLoads(*schedule, ignored);
    Tried made;
    made.fits = estimate->memory.fits;
    made.peak = estimate->memory.peak;
    made.room = estimate->memory.capacity;
    made.step = estimate->totals.stepTime;
    for (size_t vs : program->heldBy(estimate->totals.critical)) made.longest.push_back(static_cast<int64_t>(vs));
    const auto entry = tried_.emplace(*held, std::move(made)).first;
    if (best_ == tried_.end() || entry->second.better(best_->second)) best_ = entry;
  }

  std::optional<Held> tryCut(const ir::Stages& stages, bool loads = false) {
    ir::Plan trial = plan_;
    trial.pipeline->cut = stages;
    trial.pipeline->stages.clear();
    std::optional<Held> held;
    price(trial, held, loads);
    return held;
  }

  void tryHeld(const Held& held) {
    if (held.empty() || tried_.count(held)) return;
    ir::Plan trial = plan_;
    trial.pipeline->cut.reset();
    trial.pipeline->stages = linesOf(*plan_.model, held, trial.pipeline->range);
    std::optional<Held> made;
    price(trial, made, false);
  }

  /// The programme knows less of the memory than an estimate: where its cut does not fit it gets less room.
  void tryProgramme() {
    cost::StageLoads loads = *loads_;
    tryHeld(cost::leastLongest(loads, false));
    for (int i = 0; i < kTightened; ++i) {
      const Held held = cost::leastLongest(loads, true);
      if (held.empty()) return;
      tryHeld(held);
      const auto entry = tried_.find(held);
      if (entry == tried_.end() || entry->second.fits) return;
      loads.room -= std::max(entry->second.peak - entry->second.room, 0.005 * loads.room);
    }
  }

  /// Plain layers with the most work before the first repeat and behind the last one.
  void tryEvens() {
    const ir::Model& model = *plan_.model;
    std::optional<ir::UnitId> ends[2];
    double most[2] = {0, 0};
    int64_t at = 0, repeats = 0, seen = 0;
    for (const ir::Unit& u : model.units) repeats += u.repeat;
    for (uint32_t u = 0; u < model.units.size(); at += layersOf(model.units[ir::UnitId(u)]), ++u) {
      const ir::Unit& unit = model.units[ir::UnitId(u)];
      seen += unit.repeat;
      const int side = seen == 0 ? 0 : seen == repeats ? 1 : 2;
      if (unit.repeat || side == 2) continue;
      const double pass = loads_->layers[static_cast<size_t>(at)].pass;
      if (!ends[side] || pass > most[side]) ends[side] = ir::UnitId(u), most[side] = pass;
    }
    for (int64_t before = 0; before <= (ends[0] ? kCounts : 0); ++before)
      for (int64_t behind = 0; behind <= (ends[1] ? kCounts : 0); ++behind) {
        ir::Stages even;
        if (before > 0) even.counted.push_back({model.units[*ends[0]].name, before, {}});
        if (behind > 0) even.counted.push_back({model.units[*ends[1]].name, behind, {}});
        tryCut(even);
      }
  }

  /// A layer less for the stages of the device with the most work, at either end. False if that is no better.
  bool tryMoves() {
    const auto before = best_;
    for (int64_t stage : before->second.longest)
      for (const int64_t next : {stage - 1, stage + 1}) {
        Held held = before->first;
        if (next < 0 || next >= static_cast<int64_t>(held.size()) || held[static_cast<size_t>(stage)] < 2) continue;
        --held[static_cast<size_t>(stage)], ++held[static_cast<size_t>(next)];
        tryHeld(held);
      }
    return best_ != before;
  }

  const ir::Plan& plan_;
  std::unique_ptr<cost::StageLoads> loads_;
  std::map<Held, Tried> tried_;
  std::map<Held, Tried>::const_iterator best_ = tried_.end();
};

} // namespace

std::vector<ir::StageLine> balancedStages(const ir::Plan& plan) {
  DiagnosticEngine ignored;
  if (!plan.pipeline || !plan.stack || !plan.cluster || cost::reportNoWorkload(plan, ignored)) return {};
  return Balancing(plan).run();
}

} // namespace planc::driver
