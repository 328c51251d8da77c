// What can be explained, by name: the table of the report's numbers, and its rows.
// SPDX-License-Identifier: Apache-2.0
#include "report/explain/Explain.h"

#include "report/estimate/Lines.h"
#include "report/estimate/RunParts.h"
#include "report/estimate/TextParts.h"
#include "report/explain/ExplainParts.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/core.h>

namespace planc::report {
namespace {

/// Numbers that are explained together: the label of the report first, then the metrics of the language and what people
/// say.
struct Topic {
  std::vector<std::string_view> names;
  Explanation explain;
  bool ofRun = false; ///< there only where the plan says a run
};

/// The explanation of one part of a run's time.
template <size_t part> void explainPart(ExplainPage& page, const ExplainInput& input) {
  explainRunPart(page, input, runParts()[part].label);
}

const std::vector<Topic>& topics() {
  static const std::vector<Topic> table = {
      {{"step time", "step_time", "step_time.low", "step_time.high"}, explainStep},
      {{"compute"}, explainCompute},
      {{"slowed by communication", "slowed"}, explainSlowed},
      {{"host launches", "launches"}, explainLaunches},
      {{"exposed communication", "comm.exposed", "exposed"}, explainExposed},
      {{"communication", "comm.total", "comm"}, explainCommunication},
      {{"pipeline bubble", "bubble", "bubble.even", "bubble.imbalance", "equal stages", "imbalance"}, explainBubble},
      {{"stages", "balanced"}, explainStages},
      {{"optimizer"}, explainOptimizer},
      {{"overhead"}, explainOverhead},
      {{"straggler"}, explainStraggler},
      {{"tokens", "tokens_per_second", "tokens_per_second.low", "tokens_per_second.high",
        "tokens_per_second_per_device"},
       explainTokens},
      {{"samples", "samples_per_second", "samples_per_second.low", "samples_per_second.high"}, explainSamples},
      {{"model FLOPs", "model_rate", "MFU", "mfu", "mfu.low", "mfu.high"}, explainModelFlops},
      {{kCausalRate, "model_rate_causal", "mfu_causal"}, explainCausalFlops},
      {{kExecutedRate, kRecomputedRate, "hardware_rate", "HFU", "hfu"}, explainHardwareFlops},
      {{"device-hours", "device_hours", "device_hours.low", "device_hours.high", "device_hours.per_1t_tokens"},
       explainDeviceHours},
      {{"cost", "cost.low", "cost.high", "cost.per_1t_tokens"}, explainCost},
      {{"energy", "energy.low", "energy.high", "energy.per_1t_tokens"}, explainEnergy},
      {{"memory", "memory.peak", "memory.capacity", "memory.fits", "memory.params", "memory.grads", "memory.optimizer",
        "memory.activations", "memory.buffers", "peak", "grads", "activations", "buffers"},
       explainMemory},
      {{"the allocator holds", "memory.pool"}, explainPool},
      {{"sure to fit", "memory.fits_probability"}, explainFits},
      {{"recompute"}, explainRecompute},
      {{"parameters", "params", "params.active"}, explainParameters},
      {{"micro-batches", "micro_batches"}, explainMicroBatches},
      {{"run", "run time", "run.days", "run.days.low", "run.days.high"}, explainRunTime, true},
      {{"productive", "run.productive"}, explainPart<0>, true},
      {{"checkpointing", "run.checkpointing"}, explainPart<1>, true},
      {{"lost", "run.lost"}, explainPart<2>, true},
      {{"restarting", "run.restarting"}, explainPart<3>, true},
      {{"not running", "run.unused"}, explainPart<4>, true},
      {{"goodput", "run.goodput"}, explainGoodput, true},
      {{"failures", "run.failures", "run.job_mtbf"}, explainFailures, true},
      {{"checkpoints", "run.checkpoints", "run.every", "run.checkpoint", "run.checkpoint_bytes"},
       explainCheckpoints,
       true},
      {{"steps", "run.steps"}, explainRunSteps, true},
      {{"run device-hours", "run.device_hours", "run.device_hours.low", "run.device_hours.high"},
       explainRunDeviceHours,
       true},
      {{"run cost", "run.cost", "run.cost.low", "run.cost.high"}, explainRunCost, true},
      {{"run energy", "run.energy", "run.energy.low", "run.energy.high"}, explainRunEnergy, true},
      {{"run carbon", "carbon", "run.emissions", "run.emissions.low", "run.emissions.high"}, explainRunCarbon, true},
  };
  return table;
}

const Topic* topicOf(std::string_view name, const PlanReport& report) {
  for (const Topic& topic : topics())
    if ((!topic.ofRun || report.estimate->run) &&
        std::find(topic.names.begin(), topic.names.end(), name) != topic.names.end())
      return &topic;
  return nullptr;
}

/// `stage 3`; of the stages that a line of the report is about, `stage 1-2`, the first; behind it a column, `idle`.
struct StageName {
  int64_t stage = 0;
  std::string_view column;
};
std::optional<StageName> stageOf(std::string_view name) {
  constexpr std::string_view kWord = "stage ";
  if (!name.starts_with(kWord)) return {};
  name.remove_prefix(kWord.size());
  const size_t blank = name.find(' ');
  StageName out;
  if (blank != std::string_view::npos) out.column = name.substr(blank + 1);
  name = name.substr(0, blank);
  auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), out.stage);
  const bool more = end != name.data() + name.size();
  if (error != std::errc() || (more && *end != '-' && *end != ',')) return {};
  return out;
}

/// `step_time.high`: an end of the interval, before the page of the number itself.
bool explainEnd(ExplainPage& page, const ExplainInput& input, const std::string& what) {
  const size_t dot = what.rfind('.');
  const verdict::Metric *end = verdict::findMetric(what), *middle = verdict::findMetric(what.substr(0, dot));
  const bool low = what.ends_with(".low");
  if (!end || !middle || !(low || what.ends_with(".high"))) return false;
  const cost::Estimate& e = *input.report->estimate;
  const std::optional<double> value = end->read(e), base = middle->read(e);
  auto text = [&](double v) { return end->unit.plain() ? percentText(v) : formatQuantity(v, end->unit); };
  page.number(what, value ? text(*value) : "-",
              value ? fmt::format("the {} end of the {:.0f} % interval", low ? "lower" : "upper",
                                  100 * e.totals.confidence.coverage)
                    : "no interval: the stack gives no `accuracy`");
  if (!value || !base || *base == 0) return true;
  const cost::Totals& t = e.totals;
  const double multiple = low ? t.confidence.low : t.confidence.high;
  const bool grows = std::abs(*value / *base / multiple - 1) < 1e-9; // with the step time; a rate does not
  if (what.starts_with("run."))
    page.fact("run", fmt::format("at a step time of {} in place of {}",
                                 formatQuantity(low ? *t.stepTimeLow() : *t.stepTimeHigh(), units::time),
                                 formatQuantity(t.stepTime, units::time)));
  else
    page.equation(fmt::format("{} {} multiple", what.substr(0, dot), grows ? "·" : "/"),
                  fmt::format("{} {} {:.4g} = {}", text(*base), grows ? "·" : "/",
                              grows ? *value / *base : *base / *value, text(*value)));
  page.fact("multiple", fmt::format("of the step time: {:.4g} at the lower end, {:.4g} at the upper one",
                                    t.confidence.low, t.confidence.high));
  return true;
}

} // namespace

std::vector<std::string> explainable(const PlanReport& report) {
  std::vector<std::string> names;
  auto add = [&](std::string name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  };
  for (const Topic& topic : topics())
    if (!topic.ofRun || report.estimate->run)
      for (std::string_view name : topic.names) add(std::string(name));
  const cost::Estimate& e = *report.estimate;
  for (const auto& [key, value] : headingRows(report)) add(key);
  for (const StageColumn& column : stageColumns()) add(std::string(column.label));
  for (const cost::StageMemory& s : e.memory.stages)
    if (s.stage == e.memory.fullest)
      for (const cost::LiveBytes& l : s.live) add(l.what);
  for (const cost::LayerRow& row : e.layers) add(row.layer.str());
  for (const cost::StageRow& row : e.stages) add(fmt::format("stage {}", row.stage));
  for (const CollectiveLine& line : collectiveLines(e)) add(line.name());
  for (std::string& path : modelPaths(*report.plan->model)) add(std::move(path));
  return names;
}

std::optional<std::string> explain(const ExplainInput& input, const std::string& what, const SourceManager& sources,
                                   const TextOptions& options) {
  ExplainPage page(sources, options);
  bool any = false;
  // A layer may be called as a number is, and a number as a column: each has its page.
  auto add = [&](auto write) {
    ExplainPage part(sources, options);
    if (!write(part)) return;
    if (any) page.line("");
    page.append(part);
    any = true;
  };
  const std::optional<StageName> stage = stageOf(what);
  add([&](ExplainPage& p) { return explainEnd(p, input, what); });
  add([&](ExplainPage& p) {
    const Topic* topic = topicOf(what, *input.report);
    if (topic) topic->explain(p, input);
    return topic != nullptr;
  });
  add([&](ExplainPage& p) { return explainHeading(p, input, what); });
  if (!any) add([&](ExplainPage& p) { return explainStageColumn(p, input, what, std::nullopt); });
  if (stage && stage->column.empty()) add([&](ExplainPage& p) { return explainStage(p, input, stage->stage); });
  if (stage && !stage->column.empty())
    add([&](ExplainPage& p) { return explainStageColumn(p, input, stage->column, stage->stage); });
  add([&](ExplainPage& p) { return explainLive(p, input, what); });
  add([&](ExplainPage& p) { return explainLayer(p, input, what); });
  if (!any) add([&](ExplainPage& p) { return explainCollectives(p, input, what); });
  return any ? std::optional(page.take()) : std::nullopt;
}

} // namespace planc::report
