// Explains the numbers of a layer: its rows, its operators and collectives in short, and each in full if that fits on a
// screen or everything is requested.
// SPDX-License-Identifier: Apache-2.0
#include "report/estimate/Lines.h"
#include "report/explain/ExplainNodes.h"
#include "report/explain/ExplainParts.h"

#include <algorithm>
#include <fmt/core.h>

namespace planc::report {
namespace {

/// Lines of a screen; longer explanations are shortened.
constexpr size_t kScreen = 50;
/// Lines around the operators of a class, and the least number of its operators that is worth showing.
constexpr size_t kAround = 3, kFewest = 3;

bool overlaps(const std::optional<ir::RangeSet>& slice, const ir::RangeSet& instances) {
  return !slice || slice->firstCommon(instances);
}

/// Returns the rows with exactly this name; if there are none, the rows whose path begins with the name or the other
/// way round.
std::vector<const cost::LayerRow*> rowsOf(const cost::Estimate& e, const ir::LayerRef& choice) {
  std::vector<const cost::LayerRow*> exact, related;
  for (const cost::LayerRow& row : e.layers) {
    if (row.layer == choice) exact.push_back(&row);
    bool ok = !row.layer.boundary && !choice.boundary;
    for (size_t i = 0; ok && i < std::min(choice.steps.size(), row.layer.steps.size()); ++i) {
      const ir::LayerStep &asked = choice.steps[i], &has = row.layer.steps[i];
      ok = (asked.star || asked.name == has.name) && (!has.slice || overlaps(asked.slice, *has.slice));
    }
    if (ok) related.push_back(&row);
  }
  return exact.empty() ? related : exact;
}

/// Returns the report's lines that hold one of these rows.
std::vector<LayerLine> linesOf(const cost::Estimate& e, const std::vector<const cost::LayerRow*>& rows) {
  std::vector<LayerLine> lines = layerLines(e, LayerOrder::Model, false);
  std::erase_if(lines, [&](const LayerLine& line) {
    return std::none_of(line.rows.begin(), line.rows.end(),
                        [&](const auto* row) { return std::find(rows.begin(), rows.end(), row) != rows.end(); });
  });
  return lines;
}

void heading(ExplainPage& page, const ExplainInput& input, const std::string& what, const ir::LayerRef& choice,
             const std::vector<LayerLine>& lines) {
  const cost::Totals& t = input.report->estimate->totals;
  double seconds = 0;
  for (const LayerLine& line : lines) seconds += line.seconds();
  // A number belongs to the whole row: not to some of its operators, and not to some of its instances.
  const bool whole = std::all_of(lines.begin(), lines.end(), [&](const LayerLine& line) {
    const ir::LayerRef& row = line.row().layer;
    return row.boundary ||
           (row.steps.size() >= choice.steps.size() &&
            std::equal(choice.steps.begin(), choice.steps.end(), row.steps.begin(),
                       [](const auto& asked, const auto& has) { return !asked.slice || asked.slice == has.slice; }));
  });
  if (whole && seconds > 0)
    page.number(what, formatQuantity(seconds, units::time),
                fmt::format("of the step's {} ({}); below for one instance, micro-batch and device:",
                            formatQuantity(t.stepTime, units::time), shareText(seconds / t.stepTime)));
  else
    page.line(what + ", one instance, one micro-batch, one device", 0, TextStyle::Bold);
  if (!lines.empty()) page.table(layerTable(lines, t, input.report->estimate->stages.size() > 1));
}

} // namespace

bool hasPage(const ExplainInput& input, const ir::LayerRef& layer) {
  const auto& rows = input.report->estimate->layers;
  if (std::any_of(rows.begin(), rows.end(), [&](const cost::LayerRow& row) { return row.layer == layer; })) return true;
  const auto& ops = input.report->plan->model->ops;
  return layer == ir::LayerRef::of(layer.names()) &&
         std::any_of(ops.begin(), ops.end(), [&](const ir::Op& op) { return layer.matches(op.path).has_value(); });
}

std::vector<std::string> modelPaths(const ir::Model& model) {
  std::vector<std::string> paths;
  std::set<std::string> seen;
  for (const ir::Op& op : model.ops) {
    std::string path;
    for (const Symbol& step : op.path) {
      path += (path.empty() ? "" : ".") + step.str();
      if (seen.insert(path).second) paths.push_back(path);
    }
  }
  return paths;
}

bool explainLayer(ExplainPage& page, const ExplainInput& input, const std::string& what) {
  const std::optional<ir::LayerRef> choice = ir::parseLayerRef(what);
  if (!choice) return false;
  const ir::Program& program = *input.schedule->program;
  std::vector<ir::LayerClassId> classes;
  const NodePages nodes(input, *choice);
  for (uint32_t i = 0; i < program.classes.size(); ++i) {
    const ir::LayerClass& b = program.classes[ir::LayerClassId(i)];
    const ir::Layer& layer = program.model->layers[b.layer];
    const ir::LayerStep& top = choice->steps.front();
    const bool inside =
        choice->boundary ||
        (layer.has(top) && (!layer.repeated() || b.boundaryReshard || overlaps(top.slice, layer.atTop(b.instances))));
    if (inside && nodes.has(ir::LayerClassId(i))) classes.emplace_back(i);
  }
  const std::vector<const cost::LayerRow*> rows = rowsOf(*input.report->estimate, *choice);
  const bool row = std::any_of(rows.begin(), rows.end(), [&](const auto* r) { return r->layer == *choice; });
  if (classes.empty() && !row) return false;
  heading(page, input, what, *choice, linesOf(*input.report->estimate, rows));
  ExplainPage full(page.sources(), page.options());
  for (ir::LayerClassId id : classes) nodes.inFull(full, id);
  const bool one =
      !row && std::all_of(classes.begin(), classes.end(), [&](ir::LayerClassId id) { return nodes.one(id); });
  if (one || page.options().allLayers || page.lines() + full.lines() <= kScreen) {
    page.append(full);
    return true;
  }
  const size_t last = 1, taken = std::min(page.lines() + last, kScreen), room = kScreen - taken;
  const size_t shown = std::clamp<size_t>(room / (kAround + kFewest), 1, classes.size());
  for (size_t i = 0; i < shown; ++i) nodes.inShort(page, classes[i], std::max(kFewest, room / shown - kAround));
  page.line((shown < classes.size() ? fmt::format("{} more like them; ", classes.size() - shown) : "") +
            "for equations, constants and sources, explain one of the operators, or use --all");
  return true;
}

} // namespace planc::report
