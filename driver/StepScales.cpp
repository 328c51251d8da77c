// `planc calibrate --steps`: the measured plans of a file, the fit, and the stacks as text.
// SPDX-License-Identifier: Apache-2.0
#include "driver/StepScales.h"

#include "api/StepRuns.h"
#include "api/Texts.h"
#include "calibrate/Scale.h"
#include "driver/Files.h"
#include "driver/Help.h"
#include "driver/InputFile.h"
#include "driver/JsonDocument.h"
#include "driver/OptionValues.h"
#include "ir/facts/StackFacts.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace planc::driver {

namespace {

namespace fs = std::filesystem;
using calibrate::StackBase;
using calibrate::StepRun;

/// How the stack of a plan is imported: from the library, or from the user's file as the library will stand at
/// `output`.
StackBase baseOf(const ir::Plan& plan, const SourceManager& sources, const std::string& output) {
  const std::string path = sources.path(plan.stack->range.file);
  const std::string name = plan.stack->name.str();
  std::optional<StackBase::Accuracy> accuracy;
  if (const auto said = plan.stack->accuracy()) {
    accuracy = {said->runs, said->sources, said->low, said->high, {}, said->sequence};
    for (const ir::FactKey& key : plan.stack->keys(ir::StackFact::AccuracySeen))
      accuracy->seen[std::string(key.text())] = plan.stack->number(ir::StackFact::AccuracySeen, key)->value;
  }
  fs::path module(path);
  if (path.starts_with("std/")) {
    std::string dotted = module.replace_extension().string();
    std::replace(dotted.begin(), dotted.end(), '/', '.');
    return {plan.softwareText, dotted, fmt::format("{}.{}", module.filename().string(), name), accuracy};
  }
  const fs::path from = fs::absolute(output).parent_path();
  return {plan.softwareText, fmt::format("\"{}\" as base", fs::absolute(module).lexically_relative(from).string()),
          "base." + name, accuracy};
}

/// The stacks in the layout of `planc fmt`.
std::string libraryOf(const std::vector<calibrate::StackScale>& scales, const std::vector<StackBase>& bases,
                      const std::string& path) {
  const std::string text = calibrate::scaleLibrary(scales, bases, fs::path(path).filename().string());
  SourceManager sources;
  DiagnosticEngine diagnostics;
  const FileId file = sources.add("scaled.plan", text);
  return api::formatText(sources, file, diagnostics).value_or(text);
}

/// What was found and the library, as one object or as a table.
void print(Console& console, const std::vector<calibrate::StackScale>& scales, const std::string& library, bool json,
           bool aside) {
  const std::string report = calibrate::scaleReport(scales);
  if (!json) return aside ? console.remark(report) : console.out(report);
  printJson(console, kCalibrationFormat, {{"stacks", calibrate::scaleJson(scales)}, {"library", library}});
}

} // namespace

int scaleSteps(Console& console, const std::string& path, const Arguments& arguments) {
  const std::optional<std::string> output = arguments.value("-o");
  const bool json = arguments.value("--format") == "json";
  InputFile file(console, path);
  if (!file.load()) return kUsage;
  if (output != "-")
    if (const int code = checkOutputs(console, arguments, {"-o"}, file.sources())) return code;
  Plans plans; // those that were priced are released
  SourceRange first;
  std::vector<StepRun> runs;
  std::vector<StackBase> bases;
  file.eachPlan({}, [&](std::unique_ptr<api::Compilation> plan) {
    if (plans.empty()) first = plan->plan().range;
    if (!plan->plan().measured.empty())
      if (const std::optional<StepRun> run = api::stepRun(*plan)) {
        runs.push_back(*run);
        bases.push_back(baseOf(plan->plan(), file.sources(), output.value_or(path)));
      }
    plan->release();
    plans.push_back(std::move(plan));
  });
  file.report(plans);
  std::vector<calibrate::StackScale> scales;
  if (!console.hasErrors()) {
    if (plans.empty()) return noPlans(console, file);
    DiagnosticEngine found;
    scales = calibrate::fitScales(runs, first, found);
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
