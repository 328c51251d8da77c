// The lines of the layers: equal stages folded, in the order of the model or by time, and their table.
// SPDX-License-Identifier: Apache-2.0
#include "backends/verdict/Contributors.h"
#include "report/estimate/Lines.h"

#include <algorithm>
#include <fmt/core.h>
#include <map>

namespace planc::report {
namespace {

/// Returns the cells of one instance and micro-batch. Communication that it waits for has a column of its own.
std::vector<std::string> instanceCells(const cost::LayerRow& row) {
  return {cell(row.forward - row.forwardExposed, units::time), cell(row.backward - row.backwardExposed, units::time),
          cell(row.recompute - row.recomputeExposed, units::time), cell(row.activationBytes, units::bytes),
          row.forward + row.backward + row.recompute > 0 ? std::string(cost::name(row.bound)) : "-"};
}

/// Returns the cells of all instances in a step.
std::vector<std::string> stepCells(const LayerLine& line, double step) {
  if (!line.critical) return {"-", "-", "-", "-", "-"};
  const cost::LayerRow& row = *line.critical;
  auto part = [&](double seconds) { return cell(withoutResidue(seconds, step), units::time); };
  return {part(row.onPath), part(row.exposedOnPath), part(row.slowed), part(row.launches),
          line.seconds() > 0 && step > 0 ? shareText(line.seconds() / step) : std::string("-")};
}

/// Returns `8`, or `2-8` if stages have different numbers of instances.
std::string countCell(const LayerLine& line) {
  auto [least, most] = std::minmax_element(line.rows.begin(), line.rows.end(),
                                           [](const auto* a, const auto* b) { return a->count < b->count; });
  return (*least)->count == (*most)->count ? std::to_string((*most)->count)
                                           : fmt::format("{}-{}", (*least)->count, (*most)->count);
}

std::string stagesCell(const LayerLine& line) {
  std::vector<int64_t> stages;
  for (const cost::LayerRow* row : line.rows) stages.push_back(row->stage);
  return rangesText(stages);
}

/// Sorts the lines, because rows come stage by stage: lines of one layer together, in the order of the model.
void inOrderOfModel(std::vector<LayerLine>& lines) {
  std::map<ir::LayerRef, size_t> first;
  for (size_t i = 0; i < lines.size(); ++i) first.emplace(lines[i].row().layer, i);
  std::stable_sort(lines.begin(), lines.end(),
                   [&](const LayerLine& a, const LayerLine& b) { return first[a.row().layer] < first[b.row().layer]; });
}

} // namespace

double LayerLine::seconds() const {
  return critical ? critical->onPath + critical->exposedOnPath + critical->slowed + critical->launches : 0;
}

std::vector<LayerLine> layerLines(const cost::Estimate& e, LayerOrder order, bool all) {
  std::vector<LayerLine> lines;
  const int64_t critical = verdict::criticalStage(e);
  for (const cost::LayerRow& row : e.layers) {
    std::vector<std::string> cells = instanceCells(row);
    auto alike = std::find_if(lines.begin(), lines.end(),
                              [&](const LayerLine& l) { return l.row().layer == row.layer && l.instance == cells; });
    if (all || alike == lines.end()) alike = lines.insert(lines.end(), LayerLine{.instance = std::move(cells)});
    alike->rows.push_back(&row);
    if (row.stage == critical) alike->critical = &row;
  }
  inOrderOfModel(lines);
  if (order == LayerOrder::Time)
    std::stable_sort(lines.begin(), lines.end(),
                     [](const LayerLine& a, const LayerLine& b) { return a.seconds() > b.seconds(); });
  return lines;
}

Table layerTable(const std::vector<LayerLine>& lines, const cost::Totals& totals, bool staged) {
  std::vector<std::vector<std::string>> rows = {{"layer", "stages", "count", "computing", "exposed", "slowed",
                                                 "launches", "of step", "forward", "backward", "recompute", "memory",
                                                 "bound"}};
  for (const LayerLine& line : lines) {
    rows.push_back({line.row().layer.str(), stagesCell(line), countCell(line)});
    for (const auto& cells : {stepCells(line, totals.stepTime), line.instance})
      rows.back().insert(rows.back().end(), cells.begin(), cells.end());
  }
  std::string align;
  std::vector<bool> shown;
  for (size_t c = 0; c < rows[0].size(); ++c) {
    const bool empty = std::all_of(rows.begin() + 1, rows.end(), [&](const auto& row) { return row[c] == "-"; });
    shown.push_back(c == 1 ? staged : !empty);
    if (shown.back()) align += c < 2 || c + 1 == rows[0].size() ? 'l' : 'r';
  }
  Table table{align};
  for (size_t r = 0; r < rows.size(); ++r) {
    std::vector<std::string> cells;
    for (size_t c = 0; c < shown.size(); ++c)
      if (shown[c]) cells.push_back(std::move(rows[r][c]));
    r == 0 ? table.head(cells) : table.addPlain(cells);
  }
  return table;
}

} // namespace planc::report
