// cut-layers: cuts the instances of each repeat into classes to which the same statements apply, and finds the classes
// of a virtual stage.
// SPDX-License-Identifier: Apache-2.0
#include "ir/model/DisjointSlices.h"
#include "ir/program/Task.h"
#include "passes/Steps.h"
#include "passes/backward/Backward.h"
#include "passes/backward/GradientFlow.h"
#include "passes/cut/CutStages.h"
#include "passes/cut/Statements.h"
#include "passes/lower/Lowering.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace planc::passes {
using namespace ir;

PLANC_ERROR(TooManyClasses, 722, "a slice over `{layer}` ({count} instances) exceeds the limit of {limit} instances")

namespace {

/// Most instances that are examined one by one where slices differ, because alternating classes also run one by one.
constexpr int64_t kMaxSliced = 1 << 16;

/// Returns whether the statement replays something of this instance, without regard to its `first`.
bool replaysSome(const Model& model, const Recompute& statement, const Layer& layer, int64_t instance) {
  for (uint32_t i = layer.first.index; i < layer.end.index; ++i)
    for (const Selector& s : statement.selectors)
      if (reaches(s, model.ops[OpId(i)].path, layer, RangeSet{{Range{instance, instance + 1, 1}}})) return true;
  return false;
}

/// Returns, by layer, the instances that `first = n` chooses: the first n instances on each virtual stage that the
/// statement reaches.
std::vector<RangeSet> firstOf(const Model& model, const Recompute& statement, const Cut& cut) {
  std::vector<std::vector<int64_t>> chosen(model.layers.size());
  for (const auto& pieces : cut) {
    int64_t left = *statement.first;
    for (const StagePiece& piece : pieces) {
      const Layer& layer = model.layers[piece.layer];
      if (layer.count > kMaxSliced) continue; // rejected when the classes are made
      for (int64_t i = piece.lo; i < piece.hi && left > 0; ++i)
        if (replaysSome(model, statement, layer, i)) chosen[piece.layer.index].push_back(i), --left;
    }
  }
  std::vector<RangeSet> sets;
  for (const auto& instances : chosen) sets.push_back(RangeSet::of(instances));
  return sets;
}

/// Returns the first index of a range, its end aside, that is at least `lo`.
int64_t firstFrom(const Range& r, int64_t lo) {
  return r.begin >= lo ? r.begin : r.begin + (lo - r.begin + r.step - 1) / r.step * r.step;
}

/// The instances of a layer that the plan's slices choose. Equal statements about layers that differ only in their
/// first slice are one choice: `decoder[0:4] { ffn -> tp }` and `decoder[4:8] { ffn -> tp }` choose the same as
/// `decoder[0:8]`. A part lies in one instance, so a slice holds it or not.
class Choices {
public:
  Choices(const ProgramHead& program, LayerId id)
      : layer_(program.model->layers[id].name), isPart_(program.model->layers[id].isPart()) {
    const Plan& plan = *program.plan;
    for (const PlacementRule* r : heldPlacements(plan, program.mesh)) look(r->selector, [&] { return saying(*r); });
    for (const StateRule& r : plan.states)
      if (holds(program.mesh, r)) look(r.selector, [&] { return saying(r); });
    for (const Recompute& r : plan.recompute)
      for (const Selector& s : r.selectors) look(s, [&] { return saying(r); });
    for (const std::vector<RangeSet>& first : program.firstLayers)
      if (!first.empty()) sets_.insert(first[id.index]);
    for (const Keep& k : plan.keeps) look(k.selector, [&] { return saying(k); });
    for (const Selector& s : plan.workload.freeze) look(s, [] { return "freeze"; });
  }

  /// Returns the instances of each choice.
  std::set<RangeSet> sets() const {
    std::set<RangeSet> all = sets_;
    for (const auto& entry : slices_) all.insert(entry.second.slices());
    return all;
  }

private:
  /// Adds the choice of a selector; `*` reaches all repeats.
  template <class F> void look(const Selector& selector, F saying) {
    if (isPart_ || selector.steps.empty()) return;
    const LayerStep& first = selector.steps[0];
    if (!first.slice || !(first.star || first.name == layer_)) return;
    Selector anywhere = selector;
    anywhere.steps[0] = {false, layer_, std::nullopt};
    if (!slices_[fmt::format("{} of {}", saying(), anywhere.str())].add(*first.slice))
      sets_.insert(*first.slice); // an instance chosen twice must show up in the classes
  }

  Symbol layer_;
  bool isPart_;
  std::map<std::string, DisjointSlices> slices_; ///< by statement and the layers inside an instance that it names
  std::set<RangeSet> sets_;
};

/// Classes of instances, each in ascending order.
using Classes = std::vector<RangeSet>;

/// Returns the classes: instances with equal choices form a class. Each choice splits the classes that it cuts.
Classes classesOf(const Layer& layer, const std::set<RangeSet>& choices) {
  if (choices.empty()) return {RangeSet{{Range{layer.from, layer.to(), 1}}}};
  std::vector<size_t> classOf(static_cast<size_t>(layer.count));
  size_t classes = 1;
  for (const RangeSet& choice : choices) {
    const size_t before = classes;
    std::map<size_t, size_t> parts; // the new class of the chosen instances, by their class so far
    for (const Range& r : choice.ranges)
      for (int64_t i = firstFrom(r, layer.from); i < std::min(r.end, layer.to()); i += r.step) {
        size_t& mine = classOf[static_cast<size_t>(i - layer.from)];
        if (mine >= before) continue;
        const auto [part, fresh] = parts.try_emplace(mine, classes);
        if (fresh) ++classes;
        mine = part->second;
      }
  }
  std::vector<std::vector<int64_t>> members;
  std::vector<size_t> place(classes, SIZE_MAX); // in the order of their first instances
  for (int64_t i = layer.from; i < layer.to(); ++i) {
    size_t& at = place[classOf[static_cast<size_t>(i - layer.from)]];
    if (at == SIZE_MAX) at = members.size(), members.emplace_back();
    members[at].push_back(i);
  }
  Classes result;
  for (const auto& m : members) result.push_back(RangeSet::of(m));
  return result;
}

/// Returns the first instance that trains a parameter, if nothing trains before it. Unlike the later instances it
/// returns no gradient.
std::optional<int64_t> endOfBackward(const ProgramHead& program, LayerId id, const Classes& classes,
                                     const std::vector<bool>& handedOn) {
  const Layer& layer = program.model->layers[id];
  if (!layer.repeat || !program.plan->workload.hasBackward()) return std::nullopt;
  auto gradient = [&](const Carry& c) {
    const Value& initial = program.model->values[c.initial];
    return handedOn[c.initial.index] || initial.trainable || (initial.dtype && isInteger(*initial.dtype));
  };
  if (std::all_of(layer.carries.begin(), layer.carries.end(), gradient)) return std::nullopt;
  for (const RangeSet& instances : classes) { // by their first instance
    ClassHead layerClass;
    layerClass.layer = id;
    layerClass.instances = instances;
    for (uint32_t i = layer.first.index; i < layer.end.index; ++i)
      for (const Operand& o : program.model->ops[OpId(i)].operands)
        if (program.model->values[o.value].kind == ValueKind::Param && trains(program, layerClass, o.value))
          return instances.ranges.front().begin;
  }
  return std::nullopt;
}

/// Moves an instance, the first of its class, into a class of its own.
void separate(Classes& classes, int64_t instance) {
  for (size_t i = 0; i < classes.size(); ++i) {
    auto& ranges = classes[i].ranges;
    if (ranges.front().begin != instance || classes[i].count() == 1) continue;
    ranges.front().begin += ranges.front().step;
    if (ranges.front().count() == 0) ranges.erase(ranges.begin());
    classes.insert(classes.begin() + static_cast<ptrdiff_t>(i), RangeSet{{Range{instance, instance + 1, 1}}});
    return;
  }
}

bool addClasses(ShardedProgram& program, LayerId id, GradientFlow& flow, DiagnosticEngine& diagnostics) {
  const Layer& layer = program.model->layers[id];
  const std::set<RangeSet> choices = layer.repeat ? Choices(program, id).sets() : std::set<RangeSet>{};
  if (!choices.empty() && layer.count > kMaxSliced) {
    diagnostics
        .report(TooManyClasses, layer.range,
                {{"layer", layer.name.str()}, {"count", layer.count}, {"limit", kMaxSliced}})
        .help("remove the slices, or repeat the layer fewer times");
    return false;
  }
  Classes classes = classesOf(layer, choices);
  if (const auto first = endOfBackward(program, id, classes, flow.handedOn())) separate(classes, *first);
  for (RangeSet& instances : classes) {
    ShardedClass layerClass;
    layerClass.layer = id;
    layerClass.instances = std::move(instances);
    program.classes.add(std::move(layerClass));
  }
  flow.add(id);
  return true;
}

/// Adjacent instances [lo, hi) of a class.
struct Run {
  int64_t lo = 0, hi = 0;
  LayerClassId layerClass;
};

/// Adds the instances of a piece in the order of the model. Adjacent instances of one class form one run.
void addRuns(const ProgramHead& program, const StagePiece& piece, StageRuns::value_type& stage) {
  llvm::SmallVector<Run, 4> runs;
  for (uint32_t b = 0; b < program.classCount(); ++b) {
    const ClassHead& layerClass = program.head(LayerClassId(b));
    if (layerClass.boundaryReshard || layerClass.layer != piece.layer) continue;
    for (const Range& r : layerClass.instances.ranges) {
      const Range inside{firstFrom(r, piece.lo), std::min(r.end, piece.hi), r.step};
      if (inside.count() > 0 && r.step == 1) runs.push_back({inside.begin, inside.end, LayerClassId(b)});
      for (int64_t i = inside.begin; r.step > 1 && i < inside.end; i += r.step)
        runs.push_back({i, i + 1, LayerClassId(b)});
    }
  }
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.lo < b.lo; });
  const size_t first = stage.size();
  for (const Run& run : runs)
    if (stage.size() > first && stage.back().first == run.layerClass)
      stage.back().second += run.hi - run.lo;
    else
      stage.push_back({run.layerClass, run.hi - run.lo});
}

} // namespace

StageRuns runsOf(const ProgramHead& program) {
  StageRuns runs;
  for (const VirtualStage& stage : program.virtualStages) {
    const auto& classes = program.kindOf(stage.index).classes;
    runs.emplace_back(classes.begin(), classes.end());
  }
  return runs;
}

void setRuns(ProgramHead& program, const StageRuns& runs) {
  program.stageKinds = {};
  StageKindId last; // adjacent stages are usually alike
  for (size_t s = 0; s < runs.size(); ++s) {
    const auto holds = [&](StageKindId kind) {
      const auto& classes = program.stageKinds[kind].classes;
      return std::equal(classes.begin(), classes.end(), runs[s].begin(), runs[s].end());
    };
    if (!last.valid() || !holds(last)) {
      last = StageKindId(0);
      while (last.index < program.stageKinds.size() && !holds(last)) ++last.index;
      if (last.index == program.stageKinds.size()) {
        StageKind kind;
        kind.classes.assign(runs[s].begin(), runs[s].end());
        program.stageKinds.add(std::move(kind));
      }
    }
    program.virtualStages[s].kind = last;
  }
}

StageRuns addStages(ProgramHead& program, const Cut& cut) {
  const ScheduleShape shape{program.stages, program.chunks, program.microBatches, program.scheduleArguments, {}};
  StageRuns runs(cut.size());
  program.virtualStages.clear();
  program.virtualStages.resize(cut.size());
  for (size_t i = 0; i < cut.size(); ++i) {
    VirtualStage& stage = program.virtualStages[i];
    stage.index = static_cast<int64_t>(i);
    for (int64_t route = 0; route < program.routes; ++route)
      stage.devices.push_back(program.kind->device(shape, route, stage.index));
    for (const StagePiece& piece : cut[i]) addRuns(program, piece, runs[i]);
  }
  return runs;
}

bool cutLayers(ShardedProgram& program, DiagnosticEngine& diagnostics) {
  std::optional<Cut> cut; // `first` counts on each virtual stage
  for (const Recompute& r : program.plan->recompute) {
    if (r.first && !cut && !(cut = cutOf(program, diagnostics))) return false;
    program.firstLayers.push_back(r.first ? firstOf(program.model, r, *cut) : std::vector<RangeSet>{});
  }
  GradientFlow flow(program);
  for (uint32_t l = 0; l < program.model->layers.size(); ++l)
    if (!addClasses(program, LayerId(l), flow, diagnostics)) return false;
  return true;
}

} // namespace planc::passes
