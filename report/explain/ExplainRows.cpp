// Explains rows of stages and collectives layer by layer.
// SPDX-License-Identifier: Apache-2.0
#include "backends/verdict/Contributors.h"
#include "report/estimate/Lines.h"
#include "report/explain/Explain.h"
#include "report/explain/ExplainParts.h"

#include <algorithm>
#include <fmt/core.h>
#include <sstream>

namespace planc::report {
namespace {

/// Returns whether all requested words are among the words of the row as the table prints them.
bool named(const CollectiveLine& line, const std::vector<std::string>& asked) {
  const cost::CollectiveRow& row = line.row();
  const std::vector<std::string> words = {dashed(row.op), std::string(ir::name(row.cls)), row.axis, row.level};
  return !asked.empty() && std::all_of(asked.begin(), asked.end(), [&](const std::string& word) {
    return std::find(words.begin(), words.end(), dashed(word)) != words.end();
  });
}

void collectiveLine(ExplainPage& page, const ExplainInput& input, const CollectiveLine& line) {
  const cost::Estimate& e = *input.report->estimate;
  page.number(line.name(), timeText(line.seconds),
              fmt::format("in {} collectives of a step{}, of which the device waits {}", countText(line.count),
                          e.stages.size() > 1 ? fmt::format(" of stage {}", verdict::criticalStage(e)) : "",
                          timeText(line.onPath)));
  page.fact("limit", line.row().limit);
  Table table{"llrrrrr"};
  table.head({"layer", "phase", "count", "bytes", "one", "time", "exposed"});
  constexpr size_t kMost = 20;
  const size_t shown = page.options().allLayers ? line.rows.size() : std::min(kMost, line.rows.size());
  for (size_t i = 0; i < shown; ++i) {
    const cost::CollectiveRow& row = *line.rows[i];
    table.add({row.layer.str(), std::string(ir::name(row.phase)), countText(row.count), cell(row.bytes, units::bytes),
               cell(row.seconds, units::time), cell(row.count * row.seconds, units::time),
               cell(row.onPath, units::time)});
  }
  page.table(table);
  if (shown < line.rows.size()) page.line(fmt::format("{} more with --all", line.rows.size() - shown), 2);
  page.fact("because", page.quote(line.row().because));
  // A transfer between stages moves a value, which has no page of its own.
  if (hasPage(input, line.row().layer))
    page.fact("equation", fmt::format("`planc explain FILE {}`", line.row().layer.str()));
}

} // namespace

bool explainStage(ExplainPage& page, const ExplainInput& input, int64_t stage) {
  const cost::Estimate& e = *input.report->estimate;
  const auto row = std::find_if(e.stages.begin(), e.stages.end(), [&](const auto& s) { return s.stage == stage; });
  if (row == e.stages.end()) return false;
  const double sum = row->computing + row->slowed + row->launches + row->communicating + row->idle;
  page.number(fmt::format("stage {}", stage), timeText(sum),
              fmt::format("of a step of {}; the rest is optimizer and overhead", timeText(e.totals.stepTime)));
  SumTable table(page, units::time);
  for (const StageColumn& c : stageColumns()) table.add(std::string(c.label), (*row).*c.seconds, std::string(c.about));
  table.write(sum);
  page.line("critical is " + (e.stages.size() > 1 ? criticalText(e) : "the only stage"), 2);
  std::vector<LayerLine> lines = layerLines(e, LayerOrder::Model, true);
  std::erase_if(lines, [&](const LayerLine& line) { return line.row().stage != stage; });
  page.gap();
  page.table(layerTable(lines, e.totals, false));
  for (const cost::StageMemory& m : e.memory.stages)
    if (m.stage == stage) page.fact("memory", fmt::format("{} at its fullest", formatQuantity(m.peak, units::bytes)));
  return true;
}

bool explainStageColumn(ExplainPage& page, const ExplainInput& input, std::string_view name,
                        std::optional<int64_t> stage) {
  const auto column =
      std::find_if(stageColumns().begin(), stageColumns().end(), [&](const StageColumn& c) { return c.label == name; });
  const cost::Estimate& e = *input.report->estimate;
  const int64_t wanted = stage.value_or(verdict::criticalStage(e));
  const auto row = std::find_if(e.stages.begin(), e.stages.end(), [&](const auto& s) { return s.stage == wanted; });
  if (column == stageColumns().end() || row == e.stages.end()) return false;
  page.number(stage ? fmt::format("stage {} {}", wanted, name) : std::string(name), timeText((*row).*column->seconds),
              e.stages.size() > 1 ? fmt::format("of a step of stage {}: {}", wanted, column->about)
                                  : fmt::format("of a step: {}", column->about));
  if (column->seconds == &cost::StageRow::idle && e.stages.size() < 2)
    page.line("there is only one stage, so no stage waits for another", 2);
  if (!stage && e.stages.size() > 1) page.table(stageTable(stageLines(e), wanted));
  if (wanted != verdict::criticalStage(e)) return true; // only the critical stage has the layers' parts of the step
  struct OfLayers {
    double cost::StageRow::*stage;
    double cost::LayerRow::*layer;
  };
  constexpr OfLayers kLayers[] = {{&cost::StageRow::computing, &cost::LayerRow::onPath},
                                  {&cost::StageRow::slowed, &cost::LayerRow::slowed},
                                  {&cost::StageRow::launches, &cost::LayerRow::launches}};
  for (const OfLayers& of : kLayers) {
    if (of.stage != column->seconds) continue;
    SumTable table(page, units::time);
    for (const cost::LayerRow& layer : e.layers) table.add(layer.layer.str(), layer.*of.layer);
    table.write((*row).*column->seconds);
  }
  if (column->seconds != &cost::StageRow::communicating) return true;
  SumTable table(page, units::time);
  for (const CollectiveLine& line : collectiveLines(e)) table.add(line.name(), line.onPath);
  table.write((*row).*column->seconds);
  return true;
}

bool explainCollectives(ExplainPage& page, const ExplainInput& input, const std::string& what) {
  std::istringstream in(what);
  std::vector<std::string> asked;
  for (std::string word; in >> word;) asked.push_back(word);
  bool any = false;
  for (const CollectiveLine& line : collectiveLines(*input.report->estimate)) {
    if (!named(line, asked)) continue;
    if (any) page.gap();
    any = true;
    collectiveLine(page, input, line);
  }
  return any;
}

} // namespace planc::report
