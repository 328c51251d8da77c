// Boundary reshards: reshards of a carried value that steady instances do not need, as classes of their own. They run
// before the first instance, between classes of instances with different layouts, and after the last instance on the
// way back from later users.
// SPDX-License-Identifier: Apache-2.0
#include "passes/backward/Backward.h"

#include <algorithm>

namespace planc::passes {
using namespace ir;

namespace {

/// Returns whether the class holds instances of the repeat.
bool runsIn(const ProgramHead& program, LayerClassId id, LayerId repeat) {
  return program.head(id).layer == repeat && !program.head(id).boundaryReshard;
}

struct BoundaryReshardBuilder {
  ShardedProgram& program;
  LayerId layerId;
  StageRuns& runs; ///< of the program, with the boundary reshards so far

  const Layer& layer() const { return program.model->layers[layerId]; }

  Layout entry(LayerClassId b, const Carry& c) const { return at(b, program.model->values[c.inside].producer); }
  Layout exit(LayerClassId b, const Carry& c) const { return at(b, program.model->values[c.last].producer); }
  Layout at(LayerClassId b, OpId op) const {
    const ShardedClass& layerClass = program.classes[b];
    return need(program, layerClass.placements[local(layer(), op)], program.model->ops[op].resultDims);
  }

  void add(ShardedClass& boundary, bool backward, OpId op, OpId source, ValueId value, const Layout& from,
           const Layout& to) const {
    if (sameLayout(program.unordered(program.model->values[value].dims), from, to)) return;
    Reshard reshard{{.value = value, .gradient = backward, .source = source}, from, to};
    (backward ? boundary.backward : boundary.forward)
        .edit()
        .emplace_back(NodeHead{.phase = backward ? Phase::Backward : Phase::Forward, .op = op}, std::move(reshard));
  }

  ShardedClass blank(int64_t instance) const {
    ShardedClass boundary;
    boundary.layer = layerId;
    boundary.boundaryReshard = true;
    boundary.instances = RangeSet{{Range{instance, instance + 1, 1}}};
    boundary.placements.edit().resize(layer().end.index - layer().first.index);
    boundary.results.edit().resize(boundary.placements.size());
    return boundary;
  }

  /// Adds a boundary reshard that runs after class `behind`, before class `before`, or between both.
  void join(LayerClassId behind, ShardedClass boundary, LayerClassId before) const {
    if (boundary.forward.empty() && boundary.backward.empty()) return;
    boundary.behind = behind;
    boundary.before = before;
    runBoundaryReshard(program, program.classes.add(std::move(boundary)), runs);
  }

  void enter() const {
    const LayerClassId first = classOf(program, layerId, layer().from);
    for (const Carry& c : layer().carries) {
      ShardedClass boundary = blank(layer().from);
      const Value& initial = program.model->values[c.initial];
      const Layout from = layoutOf(program, c.initial);
      add(boundary, false, program.model->values[c.inside].producer,
          initial.kind == ValueKind::Result ? initial.producer : OpId(), c.initial, from, entry(first, c));
      // A pending sum never crosses a boundary. It is resolved on the stage that produced it.
      const LayerClassId maker =
          from.partial ? classOf(program, program.model->ops[initial.producer].layer, lastInstance(initial)) : first;
      if (maker == first)
        join(LayerClassId(), std::move(boundary), first);
      else
        join(maker, std::move(boundary), LayerClassId());
    }
  }

  int64_t lastInstance(const Value& value) const {
    return program.model->layers[program.model->ops[value.producer].layer].to() - 1;
  }

  void leave(const std::vector<std::vector<BoundaryGradient>>& leaving) const {
    const LayerClassId last = classOf(program, layerId, layer().to() - 1);
    ShardedClass boundary = blank(layer().to() - 1);
    for (const Carry& c : layer().carries) {
      std::vector<Layout> done; // equal layouts are summed first
      for (const BoundaryGradient& g : leaving[c.last.index]) {
        if (std::find(done.begin(), done.end(), g.layout) != done.end()) continue;
        done.push_back(g.layout);
        add(boundary, true, program.model->values[c.last].producer, g.source, c.last, g.layout, exit(last, c));
      }
    }
    join(last, std::move(boundary), LayerClassId());
  }

  /// Returns the boundary reshard between an instance of one class and the next instance, of another class.
  ShardedClass joining(LayerClassId from, LayerClassId to) const {
    ShardedClass boundary = blank(layer().from);
    for (const Carry& c : layer().carries) {
      const OpId in = program.model->values[c.inside].producer, out = program.model->values[c.last].producer;
      add(boundary, false, in, out, c.last, exit(from, c), entry(to, c));
      add(boundary, true, out, in, c.last, entry(to, c), exit(from, c));
    }
    return boundary;
  }

  /// A place where an instance follows an instance of another class.
  struct Joint {
    LayerClassId from, to;
    std::vector<int64_t> instances; ///< the later instances
  };

  /// Returns the joints in the order of their first instances.
  std::vector<Joint> joints() const {
    std::vector<Joint> joints;
    LayerClassId before;
    int64_t instance = layer().from;
    for (const auto& stage : runs)
      for (const auto& run : stage) {
        const LayerClassId id = run.first;
        if (!runsIn(program, id, layerId)) continue;
        if (before.valid() && before != id) {
          auto known = std::find_if(joints.begin(), joints.end(),
                                    [&](const Joint& j) { return j.from == before && j.to == id; });
          if (known == joints.end()) known = joints.insert(known, Joint{before, id, {}});
          known->instances.push_back(instance);
        }
        before = id;
        instance += run.second;
      }
    return joints;
  }

  void between() const {
    for (const Joint& joint : joints()) {
      ShardedClass boundary = joining(joint.from, joint.to);
      boundary.instances = RangeSet::of(joint.instances);
      join(joint.from, std::move(boundary), joint.to);
    }
  }
};

/// Adds the boundary reshard before each run of a class that follows a run of the other class. It runs with the later
/// one, also across stages.
void runBetween(const ProgramHead& program, LayerClassId id, StageRuns& stages) {
  const ClassHead& boundary = program.head(id);
  LayerClassId last;
  for (auto& stage : stages) {
    StageRuns::value_type runs;
    for (const auto& run : stage) {
      if (runsIn(program, run.first, boundary.layer)) {
        if (last == boundary.behind && run.first == boundary.before) runs.push_back({id, 1});
        last = run.first;
      }
      runs.push_back(run);
    }
    stage = std::move(runs);
  }
}

/// Adds the boundary reshard before the first run of the neighbour, or after its last run.
void runBeside(LayerClassId id, LayerClassId neighbour, bool before, StageRuns& stages) {
  const auto isNeighbour = [&](const auto& run) { return run.first == neighbour; };
  const auto holds = [&](const auto& stage) { return std::any_of(stage.begin(), stage.end(), isNeighbour); };
  if (before) {
    auto& runs = *std::find_if(stages.begin(), stages.end(), holds);
    runs.insert(std::find_if(runs.begin(), runs.end(), isNeighbour), {id, 1});
  } else {
    auto& runs = *std::find_if(stages.rbegin(), stages.rend(), holds);
    runs.insert(std::find_if(runs.rbegin(), runs.rend(), isNeighbour).base(), {id, 1});
  }
}

} // namespace

void runBoundaryReshard(const ProgramHead& program, LayerClassId id, StageRuns& runs) {
  const ClassHead& boundary = program.head(id);
  if (boundary.behind.valid() && boundary.before.valid())
    runBetween(program, id, runs);
  else if (boundary.before.valid())
    runBeside(id, boundary.before, true, runs);
  else
    runBeside(id, boundary.behind, false, runs);
}

void addBoundaryReshards(ShardedProgram& program, const std::vector<std::vector<BoundaryGradient>>& leaving) {
  StageRuns runs = runsOf(program);
  const uint32_t before = program.classCount();
  for (uint32_t l = 0; l < program.model->layers.size(); ++l) {
    if (!program.model->layers[LayerId(l)].repeat) continue;
    const BoundaryReshardBuilder builder{program, LayerId(l), runs};
    builder.enter();
    builder.between();
    builder.leave(leaving);
  }
  if (program.classCount() > before) setRuns(program, runs);
}

} // namespace planc::passes
