// The totals of the text report: the step and its parts, throughput, rates by convention, costs, memory by stage.
// SPDX-License-Identifier: Apache-2.0
#include "backends/report/Cells.h"
#include "backends/report/TextParts.h"

#include <fmt/core.h>
namespace planc::report {
namespace {

const Unit kTokenRate = units::tokens / units::time;
const Unit kSampleRate = units::samples / units::time;

/// `, 90 % interval 11.9 s to 15.2 s, mostly for …`: with what widens it most.
std::string intervalText(const cost::Totals& t) {
  const cost::Confidence& c = t.confidence;
  if (c.coverage <= 0) return ", no interval: the stack gives no `accuracy`";
  std::string text =
      fmt::format(", {:.0f} % interval {} to {}", 100 * c.coverage, formatQuantity(*t.stepTimeLow(), units::time),
                  formatQuantity(*t.stepTimeHigh(), units::time));
  const std::vector<cost::WidthPart> parts = cost::widthParts(c);
  return parts.empty() ? text : text + ", mostly for " + parts.front().what;
}

std::string stepTable(const cost::Totals& t, bool color) {
  Table table("lrr");
  auto share = [&](double value) { return t.stepTime > 0 ? shareText(value / t.stepTime) : "-"; };
  const std::pair<const char*, double> parts[] = {{"compute", t.compute},
                                                  {"exposed communication", t.exposedComm},
                                                  {"slowed by communication", t.slowed},
                                                  {"host launches", t.launches},
                                                  {"pipeline bubble", t.bubble},
                                                  {"optimizer", t.optimizer},
                                                  {"overhead", t.overhead}};
  for (const auto& [name, value] : parts)
    table.add({{name, TextStyle::Gutter}, formatQuantity(value, units::time), share(value)});
  if (t.straggler)
    table.add({{"straggler", TextStyle::Gutter}, formatQuantity(*t.straggler, units::time), share(*t.straggler)});
  std::string head = fmt::format("step time {}", formatQuantity(t.stepTime, units::time));
  TextCells line;
  line.put(line.put(0, head, TextStyle::Bold), intervalText(t));
  return line.str(color) + "\n" + table.str(color);
}

std::string rateTable(const cost::Totals& t, bool color) {
  Table table("lrrl");
  if (t.tokensPerSecond)
    table.add({{"tokens", TextStyle::Gutter},
               formatQuantity(*t.tokensPerSecond, kTokenRate),
               t.tokensPerSecondPerDevice ? formatQuantity(*t.tokensPerSecondPerDevice, kTokenRate) : "-",
               "per device"});
  table.add({{"samples", TextStyle::Gutter}, formatQuantity(t.samplesPerSecond, kSampleRate)});
  struct Rate {
    const char* name;
    double rate, share;
    const char* what;
  };
  const Rate rates[] = {{"model FLOPs", t.modelRate, t.mfu, "MFU"},
                        {"with causal attention halved", t.modelRateCausal, t.mfuCausal, "MFU"},
                        {"with recomputation counted", t.hardwareRate, t.hfu, "HFU"}};
  for (const Rate& r : rates)
    table.add({{r.name, TextStyle::Gutter}, cell(r.rate, units::rate), percentText(r.share), std::string(r.what)});
  return table.str(color);
}

std::string costTable(const cost::Totals& t, bool color) {
  Table table("lrrr");
  auto value = [](const std::optional<double>& v, const Unit& unit, double scale = 1) {
    return v ? formatQuantity(*v * scale, unit) : std::string("-");
  };
  if (!t.deviceHours && !t.cost && !t.energyJoules) return {};
  table.add({{"per step", TextStyle::Gutter},
             value(t.deviceHours, units::deviceTime, 3600),
             value(t.cost, units::money),
             value(t.energyJoules, units::energy)});
  if (t.deviceHoursPer1t || t.costPer1t || t.energyPer1tJoules)
    table.add({{"per 10^12 tokens", TextStyle::Gutter},
               value(t.deviceHoursPer1t, units::deviceTime, 3600),
               value(t.costPer1t, units::money),
               value(t.energyPer1tJoules, units::energy)});
  return table.str(color);
}

/// Stages whose printed numbers agree share a row.
struct StageFold {
  std::vector<std::string> cells;
  std::vector<int64_t> stages;
};

} // namespace

std::string totalsText(const PlanReport& report, const TextOptions& options) {
  const cost::Totals& t = report.estimate->totals;
  std::string costs = costTable(t, options.color);
  return stepTable(t, options.color) + "\n" + rateTable(t, options.color) + (costs.empty() ? "" : "\n" + costs);
}

namespace {

/// When the fullest stage is fullest, and what lives then.
std::string liveText(const cost::StageMemory& s, const TextOptions& options) {
  if (s.live.empty()) return {};
  std::string when = "in the optimizer's step";
  if (s.phase != ir::Phase::Step)
    when = fmt::format("in {} of micro-batch {}, {}", ir::name(s.phase), s.microBatch, s.layer);
  std::string out = fmt::format("fullest {}:\n", when);
  Table table("lrr");
  for (const cost::LiveBytes& l : s.live) table.add({l.what, cell(l.bytes, units::bytes), shareText(l.bytes / s.peak)});
  return out + table.str(options.color);
}

} // namespace

std::string memoryText(const PlanReport& report, const TextOptions& options) {
  const cost::Memory& m = report.estimate->memory;
  TextCells line;
  size_t at = line.put(0, "memory " + formatQuantity(m.peak, units::bytes), TextStyle::Bold);
  line.put(at, fmt::format(" of {} ({}){}", formatQuantity(m.capacity, units::bytes), percentText(m.peak / m.capacity),
                           m.stages.size() > 1 ? fmt::format(" on stage {}", m.fullest) : ""));
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
  Table table("lrrrrrr");
  const auto head = TextStyle::Gutter;
  table.add({{"stages", head},
             {"parameters", head},
             {"gradients", head},
             {"optimizer", head},
             {"activations", head},
             {"buffers", head},
             {"peak", head}});
  for (const StageFold& fold : folds) {
    std::vector<StyledText> row = {rangesText(fold.stages)};
    for (const std::string& c : fold.cells) row.emplace_back(c);
    table.add(std::move(row));
  }
  std::string out = line.str(options.color) + "\n" + (folds.empty() ? "" : table.str(options.color));
  for (const cost::StageMemory& s : m.stages)
    if (s.stage == m.fullest) out += liveText(s, options);
  return out;
}

} // namespace planc::report
