// The rows of an estimate: a line per kind of stage, per layer, and per collective of the critical stage.
// SPDX-License-Identifier: Apache-2.0
#include "backends/verdict/Contributors.h"
#include "report/estimate/EstimateParts.h"
#include "report/estimate/Lines.h"

#include <algorithm>
#include <fmt/core.h>

namespace planc::report {
namespace {

/// Returns ` of stage 15`; empty with one stage.
std::string ofStage(const cost::Estimate& e) {
  return e.stages.size() > 1 ? fmt::format(" of stage {}", verdict::criticalStage(e)) : "";
}

std::string becauseText(const CollectiveLine& line, const SourceManager& sources) {
  std::vector<std::string> places;
  for (const cost::CollectiveRow* row : line.rows) {
    const std::string where = row->because.valid() ? sources.where(row->because) : "";
    if (!where.empty() && std::find(places.begin(), places.end(), where) == places.end()) places.push_back(where);
  }
  if (places.size() > 1) return fmt::format("{} and {} more", places[0], places.size() - 1);
  return places.empty() ? "" : places[0];
}

} // namespace

Page stagesPage(const PlanReport& report) {
  const cost::Estimate& e = *report.estimate;
  if (e.stages.size() < 2) return {};
  return pageOf(Heading{"stages", 3, ", one step of a device, without optimizer and overhead"},
                stageTable(stageLines(e), verdict::criticalStage(e)));
}

Page layersPage(const PlanReport& report, const PageOptions& options) {
  const cost::Estimate& e = *report.estimate;
  if (e.layers.empty()) return {};
  return pageOf(
      Heading{"layers", 3,
              fmt::format(", one step of a device{}; columns from `forward` on are for one instance and micro-batch",
                          ofStage(e))},
      layerTable(layerLines(e, options.order, options.allLayers), e.totals, e.stages.size() > 1));
}

Page communicationPage(const PlanReport& report) {
  const cost::Estimate& e = *report.estimate;
  const std::vector<CollectiveLine> lines = collectiveLines(e);
  if (lines.empty()) return {};
  Table table{"lllrllrrrrl"};
  table.head({"collective", "class", "axis", "ranks", "level", "limit", "count", "bytes of one", "time", "exposed",
              "because"});
  for (const CollectiveLine& line : lines) {
    const cost::CollectiveRow& row = line.row();
    const std::string most = cell(line.most, units::bytes);
    table.add({dashed(row.op), std::string(ir::name(row.cls)), row.axis, std::to_string(row.group), row.level,
               row.limit, countText(line.count), cell(line.least, units::bytes) == most ? most : "up to " + most,
               cell(line.seconds, units::time), cell(line.onPath, units::time), becauseText(line, *report.sources)});
  }
  return pageOf(Heading{"communication", 3, ", one step of a device" + ofStage(e)}, std::move(table));
}

} // namespace planc::report
