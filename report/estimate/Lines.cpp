// Rows of an estimate folded to lines: parts of the step, kinds of stages, collectives. Layers are in LayerLines.cpp.
// SPDX-License-Identifier: Apache-2.0
#include "report/estimate/Lines.h"

#include "backends/verdict/Contributors.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

namespace planc::report {

double withoutResidue(double seconds, double whole) {
  constexpr double kResidue = 1e-12; // share of a step below which a sum is rounding error
  return std::abs(seconds) > kResidue * whole ? seconds : 0;
}

std::vector<StepPart> stepParts(const cost::Estimate& e) {
  /// In the order of the report. A part that is optional has a line if it is more than rounding.
  struct Shown {
    std::string_view metric;
    bool optional = false;
  };
  constexpr Shown kShown[] = {{"compute"},  {"slowed", true},      {"launches", true},         {"comm.exposed"},
                              {"bubble"},   {"bubble.even", true}, {"bubble.imbalance", true}, {"optimizer"},
                              {"overhead"}, {"straggler"}};
  const double step = e.totals.stepTime;
  const bool uneven = withoutResidue(e.totals.bubbleImbalance, step) > 0;
  std::vector<StepPart> parts;
  for (const Shown& shown : kShown) {
    const verdict::Metric& metric = *verdict::findMetric(shown.metric);
    const bool inside = metric.whole.name != "step_time";
    const std::optional<double> seconds = metric.read(e);
    if (seconds && (!inside || uneven) && (!shown.optional || withoutResidue(*seconds, step) > 0))
      parts.push_back({std::string(metric.label), *seconds, inside});
  }
  return parts;
}

bool recomputes(const cost::Estimate& e) {
  return std::any_of(e.layers.begin(), e.layers.end(), [](const cost::LayerRow& row) { return row.recompute > 0; });
}

std::string criticalText(const cost::Estimate& e) {
  if (e.stages.size() < 2) return {};
  const cost::Totals& t = e.totals;
  constexpr double kEqual = 0.005; // smaller differences do not show in the report's digits
  const std::string stage = fmt::format("stage {}", verdict::criticalStage(e));
  if (t.meanWork <= 0 || t.work <= t.meanWork * (1 + kEqual)) return stage + ", no stage works longer";
  return fmt::format("{}, the heaviest: it works {}, {:.0f} % more than the mean of the stages", stage,
                     formatQuantity(t.work, units::time), 100 * (t.work / t.meanWork - 1));
}

const std::vector<StageColumn>& stageColumns() {
  using cost::StageRow;
  static const std::vector<StageColumn> kColumns = {
      {"computing", &StageRow::computing, "operators, each as long as it takes alone"},
      {"slowed", &StageRow::slowed, "by communication"},
      {"launches", &StageRow::launches, "waits for the host"},
      {"communicating", &StageRow::communicating, "waits for communication"},
      {"idle", &StageRow::idle, "waits for other stages, both ends of the step included"}};
  return kColumns;
}

std::vector<StageLine> stageLines(const cost::Estimate& e) {
  std::vector<StageLine> lines;
  for (const cost::StageRow& row : e.stages) {
    auto line =
        std::find_if(lines.begin(), lines.end(), [&](const StageLine& l) { return l.rows.front()->kind == row.kind; });
    if (line == lines.end()) line = lines.insert(lines.end(), StageLine());
    line->stages.push_back(row.stage);
    line->rows.push_back(&row);
  }
  return lines;
}

namespace {

/// Returns the number of a kind of stages; `1.2 s to 1.3 s` if they differ.
std::string ofKind(const StageLine& line, double cost::StageRow::*number) {
  auto [least, most] = std::minmax_element(line.rows.begin(), line.rows.end(),
                                           [&](const auto* a, const auto* b) { return a->*number < b->*number; });
  auto text = [&](const cost::StageRow& row) {
    const double whole = row.computing + row.slowed + row.launches + row.communicating + row.idle;
    return cell(withoutResidue(row.*number, whole), units::time);
  };
  const std::string low = text(**least), high = text(**most);
  return low == high ? low : low + " to " + high;
}

} // namespace

Table stageTable(const std::vector<StageLine>& lines, int64_t critical) {
  Table table{"lrrrrrl"};
  std::vector<std::string> head = {"stages"};
  for (const StageColumn& c : stageColumns()) head.emplace_back(c.label);
  head.emplace_back("");
  table.head(head);
  for (const StageLine& line : lines) {
    std::vector<StyledText> cells = {rangesText(line.stages)};
    for (const StageColumn& c : stageColumns()) cells.emplace_back(ofKind(line, c.seconds));
    const bool has = std::find(line.stages.begin(), line.stages.end(), critical) != line.stages.end();
    cells.emplace_back(has ? (line.stages.size() > 1 ? fmt::format("critical: {}", critical) : "critical") : "");
    table.add(std::move(cells));
  }
  return table;
}

std::string dashed(std::string_view text) {
  std::string out(text);
  std::replace(out.begin(), out.end(), '_', '-');
  return out;
}

std::string CollectiveLine::name() const {
  std::string text = dashed(row().op);
  for (std::string_view word : {ir::name(row().cls), std::string_view(row().axis), std::string_view(row().level)})
    if (!word.empty()) text += fmt::format(" {}", word);
  return text;
}

std::vector<CollectiveLine> collectiveLines(const cost::Estimate& e) {
  std::vector<CollectiveLine> lines;
  const int64_t critical = verdict::criticalStage(e);
  for (const cost::CollectiveRow& row : e.collectives) {
    if (row.stage != critical) continue;
    auto line = std::find_if(lines.begin(), lines.end(), [&](const CollectiveLine& l) {
      const cost::CollectiveRow& r = l.row();
      return r.op == row.op && r.cls == row.cls && r.axis == row.axis && r.level == row.level && r.group == row.group;
    });
    if (line == lines.end()) line = lines.insert(lines.end(), CollectiveLine{{}, 0, 0, 0, row.bytes, row.bytes});
    line->rows.push_back(&row);
    line->count += row.count;
    line->seconds += row.count * row.seconds;
    line->onPath += row.onPath;
    line->least = std::min(line->least, row.bytes);
    line->most = std::max(line->most, row.bytes);
  }
  for (CollectiveLine& line : lines) // the longest row comes first and gives the line its limit
    std::stable_sort(line.rows.begin(), line.rows.end(),
                     [](const auto* a, const auto* b) { return a->count * a->seconds > b->count * b->seconds; });
  std::stable_sort(lines.begin(), lines.end(), [](const CollectiveLine& a, const CollectiveLine& b) {
    return std::pair(a.onPath, a.seconds) > std::pair(b.onPath, b.seconds);
  });
  return lines;
}

std::vector<CutLine> cutLines(const ir::Program& program) {
  std::vector<CutLine> lines;
  size_t first = 0;
  for (size_t vs = 0; vs < program.virtualStages.size(); ++vs) {
    std::vector<std::pair<ir::LayerId, int64_t>> held;
    for (const auto& [id, count] : program.kindOf(vs).classes) {
      const ir::LayerClass& layerClass = program.classes[id];
      if (layerClass.boundaryReshard) continue;
      if (held.empty() || held.back().first != layerClass.layer) held.emplace_back(layerClass.layer, 0);
      held.back().second += count;
    }
    std::string layers;
    for (const auto& [unit, count] : held) {
      layers += fmt::format("{}{}", layers.empty() ? "" : ", ", program.model->layers[unit].ref().str());
      if (program.model->layers[unit].repeat) layers += fmt::format(" x{}", count);
    }
    if (lines.empty() || lines.back().layers != layers) {
      lines.push_back({fmt::format("{}", vs), layers});
      first = vs;
    } else {
      lines.back().stages = fmt::format("{}-{}", first, vs);
    }
  }
  return lines;
}

bool isBalanced(const ir::Plan& plan) {
  return plan.pipeline && plan.pipeline->cut && plan.pipeline->cut->cut == ir::StageCut::Balanced &&
         !plan.pipeline->stages.empty();
}

} // namespace planc::report
