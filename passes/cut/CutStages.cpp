// cut-stages: cuts the top-level layers into virtual stages, by stage lines, by counts of layers, or evenly.
// SPDX-License-Identifier: Apache-2.0
#include "passes/cut/CutStages.h"

#include "passes/Steps.h"
#include "passes/backward/Backward.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::passes {
using namespace ir;

PLANC_ERROR(LayersNotDivisible, 711, "{layers} layers are not divisible into {stages} stages x {chunks} chunks")
PLANC_ERROR(StageCounts, 775,
            "`stages` lists {given} numbers for {sum} layers, but {parts} virtual stages hold {layers}")
PLANC_ERROR(CountedTooLarge, 776,
            "`{layer}` counts as {count} layers, but its virtual stage has room for only {room} of {each}")
PLANC_ERROR(StageLines, 712, "the stage lines do not cover the layers once and in order: {problem}")
PLANC_ERROR(TooManyLayers, 840, "the model has too many repeated layers to count")
PLANC_ERROR(NoLayersToCut, 716, "a pipeline over {stages} stages needs a repeated layer to cut, but the model has none")

namespace {

int64_t totalLayers(const Model& model) {
  int64_t total = 0;
  for (const ir::Layer& layer : model.layers)
    if (layer.repeat) total += layer.count;
  return total;
}

/// Returns whether the sum of all layers fits into a number. Reports an error if not.
bool countable(const Model& model, DiagnosticEngine& diagnostics) {
  const ir::Layer* largest = nullptr;
  int64_t total = 0;
  bool good = true;
  for (const ir::Layer& layer : model.layers) {
    if (!layer.repeat) continue;
    if (!largest || layer.count > largest->count) largest = &layer;
    good &= !__builtin_add_overflow(total, layer.count, &total);
  }
  if (good) return true;
  auto report = diagnostics.report(TooManyLayers, largest->range);
  report.help(fmt::format("repeat `{}` fewer times than {}", largest->name.view(), largest->count));
  return false;
}

/// Returns the layers per virtual stage. If they do not divide, the surplus goes to the middle stages, which hold
/// neither embedding nor head.
Indexed<int64_t> balanced(int64_t layers, int64_t parts) {
  Indexed<int64_t> sizes(parts, layers / parts);
  for (int64_t i = 0, left = layers % parts; i < left; ++i) ++sizes[parts > 2 ? 1 + i % (parts - 2) : i % parts];
  return sizes;
}

/// Returns how many layers a layer counts as: a repeat as its instances, a plain layer as the number in the plan, else
/// as 0.
int64_t countOf(const ir::Layer& layer, const Stages* stages) {
  if (layer.repeat) return layer.count;
  if (stages)
    for (const CountedLayer& c : stages->counted)
      if (c.layer == layer.name) return c.count;
  return 0;
}

/// Returns the pieces of the whole model for the given layers per part. Plain layers that count as 0 join the instance
/// that follows them, the last ones the last part. Returns null if a plain layer counts as more than its part has left.
std::optional<Cut> cutBySizes(const Model& model, const Indexed<int64_t>& sizes, const Stages* stages = nullptr,
                              std::pair<LayerId, int64_t>* tooLarge = nullptr) {
  Cut cut(sizes.size());
  size_t part = 0;
  int64_t room = sizes[0];
  auto advance = [&] {
    while (room == 0 && part + 1 < sizes.size()) room = sizes[++part];
  };
  for (uint32_t l = 0; l < model.layers.size(); ++l) {
    const ir::Layer& layer = model.layers[LayerId(l)];
    const int64_t counts = countOf(layer, stages);
    if (!layer.repeat) {
      const bool more = std::any_of(model.layers.begin() + l, model.layers.end(),
                                    [&](const ir::Layer& x) { return countOf(x, stages) > 0; });
      if (more && l > 0) advance();
      if (counts > room) {
        if (tooLarge) *tooLarge = {LayerId(l), room};
        return std::nullopt;
      }
      cut[more ? part : sizes.size() - 1].push_back({LayerId(l), 0, 1});
      room -= counts;
      continue;
    }
    for (int64_t at = layer.from; at < layer.to();) {
      advance();
      const int64_t take = std::min(room, layer.to() - at);
      if (take == 0) break; // cannot happen, because the sizes add up to the layers
      cut[part].push_back({LayerId(l), at, at + take});
      at += take;
      room -= take;
    }
  }
  return cut;
}

/// Returns stage lines to paste: those of a balanced cut if its prices exist, else a cut with balanced counts of
/// layers.
std::string suggestion(const Model& model, const std::vector<StageLine>& offered, int64_t layers, int64_t parts) {
  std::string text = offered.empty() ? "write the stages out, for example:"
                                     : "write the stages out; these have the soonest step of the cuts compared:";
  const auto add = [&](size_t stage, const std::string& layersText) {
    if (stage < 64) text += fmt::format("\n  stage {} = {}", stage, layersText);
  };
  for (const StageLine& line : offered) {
    std::string selectors;
    for (const Selector& s : line.selectors) selectors += (selectors.empty() ? "" : ", ") + s.str();
    add(static_cast<size_t>(line.index), selectors);
  }
  if (!offered.empty()) return text;
  const Cut cut = *cutBySizes(model, balanced(layers, parts));
  for (size_t i = 0; i < cut.size(); ++i) {
    std::string pieces;
    for (const StagePiece& piece : cut[i]) {
      const ir::Layer& layer = model.layers[piece.layer];
      pieces += (pieces.empty() ? "" : ", ") + layer.name.str();
      if (layer.repeat && piece.hi - piece.lo < layer.count) pieces += fmt::format("[{}:{}]", piece.lo, piece.hi);
    }
    add(i, pieces);
  }
  return text;
}

// ---- stage lines -------------------------------------------------------------

std::string pieceName(const Model& model, const StagePiece& p) {
  const ir::Layer& layer = model.layers[p.layer];
  return (layer.repeat ? layer.ref(RangeSet{{Range{p.lo, p.hi, 1}}}) : layer.ref()).str();
}

/// Returns an instance that other lines cut into its parts, among the instances that a selector names whole; null if
/// there is none.
std::optional<int64_t> cutAmong(const Model& model, const LayerStep& step) {
  for (const ir::Layer& layer : model.layers)
    if (layer.isPart() && layer.within == step.name && (!step.slice || step.slice->contains(layer.instance)))
      return layer.instance;
  return std::nullopt;
}

/// Returns the piece of the layer that the last step of a selector names: some instances or all; null if it names
/// another layer.
std::optional<StagePiece> pieceOfLayer(const Model& model, LayerId id, const LayerStep& last) {
  const ir::Layer& layer = model.layers[id];
  if (layer.name != last.name) return std::nullopt;
  if (!last.slice) return StagePiece{id, layer.from, layer.to()};
  if (!layer.repeat || last.slice->ranges.size() != 1) return std::nullopt;
  const Range& slice = last.slice->ranges.front();
  if (slice.step != 1 || slice.begin < layer.from || slice.end > layer.to()) return std::nullopt;
  return StagePiece{id, slice.begin, slice.end};
}

/// Returns the piece that a selector of a stage line names; null, with the problem in `problem`, if it names none.
std::optional<StagePiece> pieceOf(const Model& model, const Selector& selector, std::string& problem) {
  const std::vector<LayerStep>& steps = selector.steps;
  const bool whole = steps.size() == 1;
  if (const auto cut = whole ? cutAmong(model, steps[0]) : std::nullopt) {
    problem = fmt::format("`{}` holds `{}[{}]`, whose parts other selectors name", selector.str(), steps[0].name.view(),
                          *cut);
    return std::nullopt;
  }
  for (uint32_t l = 0; l < model.layers.size(); ++l) {
    const ir::Layer& layer = model.layers[LayerId(l)];
    if (layer.isPart() == whole || (layer.isPart() && instanceCut(selector, layer) != layer.instance)) continue;
    if (const auto piece = pieceOfLayer(model, LayerId(l), steps.back())) return piece;
  }
  problem = steps.size() == 2 ? fmt::format("`{}` is not a part of one instance of a top-level repeat", selector.str())
                              : fmt::format("`{}` is not a top-level layer or a contiguous slice of one, "
                                            "nor a part of an instance",
                                            selector.str());
  return std::nullopt;
}

/// Returns whether lines may leave out the layer: plain layers, but parts of an instance only if they multiply nothing.
bool mayGoAlong(const Model& model, const ir::Layer& layer) {
  if (layer.repeat || !layer.isPart()) return !layer.repeat;
  for (uint32_t i = layer.first.index; i < layer.end.index; ++i)
    if (isProduct(model.ops[OpId(i)].kind)) return false;
  return true;
}

/// Cuts by stage lines, in the order of their index, one selector list each. Plain layers that no line names join the
/// neighbouring stage. Returns null, with the problem and its place, if the lines do not cover the model.
std::optional<Cut> cutByLines(const Model& model, const std::vector<StageLine>& lines, int64_t parts,
                              std::string& problem, SourceRange& where) {
  Indexed<const StageLine*> byIndex(parts);
  for (const StageLine& line : lines) {
    where = line.range;
    if (line.index < 0 || line.index >= parts)
      return problem = fmt::format("stage {} is not one of 0 to {}", line.index, parts - 1), std::nullopt;
    if (byIndex[line.index]) return problem = fmt::format("stage {} is listed twice", line.index), std::nullopt;
    byIndex[line.index] = &line;
  }
  Cut cut(parts);
  LayerId due(0); // the next layer to cover, and its next instance
  int64_t at = 0;
  const auto layer = [&]() -> const ir::Layer& { return model.layers[due]; };
  const auto goesAlong = [&] { return at == layer().from && mayGoAlong(model, layer()); };
  const auto next = [&] {
    if (++due.index < model.layers.size()) at = layer().from;
  };
  for (int64_t i = 0; i < parts; ++i) {
    const StageLine* line = byIndex[i];
    if (!line) return problem = fmt::format("stage {} has no line", i), std::nullopt;
    where = line->range;
    for (const Selector& selector : line->selectors) {
      auto piece = pieceOf(model, selector, problem);
      if (!piece) return std::nullopt;
      // Plain layers that no line names: leading ones join the first stage, others the stage before.
      while (due.index < piece->layer.index && goesAlong()) {
        cut[std::max<int64_t>(0, cut[i].empty() && i > 0 ? i - 1 : i)].push_back({due, 0, 1});
        next();
      }
      if (piece->layer != due || piece->lo != at)
        return problem =
                   fmt::format("stage {1} has `{0}`, but `{2}` is next", pieceName(model, *piece), i,
                               due.index < model.layers.size() ? pieceName(model, {due, at, layer().to()}) : "the end"),
               std::nullopt;
      cut[i].push_back(*piece);
      at = piece->hi;
      if (at >= layer().to()) next();
    }
  }
  for (; due.index < model.layers.size() && goesAlong(); next()) cut.back().push_back({due, 0, 1});
  if (due.index < model.layers.size())
    return problem = fmt::format("`{}` is on no stage", pieceName(model, {due, at, layer().to()})), std::nullopt;
  return cut;
}

/// Cuts by counts, `stages = [7, 8, 8, 7]`.
std::optional<Cut> cutByCounts(const Model& model, const Stages& stages, int64_t parts, DiagnosticEngine& diagnostics) {
  int64_t sum = 0;
  for (int64_t n : stages.counts)
    if (__builtin_add_overflow(sum, n, &sum)) sum = INT64_MAX;
  const int64_t layers = totalLayers(model);
  if (static_cast<int64_t>(stages.counts.size()) == parts && sum == layers) return cutBySizes(model, stages.counts);
  diagnostics
      .report(
          StageCounts, stages.range,
          {{"given", static_cast<int64_t>(stages.counts.size())}, {"sum", sum}, {"parts", parts}, {"layers", layers}})
      .help("give one number of repeated layers for each virtual stage, or write `stages = balanced`");
  return std::nullopt;
}

/// Cuts into equal counts of layers, including the layers that `even` names.
std::optional<Cut> cutEvenly(const ProgramHead& program, const Plan& plan, const Stages* stages, int64_t parts,
                             DiagnosticEngine& diagnostics) {
  const Model& model = program.model;
  const Pipeline* pipeline = plan.pipeline ? &*plan.pipeline : nullptr;
  const SourceRange where = stages ? stages->range : pipeline ? pipeline->range : plan.range;
  int64_t layers = 0;
  for (const ir::Layer& layer : model.layers)
    if (__builtin_add_overflow(layers, countOf(layer, stages), &layers)) layers = INT64_MAX;
  if (layers == 0) {
    diagnostics.report(NoLayersToCut, where, {{"stages", program.stages}})
        .help("remove `pipeline`, or write `stage` lines");
    return std::nullopt;
  }
  std::pair<LayerId, int64_t> tooLarge;
  std::optional<Cut> cut;
  if (layers % parts == 0) cut = cutBySizes(model, Indexed<int64_t>(parts, layers / parts), stages, &tooLarge);
  if (cut) return cut;
  auto report = layers % parts == 0
                    ? diagnostics.report(CountedTooLarge, where,
                                         {{"layer", model.layers[tooLarge.first].name.str()},
                                          {"count", countOf(model.layers[tooLarge.first], stages)},
                                          {"room", tooLarge.second},
                                          {"each", layers / parts}})
                    : diagnostics.report(LayersNotDivisible, where,
                                         {{"layers", layers}, {"stages", program.stages}, {"chunks", program.chunks}});
  for (const ir::Layer& layer : model.layers)
    if (layer.repeat)
      report.label(layer.range, fmt::format("`{}` is repeated {} times here", layer.name.view(), layer.count));
  if (const int64_t own = totalLayers(model); own < parts) {
    report.help(fmt::format("there are fewer layers than virtual stages: use at most {} virtual stages", own));
    if (layers > own)
      report.help(fmt::format("or let `even(…)` count {} more layers than the {} there are: one for each virtual stage",
                              parts - own, own));
    return std::nullopt;
  }
  report.help("write `stages = balanced` to cut them by their work");
  report.help(suggestion(model, pipeline ? pipeline->offered : std::vector<StageLine>{}, totalLayers(model), parts));
  return std::nullopt;
}

} // namespace

std::optional<int64_t> instanceCut(const Selector& selector, const ir::Layer& layer) {
  const std::vector<LayerStep>& steps = selector.steps;
  if (steps.size() != 2 || steps[0].star || steps[1].star) return std::nullopt;
  if (!(layer.isPart() ? layer.within == steps[0].name : layer.repeat && layer.name == steps[0].name))
    return std::nullopt;
  const RangeSet instances = steps[0].slice.value_or(RangeSet{{Range{0, layer.wholeCount(), 1}}});
  return instances.count() == 1 ? std::optional(instances.ranges.front().begin) : std::nullopt;
}

std::optional<Cut> cutOf(const ProgramHead& program, DiagnosticEngine& diagnostics) {
  const Model& model = program.model;
  const Plan& plan = *program.plan;
  if (!countable(model, diagnostics)) return std::nullopt;
  const int64_t parts = program.stages * program.chunks;
  const Pipeline* pipeline = plan.pipeline && parts > 1 ? &*plan.pipeline : nullptr; // one stage holds all layers
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
  const Stages* stages = pipeline && pipeline->cut ? &*pipeline->cut : nullptr;
  if (stages && stages->cut == StageCut::Counts) return cutByCounts(model, *stages, parts, diagnostics);
  if (parts == 1) return cutBySizes(model, {totalLayers(model)});
  const auto plain =
      std::count_if(model.layers.begin(), model.layers.end(), [](const ir::Layer& layer) { return !layer.repeat; });
  if (stages && stages->cut == StageCut::Balanced && totalLayers(model) >= parts - plain)
    return cutBySizes(model, balanced(totalLayers(model), parts)); // until its layers are priced
  return cutEvenly(program, plan, stages, parts, diagnostics);
}

bool cutStages(ProgramHead& program, DiagnosticEngine& diagnostics) {
  const auto cut = cutOf(program, diagnostics);
  if (!cut) return false;
  StageRuns runs = addStages(program, *cut);
  for (uint32_t c = 0; c < program.classCount(); ++c)
    if (program.head(LayerClassId(c)).boundaryReshard) runBoundaryReshard(program, LayerClassId(c), runs);
  setRuns(program, runs);
  return true;
}

} // namespace planc::passes
