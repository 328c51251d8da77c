// Part of derive-backward: finds `recompute` and `keep` statements without which a plan keeps the same. Each statement
// is left out, and the layers that it reaches are derived again.
// SPDX-License-Identifier: Apache-2.0
#include "ir/facts/StackFacts.h"
#include "passes/backward/Backward.h"
#include "passes/cut/Statements.h"
#include "support/Quantity.h"
#include "support/Rounding.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace planc::passes {
using namespace ir;

PLANC_WARNING(HostKeepIdle, 726, "`keep {selector} = host` has no effect: {reason}")
PLANC_WARNING(RecomputeIdle, 787, "`recompute {selector}` frees no memory: {reason}")
PLANC_WARNING(KeepIdle, 788, "`keep {selector} = {side}` has no effect: {reason}")
PLANC_WARNING(OutputsIdle, 794, "`outputs = true` has no effect on `{selector}`: {reason}")
PLANC_WARNING(FirstIdle, 795, "`first = {first}` has no effect: no virtual stage has more than {most} of these layers")
PLANC_WARNING(SaveIdle, 796, "saving `{saved}` has no effect: {reason}")

namespace {

double keptBytes(const ShardedClass& layerClass) {
  double bytes = 0;
  for (const Saved& s : layerClass.saved) bytes += s.bytes;
  return bytes;
}

/// Returns whether the selector reaches an operator of these instances of a layer.
bool reachesAny(const ShardedProgram& program, const Selector& selector, const ir::Layer& layer,
                const RangeSet& instances) {
  if (instances.ranges.empty()) return false;
  for (uint32_t i = layer.first.index; i < layer.end.index; ++i)
    if (reaches(selector, program.model->ops[OpId(i)].path, layer, instances)) return true;
  return false;
}

/// Returns the number of nodes that a replay runs again. `early`: it ends where backward has what it needs.
size_t replayed(const ShardedClass& layerClass, bool early) {
  return static_cast<size_t>(llvm::count_if(
      layerClass.backward, [&](const ShardedNode& n) { return n.phase == Phase::Recompute && (n.needed || !early); }));
}

/// Returns a key for a statement about one of the layers that its selector names. Statements that differ only in the
/// instances have the same key.
std::string keyOf(const std::string& statement, Selector selector) {
  if (!selector.steps.empty()) selector.steps[0].slice.reset();
  return fmt::format("{} of {}", statement, selector.str());
}

/// Measures of a derived class that the checks compare.
struct Derived {
  double kept = 0;                        ///< bytes of an instance
  size_t nodes = 0;                       ///< of its backward
  size_t replayed = 0, replayedToEnd = 0; ///< nodes that run again, if the stack stops early as it does, and if not
};

/// Derives classes for a plan with other recomputation.
class Trial {
public:
  Trial(const ShardedProgram& program, const std::vector<std::vector<bool>>& wanted, const Outer& outer)
      : program_(program), plan_(*program.plan), wanted_(wanted), outer_(outer) {
    program_.plan = &plan_;
  }

  Plan& plan() { return plan_; }

  /// Returns measures of the class under the current plan; null if its checkpoints contradict each other. The
  /// instances of a class are alike, so equal `change`s of the plan have one result. `instances`: those of the class
  /// that a statement names, which can represent several.
  const std::optional<Derived>& derive(LayerClassId id, const RangeSet& instances, const std::string& change) {
    const auto [known, fresh] = known_.try_emplace({id.index, change});
    if (fresh) known->second = deriveAnew(id, instances);
    return known->second;
  }

private:
  std::optional<Derived> deriveAnew(LayerClassId id, const RangeSet& instances) {
    ShardedClass layerClass = program_.classes[id];
    layerClass.instances = instances;
    layerClass.backward = {};
    layerClass.saved = {};
    DiagnosticEngine unheard;
    const Checkpoints checkpoints = findCheckpoints(program_, layerClass, unheard);
    if (!checkpoints.ok) return std::nullopt;
    Outer outer = outer_;
    deriveClass(program_, layerClass, wanted_[id.index], checkpoints, outer);
    const bool early = plan_.stack && plan_.stack->truth(StackFact::EarlyStop);
    return Derived{keptBytes(layerClass), layerClass.backward.size(), replayed(layerClass, early),
                   replayed(layerClass, false)};
  }

  ShardedProgram program_;
  Plan plan_;
  const std::vector<std::vector<bool>>& wanted_;
  const Outer& outer_;
  std::map<std::pair<uint32_t, std::string>, std::optional<Derived>> known_; ///< by class and change
};

class IdleSavings {
public:
  IdleSavings(const ShardedProgram& program, const std::vector<std::vector<bool>>& wanted, const Outer& outer,
              DiagnosticEngine& diagnostics)
      : program_(program), trial_(program, wanted, outer), diagnostics_(diagnostics) {}

  void run() {
    for (size_t i = 0; i < program_.plan->recompute.size(); ++i) {
      for (size_t k = 0; k < program_.plan->recompute[i].selectors.size(); ++k) checkRecompute(i, k);
      checkSaves(i);
      checkFirst(i);
    }
    for (size_t i = 0; i < program_.plan->keeps.size(); ++i)
      if (!program_.plan->keeps[i].host) checkKeep(i);
  }

private:
  /// Calls `compare` with every class that the selector reaches, the number of its instances that the selector names,
  /// and the class under the trial's plan, which `change` identifies. `chosen`: instances of a `recompute` statement,
  /// which can name only the first ones. Returns whether it reaches any class.
  template <class F>
  bool each(const Selector& selector, const std::vector<RangeSet>* chosen, const std::string& change, F compare) {
    bool any = false;
    for (uint32_t b = 0; b < program_.classes.size(); ++b) {
      const ShardedClass& layerClass = program_.classes[LayerClassId(b)];
      if (layerClass.boundaryReshard) continue;
      const ir::Layer& layer = program_.model->layers[layerClass.layer];
      const RangeSet named = namedBy(selector, layer, layerClass.instances);
      if (!reachesAny(program_, selector, layer, named)) continue;
      if (chosen && !chosen->empty() && !(*chosen)[layerClass.layer.index].contains(named.ranges.front().begin))
        continue;
      const std::optional<Derived>& without = trial_.derive(LayerClassId(b), named, change);
      if (!without) return false;
      any = true;
      compare(layerClass, static_cast<double>(named.count()), *without);
    }
    return any;
  }

  const std::vector<RangeSet>* firstOf(size_t index) const {
    return index < program_.firstLayers.size() ? &program_.firstLayers[index] : nullptr;
  }

  /// Returns the bytes that the selector frees, compared with the trial's plan; null if it reaches no class.
  std::optional<double> freed(size_t index, const Selector& selector, const std::string& change, double& kept) {
    double freed = 0;
    const bool any =
        each(selector, firstOf(index), change, [&](const ShardedClass& with, double instances, const Derived& without) {
          freed += instances * (without.kept - keptBytes(with));
          kept += instances * without.kept;
        });
    return any ? std::optional(freed) : std::nullopt;
  }

  void checkRecompute(size_t index, size_t k) {
    const Recompute& statement = program_.plan->recompute[index];
    const Selector& selector = statement.selectors[k];
    auto& selectors = trial_.plan().recompute[index].selectors;
    std::swap(selectors[k], selectors.back()); // their order means nothing
    selectors.pop_back();
    double kept = 0;
    const auto bytes = freed(index, selector, keyOf("without " + saying(statement), selector), kept);
    selectors.push_back(selector);
    std::swap(selectors[k], selectors.back());
    if (!bytes) return;
    if (*bytes > kRounding * kept) {
      if (statement.outputs) checkOutputs(index, selector);
      return;
    }
    const std::string reason = kept <= 0
                                   ? "its layers keep no values for backward"
                                   : fmt::format("its inputs and the results that are used later stay, {} in total",
                                                 formatQuantity(kept, units::bytes));
    const bool offer = !statement.outputs && kept > 0 && discards(index, selector);
    diagnostics_.report(RecomputeIdle, selector.range, {{"selector", selector.str()}, {"reason", reason}})
        .help(offer ? fmt::format(
                          "its results can also be recomputed for their readers: `recompute {} {{ outputs = true }}`",
                          selector.str())
                    : "remove it, or name layers that keep more: a checkpoint frees the values between its operators, "
                      "as in `recompute` of whole layers");
  }

  /// Returns whether less would be kept if the outputs of the selector were recomputed.
  bool discards(size_t index, const Selector& selector) {
    Recompute& statement = trial_.plan().recompute[index];
    statement.outputs = true;
    double kept = 0;
    const auto bytes = freed(index, selector, keyOf(saying(statement), selector), kept);
    statement.outputs = false;
    return bytes && *bytes < -kRounding * kept;
  }

  void checkOutputs(size_t index, const Selector& selector) {
    Recompute& statement = trial_.plan().recompute[index];
    statement.outputs = false;
    double kept = 0;
    const auto bytes = freed(index, selector, keyOf(saying(statement), selector), kept);
    statement.outputs = true;
    if (bytes && *bytes <= kRounding * kept)
      diagnostics_
          .report(OutputsIdle, selector.range,
                  {{"selector", selector.str()},
                   {"reason", "no later layer keeps its results, or only the next instance of a repeat does"}})
          .label(program_.plan->recompute[index].outputsRange, "given here")
          .help("remove it, or name layers whose results another layer of the same instance reads in backward");
  }

  /// Checks the names from the last to the first, each without those already found idle. Of two names for one result
  /// the first one stays.
  void checkSaves(size_t index) {
    const Recompute& statement = program_.plan->recompute[index];
    std::vector<Selector>& saves = trial_.plan().recompute[index].saves;
    for (size_t k = statement.saves.size(); k-- > 0;)
      if (checkSave(index, k, saves)) reportIdleSave(statement.saves[k]);
    saves = statement.saves;
  }

  /// Returns true if the name is idle. It is then left out of `saves`.
  bool checkSave(size_t index, size_t k, std::vector<Selector>& saves) {
    const Recompute& statement = program_.plan->recompute[index];
    const std::vector<Selector> before = saves;
    bool any = false, less = false, lessToTheEnd = false;
    const auto count = [&](const Selector& selector, bool out, auto& totals) {
      saves = before;
      if (out) saves.erase(saves.begin() + static_cast<std::ptrdiff_t>(k));
      any |= each(selector, firstOf(index), keyOf(saying(trial_.plan().recompute[index]), selector),
                  [&](const ShardedClass&, double, const Derived& derived) {
                    totals.push_back({derived.replayed, derived.replayedToEnd});
                  });
    };
    for (const Selector& selector : statement.selectors) {
      std::vector<std::pair<size_t, size_t>> with, without;
      count(selector, false, with);
      count(selector, true, without);
      for (size_t i = 0; i < std::min(with.size(), without.size()); ++i) {
        less |= with[i].first < without[i].first;
        lessToTheEnd |= with[i].second < without[i].second;
      }
    }
    if (!any || less) saves = before;
    stopsBefore_ = lessToTheEnd;
    return any && !less;
  }

  void reportIdleSave(const Selector& saved) {
    auto report = diagnostics_.report(
        SaveIdle, saved.range,
        {{"saved", saved.str()},
         {"reason", stopsBefore_ ? fmt::format("the replay ends before it, as backward does not read it and stack `{}` "
                                               "stops early",
                                               program_.plan->stack->name.view())
                                 : std::string("all that is replayed with it is replayed without it, too")}});
    report.help(stopsBefore_ ? "remove it from the list, unless the software keeps it anyway"
                             : "remove it from the list");
  }

  /// Warns of a `first` that is at least the number of layers on a virtual stage.
  void checkFirst(size_t index) {
    const Recompute& statement = program_.plan->recompute[index];
    if (!statement.first) return;
    std::vector<bool> reached;
    for (const ShardedClass& layerClass : program_.classes)
      reached.push_back(!layerClass.boundaryReshard && llvm::any_of(statement.selectors, [&](const Selector& s) {
        return reachesAny(program_, s, program_.model->layers[layerClass.layer], layerClass.instances);
      }));
    int64_t most = 0;
    for (const StageKind& stage : program_.stageKinds) {
      int64_t here = 0;
      for (const auto& [id, count] : stage.classes) here += reached[id.index] ? count : 0;
      most = std::max(most, here);
    }
    if (*statement.first >= most)
      diagnostics_.report(FirstIdle, statement.firstRange, {{"first", *statement.first}, {"most", most}})
          .help("remove it: all of them are recomputed");
  }

  void checkKeep(size_t index) {
    const Keep& keep = program_.plan->keeps[index];
    auto& statements = trial_.plan().keeps;
    std::swap(statements[index], statements.back()); // their order means nothing
    statements.pop_back();
    bool changes = false, kept = false;
    const bool any = each(keep.selector, nullptr, keyOf("without " + saying(keep), keep.selector),
                          [&](const ShardedClass& with, double, const Derived& without) {
                            kept |= !with.saved.empty();
                            changes |= keptBytes(with) != without.kept || with.backward.size() != without.nodes;
                          });
    statements.push_back(keep);
    std::swap(statements[index], statements.back());
    if (!any || changes) return;
    diagnostics_
        .report(KeepIdle, keep.selector.range,
                {{"selector", keep.selector.str()},
                 {"side", keep.gathered ? "gathered" : "split"},
                 {"reason", kept ? "backward reads none of its results after a reshard, or this side is kept anyway"
                                 : "its layers keep no values for backward"}})
        .help("remove it, or name layers whose results another layer gathers");
  }

  const ShardedProgram& program_;
  Trial trial_;
  DiagnosticEngine& diagnostics_;
  bool stopsBefore_ = false; ///< last checked name: only a replay to the end would run it
};

/// Warns of `keep S = host` if forward keeps no result of S.
void warnOfIdleHostKeeps(const ShardedProgram& program, DiagnosticEngine& diagnostics) {
  const Model& model = program.model;
  for (const Keep& keep : program.plan->keeps) {
    if (!keep.host) continue;
    bool any = false;
    for (const ShardedClass& layerClass : program.classes) {
      const RangeSet named = namedBy(keep.selector, model.layers[layerClass.layer], layerClass.instances);
      any |= llvm::any_of(layerClass.saved, [&](const Saved& s) {
        return s.host && keepsOf(program, layerClass.layer, named, keep.selector, s.op, model.values[s.value]);
      });
    }
    if (any) continue;
    const bool trains = program.plan->workload.hasBackward() && model.loss.valid();
    diagnostics
        .report(HostKeepIdle, keep.selector.range,
                {{"selector", keep.selector.str()},
                 {"reason", trains ? "backward reads none of its kept results"
                                   : "the plan has no backward pass, so no values are kept"}})
        .help(trains ? "name layers whose results are kept: a recomputed layer keeps only its inputs, and a frozen "
                       "layer may keep no values"
                     : "remove it");
  }
}

} // namespace

void warnOfIdleSavings(const ShardedProgram& program, const std::vector<std::vector<bool>>& wanted, const Outer& outer,
                       DiagnosticEngine& diagnostics) {
  warnOfIdleHostKeeps(program, diagnostics);
  const Plan& plan = *program.plan;
  if (!plan.workload.hasBackward() || !program.model->loss.valid()) return; // check-rules has reported this
  if (!plan.recompute.empty() || llvm::any_of(plan.keeps, [](const Keep& k) { return !k.host; }))
    IdleSavings(program, wanted, outer, diagnostics).run();
}

} // namespace planc::passes
