// The totals of an estimate: the step and its parts, throughput, rates by convention, costs, memory by stage.
// SPDX-License-Identifier: Apache-2.0
#include "report/estimate/EstimateParts.h"
#include "report/estimate/Lines.h"
#include "report/tables/Cells.h"

#include <algorithm>
#include <fmt/core.h>
#include <iterator>

namespace planc::report {
namespace {

const Unit kTokenRate = units::tokens / units::time;
const Unit kSampleRate = units::samples / units::time;

/// Returns `, 90 % interval 11.9 s to 15.2 s, mostly for …` with the widest parts.
std::string intervalText(const cost::Totals& t) {
  const cost::Confidence& c = t.confidence;
  if (c.coverage <= 0) return ", no interval: the stack gives no `accuracy`";
  std::string text =
      fmt::format(", {:.0f} % interval {} to {}", 100 * c.coverage, formatQuantity(*t.stepTimeLow(), units::time),
                  formatQuantity(*t.stepTimeHigh(), units::time));
  const std::vector<cost::WidthPart> parts = cost::widthParts(c);
  return parts.empty() ? text : text + ", mostly for " + parts.front().what;
}

Page stepPage(const cost::Estimate& e) {
  const cost::Totals& t = e.totals;
  Page page{Heading{fmt::format("step time {}", formatQuantity(t.stepTime, units::time)), 3, intervalText(t)}};
  if (const std::string critical = criticalText(e); !critical.empty())
    page.push_back(Remark{"critical " + critical, 0});
  Table table{"lrr"};
  for (const StepPart& part : stepParts(e))
    table.add({{(part.inside ? "  " : "") + part.label, TextStyle::Gutter},
               formatQuantity(part.seconds, units::time),
               t.stepTime > 0 ? shareText(part.seconds / t.stepTime) : "-"});
  page.push_back(std::move(table));
  return page;
}

/// Returns `MFU`. If products run in several types, `MFU, of bf16 and fp8`: each type against its own peak.
std::string shareName(const char* what, const cost::Flops& flops) {
  std::string types;
  for (size_t i = 0; flops.types.size() > 1 && i < flops.types.size(); ++i)
    types += fmt::format("{}{}",
                         i == 0                       ? ", of "
                         : i + 1 < flops.types.size() ? ", "
                                                      : " and ",
                         ir::name(flops.types[i].type));
  return what + types;
}

/// Returns the FLOP rates: with masks if there is one, and executed.
Table rateTable(const cost::Estimate& e) {
  const cost::Totals& t = e.totals;
  Table table{"lrrl"};
  if (t.tokensPerSecond)
    table.add({{"tokens", TextStyle::Gutter},
               formatQuantity(*t.tokensPerSecond, kTokenRate),
               t.tokensPerSecondPerDevice ? formatQuantity(*t.tokensPerSecondPerDevice, kTokenRate) : "-",
               "per device"});
  table.add({{"samples", TextStyle::Gutter}, formatQuantity(t.samplesPerSecond, kSampleRate)});
  struct Rate {
    std::string_view name;
    double rate, share;
    std::string what;
  };
  std::vector<Rate> rates{{"model FLOPs", t.modelRate, t.mfu, shareName("MFU", t.modelFlops)}};
  if (t.unmasked < 1)
    rates.push_back(
        {kCausalRate, t.modelRateCausal, t.mfuCausal,
         fmt::format("{}, with {} of attention", shareName("MFU", t.modelFlopsCausal), percentText(t.unmasked))});
  rates.push_back(
      {recomputes(e) ? kRecomputedRate : kExecutedRate, t.hardwareRate, t.hfu, shareName("HFU", t.hardwareFlops)});
  for (const Rate& r : rates)
    table.add({{std::string(r.name), TextStyle::Gutter}, cell(r.rate, units::rate), percentText(r.share), r.what});
  return table;
}

/// Returns the costs of a step and of 10^12 tokens.
Table costTable(const cost::Totals& t) {
  struct Row {
    const char* label;
    const Unit& unit;
    std::optional<double> step, trillion;
    double base; ///< base units per unit of the totals
  };
  const Row rows[] = {{"device-hours", units::deviceTime, t.deviceHours, t.deviceHoursPer1t, 3600},
                      {"cost", units::money, t.cost, t.costPer1t, 1},
                      {"energy", units::energy, t.energyJoules, t.energyPer1tJoules, 1}};
  Table table{"lrlrl"};
  for (const Row& row : rows)
    if (row.step)
      table.add({{row.label, TextStyle::Gutter},
                 formatQuantity(*row.step * row.base, row.unit),
                 "per step",
                 row.trillion ? formatQuantity(*row.trillion * row.base, row.unit) : "",
                 row.trillion ? "per 10^12 tokens" : ""});
  return table;
}

/// A row for stages whose printed numbers agree.
struct StageFold {
  std::vector<std::string> cells;
  std::vector<int64_t> stages;
};

} // namespace

Page totalsPage(const PlanReport& report) {
  Page page = stepPage(*report.estimate);
  addPart(page, pageOf(rateTable(*report.estimate)));
  if (Table costs = costTable(report.estimate->totals); !costs.empty()) addPart(page, pageOf(std::move(costs)));
  return page;
}

namespace {

/// Returns the moment of the fullest stage's peak, and the contents of its memory then.
Page livePage(const cost::StageMemory& s) {
  if (s.live.empty()) return {};
  std::string when = "in the optimizer's step";
  if (s.phase != ir::Phase::Step)
    when = fmt::format("in {} of micro-batch {}, {}", ir::name(s.phase), s.microBatch, runningText(s));
  Table table{"lrr"};
  for (const cost::LiveBytes& l : s.live) table.add({l.what, cell(l.bytes, units::bytes), shareText(l.bytes / s.peak)});
  return pageOf(Remark{fmt::format("fullest {}:", when), 0}, std::move(table));
}

} // namespace

Page memoryPage(const PlanReport& report, const PageOptions& options) {
  const cost::Memory& m = report.estimate->memory;
  std::string about =
      fmt::format(" of {} ({}){}", formatQuantity(m.capacity, units::bytes), percentText(m.peak / m.capacity),
                  m.stages.size() > 1 ? fmt::format(" on stage {}", m.fullest) : "");
  if (m.hostPeak > 0)
    about += fmt::format("; on the host {} of {} ({})", formatQuantity(m.hostPeak, units::bytes),
                         formatQuantity(m.hostCapacity, units::bytes), percentText(m.hostPeak / m.hostCapacity));
  if (m.fitsProbability) about += fmt::format(", {} sure to fit", chanceText(*m.fitsProbability));
  if (m.pool) about += fmt::format("; the allocator holds {}", formatQuantity(*m.pool, units::bytes));
  Page page{Heading{"memory " + formatQuantity(m.peak, units::bytes), 3, about}};
  std::vector<StageFold> folds;
  for (const cost::StageMemory& s : m.stages) {
    StageFold fold{{}, {s.stage}};
    for (double bytes : {s.params, s.grads, s.optimizer, s.activations, s.buffers, s.peak})
      fold.cells.push_back(cell(bytes, units::bytes));
    bool alike = !options.allLayers && !folds.empty() && folds.back().cells == fold.cells;
    if (alike)
      folds.back().stages.push_back(s.stage);
    else
      folds.push_back(std::move(fold));
  }
  Table table{"lrrrrrr"};
  table.head({"stages", "params", "grads", "optimizer", "activations", "buffers", "peak"});
  for (const StageFold& fold : folds) {
    std::vector<StyledText> row = {rangesText(fold.stages)};
    for (const std::string& c : fold.cells) row.emplace_back(c);
    table.add(std::move(row));
  }
  if (!table.empty()) page.push_back(std::move(table));
  for (const cost::StageMemory& s : m.stages)
    if (s.stage == m.fullest) std::ranges::move(livePage(s), std::back_inserter(page));
  return page;
}

Page recomputePage(const PlanReport& report) {
  if (!report.recompute || report.recompute->empty()) return {};
  Table table{"lrr"};
  table.head({"statement", "frees", "costs"});
  for (const RecomputeEffect& e : *report.recompute)
    table.add(
        {shortStatement(e.statement), formatQuantity(e.freed, units::bytes), formatQuantity(e.cost, units::time)});
  return pageOf(Heading{"recompute, each statement compared with the plan without it", 3}, std::move(table));
}

} // namespace planc::report
