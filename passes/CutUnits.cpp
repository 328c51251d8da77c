// cut-units: cuts the top-level layers into virtual stages, and the instances of each repeat into classes that all
// rules treat alike.
// SPDX-License-Identifier: Apache-2.0
#include "ir/Task.h"
#include "passes/Lowering.h"
#include "passes/Steps.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace planc::passes {
using namespace ir;

PLANC_ERROR(LayersNotDivisible, 711, "{layers} layers are not divisible into {stages} stages x {chunks} chunks")
PLANC_ERROR(StageLines, 712, "the stage lines do not cover the layers once and in order: {problem}")
PLANC_ERROR(NoLayersToCut, 716, "pipeline over {stages} stages needs a repeated layer to cut; the model has none")
PLANC_ERROR(TooManyClasses, 722, "a slice over `{unit}` ({count} instances) is beyond {limit} instances")

namespace {

constexpr int64_t kMaxSliced = 1 << 20; // instances looked at one by one where slices differ

/// Instances [lo, hi) of a unit on one virtual stage.
struct Piece {
  UnitId unit;
  int64_t lo = 0, hi = 0;
};
using Cut = std::vector<std::vector<Piece>>;

int64_t totalLayers(const Model& model) {
  int64_t total = 0;
  for (const Unit& u : model.units)
    if (u.repeat && __builtin_add_overflow(total, u.count, &total)) return INT64_MAX;
  return total;
}

/// Layers per virtual stage when they do not divide: the surplus goes to the middle, where neither embedding nor head
/// stands.
std::vector<int64_t> balanced(int64_t layers, int64_t parts) {
  std::vector<int64_t> sizes(static_cast<size_t>(parts), layers / parts);
  for (int64_t i = 0, left = layers % parts; i < left; ++i)
    ++sizes[static_cast<size_t>(parts > 2 ? 1 + i % (parts - 2) : i % parts)];
  return sizes;
}

/// Pieces of the whole model for the given layers per part. Plain layers go with the instance that follows them, the
/// last ones with the last.
Cut cutBySizes(const Model& model, const std::vector<int64_t>& sizes) {
  Cut cut(sizes.size());
  size_t part = 0;
  int64_t room = sizes[0];
  auto advance = [&] {
    while (room == 0 && part + 1 < sizes.size()) room = sizes[++part];
  };
  for (uint32_t u = 0; u < model.units.size(); ++u) {
    const Unit& unit = model.units[UnitId(u)];
    if (!unit.repeat) {
      const bool more = std::any_of(model.units.begin() + u, model.units.end(), [](const Unit& x) { return x.repeat; });
      if (more && u > 0) advance();
      cut[part].push_back({UnitId(u), 0, 1});
      continue;
    }
    for (int64_t at = 0; at < unit.count;) {
      advance();
      const int64_t take = std::min(room, unit.count - at);
      if (take == 0) break; // the sizes add up to the layers: cannot happen
      cut[part].push_back({UnitId(u), at, at + take});
      at += take;
      room -= take;
    }
  }
  return cut;
}

/// Stage lines to paste, balanced.
std::string suggestion(const Model& model, int64_t layers, int64_t parts) {
  const Cut cut = cutBySizes(model, balanced(layers, parts));
  std::string text = "write the stages out, for example:";
  for (size_t i = 0; i < cut.size() && i < 64; ++i) {
    text += fmt::format("\n  stage {} = ", i);
    for (size_t k = 0; k < cut[i].size(); ++k) {
      const Unit& unit = model.units[cut[i][k].unit];
      text += fmt::format("{}{}", k ? ", " : "", unit.name.view());
      if (unit.repeat && cut[i][k].hi - cut[i][k].lo < unit.count)
        text += fmt::format("[{}:{}]", cut[i][k].lo, cut[i][k].hi);
    }
  }
  return text;
}

// ---- stage lines -------------------------------------------------------------

std::string pieceName(const Model& model, const Piece& p) {
  const Unit& unit = model.units[p.unit];
  return unit.repeat ? fmt::format("{}[{}:{}]", unit.name.view(), p.lo, p.hi) : unit.name.str();
}

/// The piece that a selector of a stage line names, or what is wrong with it.
std::optional<Piece> pieceOf(const Model& model, const Selector& selector, std::string& problem) {
  if (selector.steps.size() == 1 && !selector.steps[0].star)
    for (uint32_t u = 0; u < model.units.size(); ++u) {
      const Unit& unit = model.units[UnitId(u)];
      if (unit.name != selector.steps[0].name) continue;
      const auto& slice = selector.steps[0].slice;
      if (!slice) return Piece{UnitId(u), 0, unit.repeat ? unit.count : 1};
      if (unit.repeat && slice->step == 1) return Piece{UnitId(u), slice->begin, slice->end};
    }
  problem = fmt::format("`{}` is not a top-level layer or a contiguous slice of one", selector.str());
  return std::nullopt;
}

/// Stage lines in order of their index, one selector list each; plain layers that no line names join the neighbouring
/// stage.
std::optional<Cut> cutByLines(const Model& model, const std::vector<StageLine>& lines, int64_t parts,
                              std::string& problem, SourceRange& where) {
  std::vector<const StageLine*> byIndex(static_cast<size_t>(parts));
  for (const StageLine& line : lines) {
    where = line.range;
    if (line.index < 0 || line.index >= parts)
      return problem = fmt::format("stage {} is not one of 0 to {}", line.index, parts - 1), std::nullopt;
    if (byIndex[static_cast<size_t>(line.index)])
      return problem = fmt::format("stage {} is listed twice", line.index), std::nullopt;
    byIndex[static_cast<size_t>(line.index)] = &line;
  }
  Cut cut(static_cast<size_t>(parts));
  uint32_t unit = 0; // the next layer to be covered, and its next instance
  int64_t at = 0;
  for (int64_t i = 0; i < parts; ++i) {
    const StageLine* line = byIndex[static_cast<size_t>(i)];
    if (!line) return problem = fmt::format("stage {} has no line", i), std::nullopt;
    where = line->range;
    for (const Selector& selector : line->selectors) {
      auto piece = pieceOf(model, selector, problem);
      if (!piece) return std::nullopt;
      // Plain layers that no line names: leading ones join the first stage, others the stage before.
      while (unit < piece->unit.index && !model.units[UnitId(unit)].repeat && at == 0) {
        cut[static_cast<size_t>(std::max<int64_t>(0, cut[static_cast<size_t>(i)].empty() && i > 0 ? i - 1 : i))]
            .push_back({UnitId(unit), 0, 1});
        ++unit;
      }
      if (piece->unit.index != unit || piece->lo != at)
        return problem = fmt::format("`{}` of stage {} comes where `{}` is due", pieceName(model, *piece), i,
                                     unit < model.units.size()
                                         ? pieceName(model, {UnitId(unit), at, model.units[UnitId(unit)].count})
                                         : "the end"),
               std::nullopt;
      cut[static_cast<size_t>(i)].push_back(*piece);
      at = piece->hi;
      if (at >= (model.units[UnitId(unit)].repeat ? model.units[UnitId(unit)].count : 1)) ++unit, at = 0;
    }
  }
  for (; unit < model.units.size() && !model.units[UnitId(unit)].repeat && at == 0; ++unit)
    cut.back().push_back({UnitId(unit), 0, 1});
  if (unit < model.units.size())
    return problem = fmt::format("`{}` is on no stage",
                                 pieceName(model, {UnitId(unit), at, model.units[UnitId(unit)].count})),
           std::nullopt;
  return cut;
}

// ---- classes -----------------------------------------------------------------

/// Every sliced selector of the plan that begins with this unit (`*` reaches all repeats).
std::vector<Range> slicesOf(const Plan& plan, Symbol unit) {
  std::vector<Range> slices;
  auto look = [&](const Selector& s) {
    if (s.steps.empty() || !s.steps[0].slice || !(s.steps[0].star || s.steps[0].name == unit)) return;
    if (std::find(slices.begin(), slices.end(), *s.steps[0].slice) == slices.end()) slices.push_back(*s.steps[0].slice);
  };
  for (const PlacementRule& r : plan.placements) look(r.selector);
  for (const StateRule& r : plan.states) look(r.selector);
  for (const Selector& s : plan.recompute) look(s);
  for (const Keep& k : plan.keeps) look(k.selector);
  for (const Selector& s : plan.workload.freeze) look(s);
  return slices;
}

/// Classes of instances, each in ascending order.
using Classes = std::vector<RangeSet>;

/// Instances that lie in the same slices form a class.
Classes classesOf(const Unit& unit, const std::vector<Range>& slices) {
  if (slices.empty()) return {RangeSet{{Range{0, unit.repeat ? unit.count : 1, 1}}}};
  std::map<std::vector<bool>, size_t> classes;
  std::vector<std::vector<int64_t>> members;
  for (int64_t i = 0; i < unit.count; ++i) {
    std::vector<bool> signature;
    for (const Range& r : slices) signature.push_back(r.contains(i));
    auto [it, fresh] = classes.try_emplace(signature, members.size());
    if (fresh) members.emplace_back();
    members[it->second].push_back(i);
  }
  Classes result;
  for (const auto& m : members) result.push_back(RangeSet::of(m));
  return result;
}

/// The first instance that trains a parameter, if nothing does before it: unlike the later ones it hands no gradient
/// back.
std::optional<int64_t> endOfBackward(const Program& program, UnitId id, const Classes& classes) {
  const Unit& unit = program.model.units[id];
  if (!unit.repeat || !program.plan->workload.train) return std::nullopt;
  const std::vector<bool> handedOn = valuesHandedOnWithGradient(program);
  auto gradient = [&](const Carry& c) {
    return handedOn[c.initial.index] || program.model.values[c.initial].trainable;
  };
  if (std::all_of(unit.carries.begin(), unit.carries.end(), gradient)) return std::nullopt;
  for (const RangeSet& instances : classes) { // by their first instance
    Body body;
    body.unit = id;
    body.instances = instances;
    for (uint32_t i = unit.first.index; i < unit.end.index; ++i)
      for (const Operand& o : program.model.ops[OpId(i)].operands)
        if (program.model.values[o.value].kind == ValueKind::Param && trains(program, body, o.value))
          return instances.ranges.front().begin;
  }
  return std::nullopt;
}

/// Takes one instance, the first of its class, out of it.
void separate(Classes& classes, int64_t instance) {
  for (size_t i = 0; i < classes.size(); ++i) {
    std::vector<Range>& ranges = classes[i].ranges;
    if (ranges.front().begin != instance || classes[i].count() == 1) continue;
    ranges.front().begin += ranges.front().step;
    if (ranges.front().count() == 0) ranges.erase(ranges.begin());
    classes.insert(classes.begin() + static_cast<ptrdiff_t>(i), RangeSet{{Range{instance, instance + 1, 1}}});
    return;
  }
}

bool addBodies(Program& program, UnitId id, DiagnosticEngine& diagnostics) {
  const Unit& unit = program.model.units[id];
  const std::vector<Range> slices = unit.repeat ? slicesOf(*program.plan, unit.name) : std::vector<Range>{};
  if (!slices.empty() && unit.count > kMaxSliced) {
    diagnostics
        .report(TooManyClasses, unit.range, {{"unit", unit.name.str()}, {"count", unit.count}, {"limit", kMaxSliced}})
        .help("leave the slices out, or repeat the layer less often");
    return false;
  }
  Classes classes = classesOf(unit, slices);
  if (const auto first = endOfBackward(program, id, classes)) separate(classes, *first);
  for (RangeSet& instances : classes) {
    Body body;
    body.unit = id;
    body.instances = std::move(instances);
    program.bodies.add(std::move(body));
  }
  return true;
}

void addStages(Program& program, const Cut& cut) {
  const ScheduleShape shape{program.stages, program.chunks, program.microBatches, program.scheduleArguments, {}};
  for (size_t i = 0; i < cut.size(); ++i) {
    VirtualStage stage;
    stage.index = static_cast<int64_t>(i);
    for (int64_t route = 0; route < program.routes; ++route)
      stage.devices.push_back(program.kind->device(shape, route, stage.index));
    for (const Piece& piece : cut[i])
      for (uint32_t b = 0; b < program.bodies.size(); ++b) {
        const Body& body = program.bodies[BodyId(b)];
        if (body.unit != piece.unit) continue;
        if (const int64_t n = body.instances.countWithin(piece.lo, piece.hi)) stage.bodies.push_back({BodyId(b), n});
      }
    program.virtualStages.push_back(std::move(stage));
  }
}

std::optional<Cut> cutStages(const Program& program, DiagnosticEngine& diagnostics) {
  const Model& model = program.model;
  const int64_t parts = program.stages * program.chunks;
  const Pipeline* pipeline = program.plan->pipeline ? &*program.plan->pipeline : nullptr;
  if (pipeline && !pipeline->stages.empty()) {
    std::string problem;
    SourceRange where = pipeline->range;
    auto cut = cutByLines(model, pipeline->stages, parts, problem, where);
    if (!cut)
      diagnostics.report(StageLines, where, {{"problem", problem}})
          .help(fmt::format("number the stages 0 to {} and list every repeated layer once, in the order of the model",
                            parts - 1));
    return cut;
  }
  const int64_t layers = totalLayers(model);
  if (parts == 1) return cutBySizes(model, {layers});
  const SourceRange where = pipeline ? pipeline->range : program.plan->range;
  if (layers == 0) {
    diagnostics.report(NoLayersToCut, where, {{"stages", program.stages}})
        .help("leave `pipeline` out, or write `stage` lines");
    return std::nullopt;
  }
  if (layers % parts != 0) {
    auto report = diagnostics.report(LayersNotDivisible, where,
                                     {{"layers", layers}, {"stages", program.stages}, {"chunks", program.chunks}});
    for (const Unit& u : model.units)
      if (u.repeat) report.label(u.range, fmt::format("`{}` is repeated {} times here", u.name.view(), u.count));
    report.help(layers >= parts
                    ? suggestion(model, layers, parts)
                    : fmt::format("there are fewer layers than virtual stages: choose at most {} of them", layers));
    return std::nullopt;
  }
  return cutBySizes(model, std::vector<int64_t>(static_cast<size_t>(parts), layers / parts));
}

} // namespace

bool cutUnits(Program& program, DiagnosticEngine& diagnostics) {
  auto cut = cutStages(program, diagnostics);
  if (!cut) return false;
  for (uint32_t u = 0; u < program.model.units.size(); ++u)
    if (!addBodies(program, UnitId(u), diagnostics)) return false;
  addStages(program, *cut);
  return true;
}

} // namespace planc::passes
