// Plans through all rooms, twice each: the second time with another `unattributed`, which shows how far it moves the
// step.
// SPDX-License-Identifier: Apache-2.0
#include "driver/StepScales.h"

#include "backends/cost/Estimator.h"
#include "calibrate/Scale.h"
#include "driver/Files.h"
#include "driver/Help.h"
#include "driver/Parts.h"
#include "driver/Pipeline.h"
#include "driver/Progress.h"
#include "frontend/format/Format.h"
#include "ir/facts/StackFacts.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace planc::driver {

namespace {

namespace fs = std::filesystem;
using calibrate::StackBase;
using calibrate::StepRun;

/// What a measured line says about the step, given the same line and step under another factor: metrics that rise and
/// fall with the step (step_time, device_hours) or against it (tokens_per_second, mfu) tell its time, others nothing.
/// No metric is known by name here.
std::optional<double> stepBy(const verdict::MeasuredResult& line, const verdict::MeasuredResult& moved, double step,
                             double movedStep) {
  constexpr double kDigits = 1e-9;
  if (!line.known || !moved.known || line.measured <= 0 || line.predicted <= 0 || moved.predicted <= 0)
    return std::nullopt;
  const double metric = moved.predicted / line.predicted, time = movedStep / step;
  if (std::abs(metric / time - 1) < kDigits) return step * line.measured / line.predicted;
  if (std::abs(metric * time - 1) < kDigits) return step * line.predicted / line.measured;
  return std::nullopt;
}

/// Prices a plan and finds how its step moves with its stack's factor; nothing after errors, or without a measurement.
std::optional<StepRun> price(CompiledPlan& plan) {
  if (!plan.checkVerdict()) return std::nullopt;
  if (!plan.plan->stack) {
    cost::reportNoSoftware(*plan.plan, stacksFor(*plan.plan), plan.diagnostics);
    return std::nullopt;
  }
  if (!plan.lower(ir::Level::Comm) || !plan.makeSchedule()) return std::nullopt;
  Step step("pricing");
  plan.estimate = cost::estimate(*plan.schedule, plan.diagnostics);
  if (!plan.estimate || !plan.plan->stack->has(ir::StackFact::Unattributed))
    return std::nullopt;  // its absence was reported
  DiagnosticEngine aside; // what is out of tolerance is what is fitted
  double& factor = plan.plan->stack->number(ir::StackFact::Unattributed)->value;
  StepRun run{plan.plan->title, plan.plan->softwareText, 0, plan.estimate->totals.stepTime, factor, 0, {}, {}};
  plan.results = verdict::evaluate(*plan.plan, *plan.estimate, aside);
  factor *= 2;
  const auto moved = cost::estimate(*plan.schedule, aside);
  factor = run.factor;
  if (!moved || moved->totals.stepTime <= run.predicted) return std::nullopt;
  run.slope = (moved->totals.stepTime - run.predicted) / run.factor;
  const verdict::Results other = verdict::evaluate(*plan.plan, *moved, aside);
  for (size_t i = 0; i < plan.results.measured.size(); ++i) {
    const verdict::MeasuredResult& line = plan.results.measured[i];
    if (const auto step = stepBy(line, other.measured[i], run.predicted, moved->totals.stepTime)) {
      run.measured = *step;
      run.source = line.source;
      run.range = line.range;
      return run;
    }
  }
  return std::nullopt;
}

/// How the stack of a plan is imported: from the library, or from the user's file as the library will stand at
/// `output`.
StackBase baseOf(const ir::Plan& plan, const SourceManager& sources, const std::string& output) {
  const std::string path = sources.path(plan.stack->range.file);
  const std::string name = plan.stack->name.str();
  const bool hasAccuracy = plan.stack->accuracy().has_value();
  fs::path module(path);
  if (path.starts_with("std/")) {
    std::string dotted = module.replace_extension().string();
    std::replace(dotted.begin(), dotted.end(), '/', '.');
    return {plan.softwareText, dotted, fmt::format("{}.{}", module.filename().string(), name), hasAccuracy};
  }
  const fs::path from = fs::absolute(output).parent_path();
  return {plan.softwareText, fmt::format("\"{}\" as base", fs::absolute(module).lexically_relative(from).string()),
          "base." + name, hasAccuracy};
}

/// The stacks in the layout of `planc fmt`.
std::string libraryOf(const std::vector<calibrate::StackScale>& scales, const std::vector<StackBase>& bases,
                      const std::string& path) {
  const std::string text = calibrate::scaleLibrary(scales, bases, fs::path(path).filename().string());
  SourceManager sources;
  DiagnosticEngine diagnostics;
  const FileId file = sources.add("scaled.plan", text);
  return format::formatFile(sources, file, diagnostics).value_or(text);
}

/// What was found and the library, as one object or as a table.
void print(Console& console, const std::vector<calibrate::StackScale>& scales, const std::string& library, bool json,
           bool aside) {
  const std::string report = calibrate::scaleReport(scales);
  if (!json) return aside ? console.remark(report) : console.out(report);
  console.out(
      jsonDocument(console, kCalibrationFormat, {{"stacks", calibrate::scaleJson(scales)}, {"library", library}}));
}

} // namespace

int scaleSteps(Console& console, const std::string& path, const std::optional<std::string>& output, bool json) {
  InputFile file(console, path);
  if (!file.load()) return kUsage;
  file.check();
  std::vector<std::unique_ptr<CompiledPlan>> plans = file.plans({});
  std::vector<StepRun> runs;
  std::vector<StackBase> bases;
  for (const auto& plan : plans) {
    if (plan->plan->measured.empty()) continue;
    const std::optional<StepRun> run = price(*plan);
    if (!run) continue;
    runs.push_back(*run);
    bases.push_back(baseOf(*plan->plan, file.sources(), output.value_or(path)));
  }
  file.report(plans);
  std::vector<calibrate::StackScale> scales;
  if (!console.hasErrors()) {
    if (plans.empty()) return noPlans(console, file);
    DiagnosticEngine found;
    scales = calibrate::fitScales(runs, plans.front()->plan->range, found);
    console.diagnose(found, file.sources());
  }
  console.summarize();
  const bool write = output && !scales.empty() && !(json && output == "-");
  const std::string library = scales.empty() ? "" : libraryOf(scales, bases, path);
  print(console, scales, library, json, output == "-");
  if (write && output == "-") console.out(library);
  if (write && output != "-")
    if (const std::string problem = writeFile(*output, library); !problem.empty())
      return console.usageError(*output + " cannot be written: " + problem);
  return console.hasErrors() ? kFailed : kClean;
}

} // namespace planc::driver
