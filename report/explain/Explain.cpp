// The table of the numbers and rows of a report that can be explained, by name.
// SPDX-License-Identifier: Apache-2.0
#include "report/explain/Explain.h"

#include "report/estimate/EstimateParts.h"
#include "report/estimate/Lines.h"
#include "report/estimate/RunParts.h"
#include "report/explain/ExplainParts.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/core.h>

namespace planc::report {
namespace {

/// Numbers that are explained together: those with one of these labels, which are names of the topic, too.
struct Topic {
  std::vector<std::string_view> names;
  Explanation explain;
  bool ofRun = false; ///< exists only if the plan states a run

  bool has(std::string_view name) const { return std::find(names.begin(), names.end(), name) != names.end(); }
};

/// Explains one part of a run's time.
template <size_t part> void explainPart(ExplainPage& page, const ExplainInput& input) {
  explainRunPart(page, input, runParts()[part].metric->label);
}

const std::vector<Topic>& topics() {
  static const std::vector<Topic> table = {
      {{"step time"}, explainStep},
      {{"compute"}, explainCompute},
      {{"slowed by communication"}, explainSlowed},
      {{"host launches"}, explainLaunches},
      {{"exposed communication", "exposed"}, explainExposed},
      {{"communication", "comm"}, explainCommunication},
      {{"pipeline bubble", "equal stages", "imbalance"}, explainBubble},
      {{"stages", "balanced"}, explainStages},
      {{"optimizer"}, explainOptimizer},
      {{"overhead"}, explainOverhead},
      {{"straggler"}, explainStraggler},
      {{"tokens"}, explainTokens},
      {{"samples"}, explainSamples},
      {{"model FLOPs", "MFU"}, explainModelFlops},
      {{kCausalRate}, explainCausalFlops},
      {{kExecutedRate, kRecomputedRate, "HFU"}, explainHardwareFlops},
      {{"device-hours"}, explainDeviceHours},
      {{"cost"}, explainCost},
      {{"energy"}, explainEnergy},
      {{"memory", "peak", "grads", "activations", "buffers"}, explainMemory},
      {{"the allocator holds"}, explainPool},
      {{"sure to fit"}, explainFits},
      {{"recompute"}, explainRecompute},
      {{"parameters"}, explainParameters},
      {{"micro-batches", "micro_batches"}, explainMicroBatches},
      {{"run", "run time"}, explainRunTime, true},
      {{"productive"}, explainPart<0>, true},
      {{"checkpointing"}, explainPart<1>, true},
      {{"lost"}, explainPart<2>, true},
      {{"restarting"}, explainPart<3>, true},
      {{"not running"}, explainPart<4>, true},
      {{"goodput"}, explainGoodput, true},
      {{"failures"}, explainFailures, true},
      {{"checkpoints"}, explainCheckpoints, true},
      {{"steps"}, explainRunSteps, true},
      {{"run device-hours"}, explainRunDeviceHours, true},
      {{"run cost"}, explainRunCost, true},
      {{"run energy"}, explainRunEnergy, true},
      {{"run carbon", "carbon"}, explainRunCarbon, true},
  };
  return table;
}

const Topic* topicOf(std::string_view name, const PlanReport& report) {
  const verdict::Metric* metric = verdict::findMetric(name);
  for (const Topic& topic : topics())
    if ((!topic.ofRun || report.estimate->run) && (topic.has(name) || (metric && topic.has(metric->label))))
      return &topic;
  return nullptr;
}

/// A name such as `stage 3`. In a line of several stages, `stage 1-2`, the first one counts. A column may follow:
/// `idle`.
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

/// Explains an end of an interval, `step_time.high`, before the page of the number itself.
bool explainEnd(ExplainPage& page, const ExplainInput& input, const std::string& what) {
  const verdict::Metric* end = verdict::findMetric(what);
  if (!end || end->end == verdict::End::Middle) return false;
  const bool low = end->end == verdict::End::Low;
  const cost::Estimate& e = *input.report->estimate;
  const std::optional<double> value = end->read(e), base = end->middle->read(e);
  auto text = [&](double v) { return end->unit.plain() ? percentText(v) : formatQuantity(v, end->unit); };
  page.number(what, value ? text(*value) : "-",
              value ? fmt::format("the {} end of the {:.0f} % interval", low ? "lower" : "upper",
                                  100 * e.totals.confidence.coverage)
                    : "no interval: the stack gives no `accuracy`");
  if (!value || !base || *base == 0) return true;
  const cost::Totals& t = e.totals;
  const double multiple = low ? t.confidence.low : t.confidence.high;
  const bool grows = std::abs(*value / *base / multiple - 1) < 1e-9; // with the step time; a rate does not grow
  if (end->ofRun)
    page.fact("run", fmt::format("at a step time of {} instead of {}",
                                 formatQuantity(low ? *t.stepTimeLow() : *t.stepTimeHigh(), units::time),
                                 formatQuantity(t.stepTime, units::time)));
  else
    page.equation(fmt::format("{} {} multiple", end->middle->name(), grows ? "·" : "/"),
                  fmt::format("{} {} {:.4g} = {}", text(*base), grows ? "·" : "/",
                              grows ? *value / *base : *base / *value, text(*value)));
  page.fact("multiple", fmt::format("factor on the step time: {:.4g} at the lower end, {:.4g} at the upper end",
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
    if (!topic.ofRun || report.estimate->run) {
      add(std::string(topic.names.front()));
      for (const verdict::Metric* metric : verdict::metrics().rows())
        if (topic.has(metric->label)) add(std::string(metric->name()));
      for (std::string_view name : topic.names) add(std::string(name));
    }
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

std::optional<Page> explain(const ExplainInput& input, const std::string& what, const SourceManager& sources,
                            const PageOptions& options) {
  ExplainPage page(sources, options);
  bool any = false;
  // A layer may have the name of a number, and a number the name of a column. Each has a page of its own.
  auto add = [&](auto write) {
    ExplainPage part(sources, options);
    if (!write(part)) return;
    if (any) page.gap();
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
