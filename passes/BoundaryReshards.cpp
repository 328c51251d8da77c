// Boundary reshards: the reshards of a carried value that steady instances do not need, as classes of their own: on the
// way into the first instance, between classes of instances whose layouts differ, and back from the users behind the
// last one.
// SPDX-License-Identifier: Apache-2.0
#include "passes/Backward.h"

#include <algorithm>

namespace planc::passes {
using namespace ir;

namespace {

struct BoundaryReshardBuilder {
  Program& program;
  LayerId layerId;

  const Layer& unit() const { return program.model.layers[layerId]; }

  Layout entry(LayerClassId b, const Carry& c) const { return at(b, program.model.values[c.inside].producer); }
  Layout exit(LayerClassId b, const Carry& c) const { return at(b, program.model.values[c.last].producer); }
  Layout at(LayerClassId b, OpId op) const {
    const LayerClass& layerClass = program.classes[b];
    return need(program, layerClass.placements[local(unit(), op)], program.model.ops[op].resultDims);
  }

  void add(LayerClass& boundary, bool backward, OpId op, OpId source, ValueId value, const Layout& from,
           const Layout& to) const {
    if (sameLayout(program.unordered(program.model.values[value].dims), from, to)) return;
    Node node;
    node.kind = NodeKind::Reshard;
    node.phase = backward ? Phase::Backward : Phase::Forward;
    node.op = op;
    node.source = source;
    node.value = value;
    node.gradient = backward;
    node.from = from;
    node.to = to;
    (backward ? boundary.backward : boundary.forward).push_back(std::move(node));
  }

  LayerClass blank(int64_t instance) const {
    LayerClass boundary;
    boundary.layer = layerId;
    boundary.boundaryReshard = true;
    boundary.instances = RangeSet{{Range{instance, instance + 1, 1}}};
    boundary.placements.resize(unit().end.index - unit().first.index);
    boundary.results.resize(boundary.placements.size());
    return boundary;
  }

  /// Puts a boundary reshard before the first (or behind the last) run of a class on a virtual stage.
  void place(LayerClass boundary, LayerClassId neighbour, int64_t stageIndex, bool before) const {
    if (boundary.forward.empty() && boundary.backward.empty()) return;
    const LayerClassId id = program.classes.add(std::move(boundary));
    auto& runs = program.virtualStages[static_cast<size_t>(stageIndex)].classes;
    const auto isNeighbour = [&](const auto& run) { return run.first == neighbour; };
    runs.insert(before ? std::find_if(runs.begin(), runs.end(), isNeighbour)
                       : std::find_if(runs.rbegin(), runs.rend(), isNeighbour).base(),
                {id, 1});
  }

  /// The virtual stage that holds an instance of the repeat.
  int64_t stageOf(int64_t instance) const {
    int64_t at = unit().from;
    for (const VirtualStage& s : program.virtualStages) {
      for (const auto& [id, count] : s.classes)
        if (program.classes[id].layer == layerId && !program.classes[id].boundaryReshard) at += count;
      if (instance < at) return s.index;
    }
    return program.virtualStages.back().index;
  }

  void enter() const {
    const LayerClassId first = classOf(program, layerId, unit().from);
    for (const Carry& c : unit().carries) {
      LayerClass boundary = blank(unit().from);
      const Value& initial = program.model.values[c.initial];
      const Layout from = layoutOf(program, c.initial);
      add(boundary, false, program.model.values[c.inside].producer,
          initial.kind == ValueKind::Result ? initial.producer : OpId(), c.initial, from, entry(first, c));
      // A pending sum never crosses a boundary: it is resolved on the stage that made it.
      const LayerClassId maker =
          from.partial ? classOf(program, program.model.ops[initial.producer].layer, lastInstance(initial)) : first;
      const bool before = maker == first;
      place(std::move(boundary), maker, before ? stageOf(unit().from) : stageOfClass(maker), before);
    }
  }

  int64_t lastInstance(const Value& value) const {
    return program.model.layers[program.model.ops[value.producer].layer].to() - 1;
  }

  /// The last virtual stage that runs a class.
  int64_t stageOfClass(LayerClassId layerClass) const {
    int64_t stage = 0;
    for (const VirtualStage& s : program.virtualStages)
      for (const auto& [id, count] : s.classes)
        if (id == layerClass) stage = s.index;
    return stage;
  }

  void leave(const std::vector<std::vector<BoundaryGradient>>& leaving) const {
    const LayerClassId last = classOf(program, layerId, unit().to() - 1);
    LayerClass boundary = blank(unit().to() - 1);
    for (const Carry& c : unit().carries) {
      std::vector<Layout> done; // equal layouts are summed first
      for (const BoundaryGradient& g : leaving[c.last.index]) {
        if (std::find(done.begin(), done.end(), g.layout) != done.end()) continue;
        done.push_back(g.layout);
        add(boundary, true, program.model.values[c.last].producer, g.source, c.last, g.layout, exit(last, c));
      }
    }
    place(std::move(boundary), last, stageOf(unit().to() - 1), false);
  }

  /// What lies between an instance of one class and the next instance, of another.
  LayerClass joining(LayerClassId from, LayerClassId to) const {
    LayerClass boundary = blank(unit().from);
    boundary.instances = {};
    for (const Carry& c : unit().carries) {
      const OpId in = program.model.values[c.inside].producer, out = program.model.values[c.last].producer;
      add(boundary, false, in, out, c.last, exit(from, c), entry(to, c));
      add(boundary, true, out, in, c.last, entry(to, c), exit(from, c));
    }
    return boundary;
  }

  /// Before each run of a class that follows one of another class: with the later of the two, also across stages.
  void between() const {
    std::map<std::pair<LayerClassId, LayerClassId>, LayerClassId> boundaries; // none where nothing is to be done
    std::map<LayerClassId, std::vector<int64_t>> places;                      // the instances behind a boundary reshard
    LayerClassId before;
    int64_t instance = unit().from;
    for (VirtualStage& stage : program.virtualStages) {
      std::vector<std::pair<LayerClassId, int64_t>> runs;
      for (const auto& run : stage.classes) {
        const LayerClass& layerClass = program.classes[run.first];
        if (layerClass.layer == layerId && !layerClass.boundaryReshard) {
          if (before.valid() && before != run.first)
            if (const LayerClassId boundary = boundaryReshardOf(boundaries, before, run.first); boundary.valid()) {
              runs.push_back({boundary, 1});
              places[boundary].push_back(instance);
            }
          before = run.first;
          instance += run.second;
        }
        runs.push_back(run);
      }
      stage.classes = std::move(runs);
    }
    for (const auto& [boundary, instances] : places) program.classes[boundary].instances = RangeSet::of(instances);
  }

  LayerClassId boundaryReshardOf(std::map<std::pair<LayerClassId, LayerClassId>, LayerClassId>& boundaries,
                                 LayerClassId from, LayerClassId to) const {
    const auto [known, fresh] = boundaries.try_emplace({from, to});
    if (!fresh) return known->second;
    LayerClass boundary = joining(from, to);
    if (!boundary.forward.empty() || !boundary.backward.empty())
      known->second = program.classes.add(std::move(boundary));
    return known->second;
  }
};

} // namespace

void addBoundaryReshards(Program& program, const std::vector<std::vector<BoundaryGradient>>& leaving) {
  for (uint32_t u = 0; u < program.model.layers.size(); ++u) {
    if (!program.model.layers[LayerId(u)].repeat) continue;
    const BoundaryReshardBuilder builder{program, LayerId(u)};
    builder.enter();
    builder.between();
    builder.leave(leaving);
  }
}

} // namespace planc::passes
