// Settles `stages = balanced`. Candidates are the cuts whose longest stage has the least work, every `even` cut that
// divides the layers, and neighbours of the best cut. Each is priced over shared layers; the one with the shortest step
// that fits wins.
// SPDX-License-Identifier: Apache-2.0
#include "search/BalanceStages.h"

#include "backends/cost/result/Doubts.h"
#include "backends/cost/simulate/Balance.h"
#include "support/Rounding.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

namespace planc::search {

namespace {

/// The number of layers of each virtual stage, plain layers included.
using Held = std::vector<int64_t>;

constexpr int64_t kLayers = 8192;    // most layers of a model; the dynamic program grows with their square
constexpr size_t kShortest = 96;     // cuts with the least work in their longest stage
constexpr size_t kFolded = 8;        // the same if a device holds several stages, whose work tells less
constexpr size_t kMoved = 384;       // cuts tried near the best one
constexpr size_t kWhole = 16;        // limit of both if the layers depend on the cut: each is lowered anew
constexpr int64_t kPasses = 1 << 23; // micro-batches times stages, in all cuts of each of the two searches
constexpr double kDoubt = 1.25;      // factor by which the longest stage's price may be too high
constexpr int kTightened = 4;        // corrections of the memory that the dynamic program may use
constexpr int64_t kCounts = 2;       // `even` cuts count the first and last plain layers as 0, 1 or 2 layers

int64_t layersOf(const ir::Layer& layer) {
  return layer.repeat ? layer.count : 1;
}

std::vector<ir::StageLine> linesOf(const ir::Model& model, const Held& held, SourceRange range) {
  std::vector<ir::StageLine> lines;
  ir::LayerId id(0);
  int64_t at = 0;
  for (size_t s = 0; s < held.size(); ++s) {
    ir::StageLine line;
    line.index = static_cast<int64_t>(s);
    line.range = range;
    for (int64_t left = held[s]; left > 0;) {
      const ir::Layer& layer = model.layers[id];
      const int64_t take = std::min(left, layersOf(layer) - at);
      const bool whole = !layer.repeat || take == layer.count;
      line.selectors.push_back({whole ? layer.ref() : layer.ref(ir::RangeSet{{{at, at + take, 1}}}), range});
      left -= take, at += take;
      if (at == layersOf(layer)) ++id.index, at = 0;
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

Held heldOf(const ir::Program& program) {
  Held held;
  for (const ir::VirtualStage& stage : program.virtualStages) {
    int64_t layers = 0;
    for (const auto& [id, count] : program.kindOf(stage.index).classes)
      layers += program.classes[id].boundaryReshard ? 0 : count;
    held.push_back(layers);
  }
  return held;
}

/// A cut with its price.
struct Tried {
  bool fits = false;
  double peak = 0, room = 0, step = 0;
  std::vector<int64_t> longest; ///< stages on the device with the most work or, if it does not fit, the fullest memory

  /// Returns whether this cut is better than `other` by more than the relative difference `rounding`.
  bool better(const Tried& other, double rounding = kRounding) const {
    if (fits != other.fits) return fits;
    return fits ? step < other.step * (1 - rounding) : peak < other.peak * (1 - rounding);
  }
};

class Balancing {
public:
  Balancing(const ir::Plan& plan, Engine& engine) : plan_(plan), engine_(engine) {
    if (plan.pipeline->cut && plan.pipeline->cut->cuts) asked_ = static_cast<size_t>(*plan.pipeline->cut->cuts);
  }

  std::vector<ir::StageLine> run() {
    int64_t layers = 0;
    for (const ir::Layer& layer : plan_.model->layers)
      if (__builtin_add_overflow(layers, layersOf(layer), &layers) || layers > kLayers) return {};
    if (!begin()) return {};
    tryEvens();
    tryShortest();
    moves_ = affordable(shared_ ? kMoved : kWhole);
    while (tryMoves()) {
    }
    const auto best = std::min_element(tried_.begin(), tried_.end(),
                                       [](const auto& a, const auto& b) { return a.second.better(b.second, 0); });
    return linesOf(*plan_.model, best->first, plan_.pipeline->cut ? plan_.pipeline->cut->range : plan_.pipeline->range);
  }

private:
  using Entry = std::map<Held, Tried>::iterator;

  /// Lowers the plan with equal numbers of layers per stage, prices its layers, and keeps the program that the cuts
  /// share. Returns false if the plan cannot be priced.
  bool begin() {
    DiagnosticEngine ignored;
    ir::Stages balanced;
    balanced.cut = ir::StageCut::Balanced;
    trial_ = planWith(balanced);
    program_ = engine_.lower(trial_, ignored);
    if (!program_) return false;
    const auto schedule = engine_.schedule(*program_);
    const auto estimate = engine_.price(*schedule, ignored);
    if (!estimate) return false; // facts are missing, or the plan breaks a law
    loads_ = cost::stageLoads(*schedule, ignored);
    if (!loads_) return false;
    // Which layers are replayed may depend on the cut; each cut is then lowered anew.
    shared_ = std::all_of(program_->firstLayers.begin(), program_->firstLayers.end(),
                          [](const auto& first) { return first.empty(); });
    note(heldOf(*program_), *program_, *estimate);
    return true;
  }

  /// Limits a number of cuts by the time that pricing one takes, which grows with its passes.
  size_t affordable(size_t cuts) const {
    cuts = std::min(cuts, asked_);
    const int64_t passes = 2 * program_->microBatches * program_->stages * program_->chunks;
    return std::min(cuts, static_cast<size_t>(std::max<int64_t>(1, kPasses / passes)));
  }

  ir::Plan planWith(const ir::Stages& stages) const {
    ir::Plan trial = plan_;
    trial.pipeline->cut = stages;
    trial.pipeline->stages.clear();
    return trial;
  }

  ir::Plan planWith(const Held& held) const {
    ir::Plan trial = plan_;
    trial.pipeline->cut.reset();
    trial.pipeline->stages = linesOf(*plan_.model, held, trial.pipeline->range);
    return trial;
  }

  void price(const ir::Plan& trial) {
    DiagnosticEngine ignored;
    const auto program = engine_.lower(trial, ignored);
    if (!program) return;
    Held held = heldOf(*program);
    if (tried_.count(held)) return;
    if (const auto estimate = engine_.price(*engine_.schedule(*program), ignored))
      note(std::move(held), *program, *estimate);
  }

  void note(Held held, const ir::Program& program, const cost::Estimate& estimate) {
    const cost::Memory& memory = estimate.memory;
    Tried made{memory.fits, memory.peak, memory.room(), estimate.totals.stepTime, {}};
    for (size_t vs : program.heldBy(made.fits ? estimate.totals.critical : memory.fullest))
      made.longest.push_back(static_cast<int64_t>(vs));
    const Entry entry = tried_.emplace(std::move(held), std::move(made)).first;
    if (best_ == tried_.end() || entry->second.better(best_->second)) best_ = entry;
  }

  void tryHeld(const Held& held) {
    if (!tried_.count(held)) price(planWith(held));
  }

  /// Tries the cuts whose longest stage has the least work, as long as their step may be the shortest.
  void tryShortest() {
    const bool folded = program_->chunks * program_->routes > 1;
    const size_t most = affordable(folded ? kFolded : shared_ ? kShortest : kWhole);
    tryEach(cost::shortestCuts(*loads_, false, most));
    // The dynamic program only approximates memory. If its cut does not fit, it gets less room and runs again.
    cost::StageLoads loads = *loads_;
    for (int i = 0; i < kTightened; ++i) {
      const std::vector<cost::RankedCut> cuts = cost::shortestCuts(loads, true, most);
      if (cuts.empty()) return;
      tryHeld(cuts[0].held);
      const auto entry = tried_.find(cuts[0].held);
      if (entry == tried_.end()) return;
      if (entry->second.fits) return tryEach(cuts);
      loads.room -= std::max(entry->second.peak - entry->second.room, 0.005 * loads.room);
    }
  }

  void tryEach(const std::vector<cost::RankedCut>& cuts) {
    for (const cost::RankedCut& cut : cuts) {
      if (best_->second.fits && cut.longest > kDoubt * best_->second.step) return;
      tryHeld(cut.held);
    }
  }

  /// Tries `even` cuts. They count the plain layers with the most work, before the first and after the last repeated
  /// layer.
  void tryEvens() {
    const ir::Model& model = *plan_.model;
    std::optional<ir::LayerId> ends[2];
    double most[2] = {0, 0};
    int64_t at = 0, repeats = 0, seen = 0;
    for (const ir::Layer& layer : model.layers) repeats += layer.repeat;
    for (uint32_t l = 0; l < model.layers.size(); at += layersOf(model.layers[ir::LayerId(l)]), ++l) {
      const ir::Layer& layer = model.layers[ir::LayerId(l)];
      seen += layer.repeat;
      const int side = seen == 0 ? 0 : seen == repeats ? 1 : 2;
      if (layer.repeat || side == 2) continue;
      const double pass = loads_->layers[static_cast<size_t>(at)].pass;
      if (!ends[side] || pass > most[side]) ends[side] = ir::LayerId(l), most[side] = pass;
    }
    size_t left = asked_;
    for (int64_t before = 0; before <= (ends[0] ? kCounts : 0); ++before)
      for (int64_t behind = 0; behind <= (ends[1] ? kCounts : 0) && left > 0; ++behind, --left) {
        ir::Stages even;
        if (before > 0) even.counted.push_back({model.layers[*ends[0]].name, before, {}});
        if (behind > 0) even.counted.push_back({model.layers[*ends[1]].name, behind, {}});
        price(planWith(even));
      }
  }

  /// Moves one layer from a stage of the device with the most work to a stage of a device with less. Returns false if
  /// no move is better.
  bool tryMoves() {
    const auto before = best_;
    const std::vector<int64_t> others = byLoad(before->first);
    for (const int64_t stage : before->second.longest)
      for (const int64_t other : others) {
        Held held = before->first;
        if (other == stage || held[static_cast<size_t>(stage)] < 2) continue;
        --held[static_cast<size_t>(stage)], ++held[static_cast<size_t>(other)];
        if (tried_.count(held)) continue;
        if (moves_-- == 0) return false;
        price(planWith(held));
      }
    return best_ != before;
  }

  /// Returns the virtual stages, sorted by the work of their device, least first.
  std::vector<int64_t> byLoad(const Held& held) const {
    std::map<int64_t, double> ofDevice;
    size_t at = 0;
    for (size_t s = 0; s < held.size(); ++s)
      for (int64_t i = 0; i < held[s]; ++i, ++at)
        for (const int64_t device : program_->virtualStages[s].devices)
          ofDevice[device] += loads_->passes * loads_->layers[at].pass + loads_->layers[at].step;
    std::vector<int64_t> order(held.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      const auto device = [&](int64_t s) { return program_->virtualStages[static_cast<size_t>(s)].devices.front(); };
      return ofDevice[device(a)] < ofDevice[device(b)];
    });
    return order;
  }

  const ir::Plan& plan_;
  Engine& engine_;
  ir::Plan trial_; ///< the plan that `program_` was lowered from
  std::unique_ptr<ir::Program> program_;
  bool shared_ = false;                               ///< all cuts have the same layers
  size_t moves_ = 0;                                  ///< moves that may still be tried
  size_t asked_ = std::numeric_limits<size_t>::max(); ///< `n` of `balanced(cuts = n)`
  std::unique_ptr<cost::StageLoads> loads_;
  std::map<Held, Tried> tried_;
  Entry best_ = tried_.end();
};

} // namespace

std::vector<ir::StageLine> balancedStages(const ir::Plan& plan, Engine& engine) {
  DiagnosticEngine ignored;
  if (!plan.pipeline || !plan.stack || !plan.cluster || cost::reportNoWorkload(plan, ignored)) return {};
  return Balancing(plan, engine).run();
}

void settleStages(ir::Plan& plan, Engine& engine) {
  const auto& pipeline = plan.pipeline;
  if (pipeline && pipeline->cut && pipeline->cut->cut == ir::StageCut::Balanced && pipeline->stages.empty())
    plan.pipeline->stages = balancedStages(plan, engine);
}

} // namespace planc::search
