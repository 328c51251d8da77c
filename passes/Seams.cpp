// Seams: the reshards of a carried value that steady instances do not need, as bodies of their own: on the way into the
// first instance, between classes of instances whose layouts differ, and back from the users behind the last one.
// SPDX-License-Identifier: Apache-2.0
#include "passes/Backward.h"

#include <algorithm>

namespace planc::passes {
using namespace ir;

namespace {

struct SeamBuilder {
  Program& program;
  UnitId unitId;

  const Unit& unit() const { return program.model.units[unitId]; }

  Layout entry(BodyId b, const Carry& c) const { return at(b, program.model.values[c.inside].producer); }
  Layout exit(BodyId b, const Carry& c) const { return at(b, program.model.values[c.last].producer); }
  Layout at(BodyId b, OpId op) const {
    const Body& body = program.bodies[b];
    return need(program, body.placements[local(unit(), op)], program.model.ops[op].resultDims);
  }

  void add(Body& seam, bool backward, OpId op, OpId source, ValueId value, const Layout& from, const Layout& to) const {
    if (sameLayout(program.loose(program.model.values[value].dims), from, to)) return;
    Node node;
    node.kind = NodeKind::Reshard;
    node.phase = backward ? Phase::Backward : Phase::Forward;
    node.op = op;
    node.source = source;
    node.value = value;
    node.gradient = backward;
    node.from = from;
    node.to = to;
    (backward ? seam.backward : seam.forward).push_back(std::move(node));
  }

  Body blank(int64_t instance) const {
    Body seam;
    seam.unit = unitId;
    seam.seam = true;
    seam.instances = RangeSet{{Range{instance, instance + 1, 1}}};
    seam.placements.resize(unit().end.index - unit().first.index);
    seam.results.resize(seam.placements.size());
    return seam;
  }

  /// Puts a seam before the first (or behind the last) run of a body on a virtual stage.
  void place(Body seam, BodyId neighbour, int64_t stageIndex, bool before) const {
    if (seam.forward.empty() && seam.backward.empty()) return;
    const BodyId id = program.bodies.add(std::move(seam));
    auto& runs = program.virtualStages[static_cast<size_t>(stageIndex)].bodies;
    const auto isNeighbour = [&](const auto& run) { return run.first == neighbour; };
    runs.insert(before ? std::find_if(runs.begin(), runs.end(), isNeighbour)
                       : std::find_if(runs.rbegin(), runs.rend(), isNeighbour).base(),
                {id, 1});
  }

  /// The virtual stage that holds an instance of the repeat.
  int64_t stageOf(int64_t instance) const {
    int64_t at = unit().from;
    for (const VirtualStage& s : program.virtualStages) {
      for (const auto& [id, count] : s.bodies)
        if (program.bodies[id].unit == unitId && !program.bodies[id].seam) at += count;
      if (instance < at) return s.index;
    }
    return program.virtualStages.back().index;
  }

  void enter() const {
    const BodyId first = bodyOf(program, unitId, unit().from);
    for (const Carry& c : unit().carries) {
      Body seam = blank(unit().from);
      const Value& initial = program.model.values[c.initial];
      const Layout from = layoutOf(program, c.initial);
      add(seam, false, program.model.values[c.inside].producer,
          initial.kind == ValueKind::Result ? initial.producer : OpId(), c.initial, from, entry(first, c));
      // A pending sum never crosses a boundary: it is resolved on the stage that made it.
      const BodyId maker =
          from.partial ? bodyOf(program, program.model.ops[initial.producer].unit, lastInstance(initial)) : first;
      const bool before = maker == first;
      place(std::move(seam), maker, before ? stageOf(unit().from) : stageOfBody(maker), before);
    }
  }

  int64_t lastInstance(const Value& value) const {
    return program.model.units[program.model.ops[value.producer].unit].to() - 1;
  }

  /// The last virtual stage that runs a body.
  int64_t stageOfBody(BodyId body) const {
    int64_t stage = 0;
    for (const VirtualStage& s : program.virtualStages)
      for (const auto& [id, count] : s.bodies)
        if (id == body) stage = s.index;
    return stage;
  }

  void leave(const std::vector<std::vector<SeamGradient>>& leaving) const {
    const BodyId last = bodyOf(program, unitId, unit().to() - 1);
    Body seam = blank(unit().to() - 1);
    for (const Carry& c : unit().carries) {
      std::vector<Layout> done; // equal layouts are summed first
      for (const SeamGradient& g : leaving[c.last.index]) {
        if (std::find(done.begin(), done.end(), g.layout) != done.end()) continue;
        done.push_back(g.layout);
        add(seam, true, program.model.values[c.last].producer, g.source, c.last, g.layout, exit(last, c));
      }
    }
    place(std::move(seam), last, stageOf(unit().to() - 1), false);
  }

  /// What lies between an instance of one class and the next instance, of another.
  Body joining(BodyId from, BodyId to) const {
    Body seam = blank(unit().from);
    seam.instances = {};
    for (const Carry& c : unit().carries) {
      const OpId in = program.model.values[c.inside].producer, out = program.model.values[c.last].producer;
      add(seam, false, in, out, c.last, exit(from, c), entry(to, c));
      add(seam, true, out, in, c.last, entry(to, c), exit(from, c));
    }
    return seam;
  }

  /// Before each run of a class that follows one of another class: with the later of the two, also across stages.
  void between() const {
    std::map<std::pair<BodyId, BodyId>, BodyId> seams; // none where nothing is to be done
    std::map<BodyId, std::vector<int64_t>> places;     // the instances behind a seam
    BodyId before;
    int64_t instance = unit().from;
    for (VirtualStage& stage : program.virtualStages) {
      std::vector<std::pair<BodyId, int64_t>> runs;
      for (const auto& run : stage.bodies) {
        const Body& body = program.bodies[run.first];
        if (body.unit == unitId && !body.seam) {
          if (before.valid() && before != run.first)
            if (const BodyId seam = seamOf(seams, before, run.first); seam.valid()) {
              runs.push_back({seam, 1});
              places[seam].push_back(instance);
            }
          before = run.first;
          instance += run.second;
        }
        runs.push_back(run);
      }
      stage.bodies = std::move(runs);
    }
    for (const auto& [seam, instances] : places) program.bodies[seam].instances = RangeSet::of(instances);
  }

  BodyId seamOf(std::map<std::pair<BodyId, BodyId>, BodyId>& seams, BodyId from, BodyId to) const {
    const auto [known, fresh] = seams.try_emplace({from, to});
    if (!fresh) return known->second;
    Body seam = joining(from, to);
    if (!seam.forward.empty() || !seam.backward.empty()) known->second = program.bodies.add(std::move(seam));
    return known->second;
  }
};

} // namespace

void addSeams(Program& program, const std::vector<std::vector<SeamGradient>>& leaving) {
  for (uint32_t u = 0; u < program.model.units.size(); ++u) {
    if (!program.model.units[UnitId(u)].repeat) continue;
    const SeamBuilder builder{program, UnitId(u)};
    builder.enter();
    builder.between();
    builder.leave(leaving);
  }
}

} // namespace planc::passes
