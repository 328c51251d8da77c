// The rows of the text report: a line per layer with alike stages folded, and a line per collective of the critical
// stage.
// SPDX-License-Identifier: Apache-2.0
#include "backends/report/Cells.h"
#include "backends/report/TextParts.h"
#include "backends/verdict/Contributors.h"

#include <algorithm>
#include <fmt/core.h>
#include <map>

namespace planc::report {
namespace {

/// Rows of one layer whose printed numbers agree share a line.
struct LayerFold {
  const cost::LayerRow* row = nullptr;
  std::vector<std::string> cells;
  std::vector<int64_t> stages;
};

std::vector<std::string> layerCells(const cost::LayerRow& row) {
  std::vector<std::string> cells = {std::to_string(row.count)};
  for (double seconds : {row.forward, row.backward, row.recompute, row.comm, row.exposed})
    cells.push_back(cell(seconds, units::time));
  cells.push_back(cell(row.activationBytes, units::bytes));
  cells.push_back(cell(row.flops, units::flops));
  cells.push_back(row.params == 0 ? "-" : countText(row.params));
  cells.emplace_back(cost::name(row.bound));
  return cells;
}

std::vector<LayerFold> foldLayers(const std::vector<cost::LayerRow>& rows, bool allLayers) {
  std::vector<LayerFold> folds;
  for (const cost::LayerRow& row : rows) {
    LayerFold fold{&row, layerCells(row), {row.stage}};
    auto alike = std::find_if(folds.begin(), folds.end(), [&](const LayerFold& other) {
      return other.row->path == row.path && other.cells == fold.cells;
    });
    if (allLayers || alike == folds.end())
      folds.push_back(std::move(fold));
    else
      alike->stages.push_back(row.stage);
  }
  // Rows come stage by stage; lines of one layer belong together.
  std::map<std::string, size_t> firstLine;
  for (size_t i = 0; i < folds.size(); ++i) firstLine.emplace(folds[i].row->path, i);
  std::stable_sort(folds.begin(), folds.end(), [&](const LayerFold& a, const LayerFold& b) {
    return firstLine[a.row->path] < firstLine[b.row->path];
  });
  return folds;
}

/// What the rows of one stage add up to in a step.
struct StepSum {
  double forward = 0, backward = 0, recompute = 0, comm = 0, exposed = 0, flops = 0, params = 0;
};
StepSum sumStage(const std::vector<cost::LayerRow>& rows, int64_t stage, double microBatches) {
  StepSum sum;
  for (const cost::LayerRow& row : rows) {
    if (row.stage != stage) continue;
    double times = static_cast<double>(row.count) * microBatches;
    sum.forward += times * row.forward;
    sum.backward += times * row.backward;
    sum.recompute += times * row.recompute;
    sum.comm += times * row.comm;
    sum.exposed += times * row.exposed;
    sum.flops += times * row.flops;
    sum.params += static_cast<double>(row.count) * row.params;
  }
  return sum;
}

std::string dashed(std::string text) {
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

/// Collectives of one kind on one axis, added up over layers and phases.
struct CommLine {
  const cost::CollectiveRow* row = nullptr;
  double count = 0, seconds = 0, exposed = 0, least = 0, most = 0;
  std::vector<std::string> because;
};

std::vector<CommLine> commLines(const cost::Estimate& e, const SourceManager& sources) {
  std::vector<CommLine> lines;
  int64_t critical = verdict::criticalStage(e);
  for (const cost::CollectiveRow& row : e.collectives) {
    if (row.stage != critical) continue;
    auto line = std::find_if(lines.begin(), lines.end(), [&](const CommLine& l) {
      return l.row->op == row.op && l.row->cls == row.cls && l.row->axis == row.axis && l.row->level == row.level &&
             l.row->group == row.group;
    });
    if (line == lines.end()) line = lines.insert(lines.end(), CommLine{&row, 0, 0, 0, row.bytes, row.bytes, {}});
    line->count += row.count;
    line->seconds += row.count * row.seconds;
    line->exposed += row.count * row.exposed;
    line->least = std::min(line->least, row.bytes);
    line->most = std::max(line->most, row.bytes);
    std::string where = row.because.valid() ? sources.where(row.because) : "";
    if (!where.empty() && std::find(line->because.begin(), line->because.end(), where) == line->because.end())
      line->because.push_back(where);
  }
  std::stable_sort(lines.begin(), lines.end(), [](const CommLine& a, const CommLine& b) {
    return std::pair(a.exposed, a.seconds) > std::pair(b.exposed, b.seconds);
  });
  return lines;
}

} // namespace

std::string layersText(const PlanReport& report, const TextOptions& options) {
  const cost::Estimate& e = *report.estimate;
  if (e.layers.empty()) return {};
  bool staged = e.stages.size() > 1;
  Table table(staged ? "llrrrrrrrrrl" : "lrrrrrrrrrl");
  std::vector<StyledText> head = {"layer"};
  if (staged) head.emplace_back("stages");
  for (const char* name :
       {"count", "forward", "backward", "recompute", "comm", "exposed", "memory", "FLOPs", "params", "bound"})
    head.emplace_back(name);
  for (StyledText& h : head) h.style = TextStyle::Gutter;
  table.add(std::move(head));
  for (const LayerFold& fold : foldLayers(e.layers, options.allLayers)) {
    std::vector<StyledText> row = {fold.row->path};
    if (staged) row.emplace_back(rangesText(fold.stages));
    for (const std::string& c : fold.cells) row.emplace_back(c);
    table.add(std::move(row));
  }
  int64_t critical = verdict::criticalStage(e);
  double microBatches = report.program ? static_cast<double>(report.program->passes()) : 1;
  StepSum sum = sumStage(e.layers, critical, microBatches);
  std::vector<StyledText> total = {{"per step", TextStyle::Bold}};
  if (staged) total.emplace_back(std::to_string(critical));
  total.emplace_back("");
  for (double seconds : {sum.forward, sum.backward, sum.recompute, sum.comm, sum.exposed})
    total.emplace_back(cell(seconds, units::time));
  total.emplace_back("");
  total.emplace_back(cell(sum.flops, units::flops));
  total.emplace_back(countText(sum.params));
  table.add(std::move(total));
  TextCells line;
  line.put(line.put(0, "layers", TextStyle::Bold), ", one instance, one micro-batch, one device");
  return line.str(options.color) + "\n" + table.str(options.color);
}

std::string communicationText(const PlanReport& report, const SourceManager& sources, const TextOptions& options) {
  const cost::Estimate& e = *report.estimate;
  std::vector<CommLine> lines = commLines(e, sources);
  if (lines.empty()) return {};
  Table table("lllrlrrrrl");
  std::vector<StyledText> head;
  for (const char* name :
       {"collective", "class", "axis", "ranks", "level", "count", "bytes of one", "time", "exposed", "because"})
    head.emplace_back(name, TextStyle::Gutter);
  table.add(std::move(head));
  for (const CommLine& line : lines) {
    const cost::CollectiveRow& row = *line.row;
    std::string bytes =
        line.least == line.most ? cell(line.most, units::bytes) : "up to " + cell(line.most, units::bytes);
    std::string because = line.because.empty() ? "" : line.because[0];
    if (line.because.size() > 1) because += fmt::format(" and {} more", line.because.size() - 1);
    table.add({dashed(row.op), std::string(ir::name(row.cls)), row.axis, std::to_string(row.group), row.level,
               countText(line.count), bytes, cell(line.seconds, units::time), cell(line.exposed, units::time),
               because});
  }
  TextCells line;
  size_t at = line.put(0, "communication", TextStyle::Bold);
  line.put(at, e.stages.size() > 1 ? fmt::format(", one step of a device of stage {}", verdict::criticalStage(e))
                                   : ", one step of a device");
  return line.str(options.color) + "\n" + table.str(options.color);
}

} // namespace planc::report
