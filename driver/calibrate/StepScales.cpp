// `planc calibrate --steps`: prices the measured plans of a file, fits the factors, and writes the stacks.
// SPDX-License-Identifier: Apache-2.0
#include "driver/calibrate/StepScales.h"

#include "api/Texts.h"
#include "api/calibrated/StepRuns.h"
#include "calibrate/fit/Scale.h"
#include "driver/files/Files.h"
#include "driver/files/InputFile.h"
#include "driver/files/JsonDocument.h"
#include "driver/files/OptionValues.h"
#include "driver/words/Help.h"
#include "ir/facts/StackFacts.h"
#include "support/files/Digest.h"
#include "support/files/Embedded.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <llvm/ADT/STLExtras.h>
#include <map>
#include <nlohmann/json.hpp>

namespace planc::driver {

PLANC_ERROR(ScaledStackUnreadable, 1065, "the library with the scaled stacks cannot be read at {path}")

namespace {

namespace fs = std::filesystem;
using calibrate::StackBase;
using calibrate::StepRun;

StackBase::Accuracy accuracyOf(const ir::Stack& stack) {
  const auto said = [&](ir::StackFact fact) {
    const ir::Number* number = stack.number(fact);
    return number ? std::optional(number->value) : std::nullopt;
  };
  StackBase::Accuracy out{said(ir::StackFact::AccuracyRuns),
                          said(ir::StackFact::AccuracySources),
                          said(ir::StackFact::AccuracyLow),
                          said(ir::StackFact::AccuracyHigh),
                          {},
                          said(ir::StackFact::AccuracySequence),
                          {}};
  for (auto& [fact, reach] :
       {std::pair(ir::StackFact::AccuracySeen, &out.seen), std::pair(ir::StackFact::AccuracyExperts, &out.experts)})
    for (const ir::FactKey& key : stack.keys(fact)) (*reach)[std::string(key.text())] = stack.number(fact, key)->value;
  return out;
}

/// Returns whether a source is of the embedded library. A user's file may have the same path, so the texts are
/// compared.
bool ofLibrary(const SourceManager& sources, FileId file) {
  return llvm::any_of(embeddedStdlib(), [&](const EmbeddedFile& known) {
    return known.path == sources.path(file) && known.text.data() == sources.text(file).data();
  });
}

/// Finds how the stacks of plans are imported: from the library, or from the user's files, relative to the written file
/// at `output`.
class Bases {
public:
  Bases(const SourceManager& sources, const std::string& output)
      : sources_(sources), from_(fs::absolute(output).parent_path()) {}

  StackBase of(const ir::Plan& plan) {
    const FileId file = plan.stack->range.file;
    const std::string name = plan.stack->name.str();
    fs::path module(sources_.path(file));
    if (ofLibrary(sources_, file)) {
      std::string dotted = module.replace_extension().string();
      std::replace(dotted.begin(), dotted.end(), '/', '.');
      return {plan.softwareText, dotted, fmt::format("{}.{}", module.filename().string(), name),
              accuracyOf(*plan.stack), calibrate::fittedFacts(*plan.stack)};
    }
    const std::string path = fs::absolute(module).lexically_relative(from_).string();
    const auto [at, fresh] =
        aliases_.try_emplace(path, aliases_.empty() ? "base" : fmt::format("base_{}", aliases_.size() + 1));
    return {plan.softwareText, fmt::format("\"{}\" as {}", calibrate::quotable(path), at->second),
            fmt::format("{}.{}", at->second, name), accuracyOf(*plan.stack), calibrate::fittedFacts(*plan.stack)};
  }

private:
  const SourceManager& sources_;
  fs::path from_;
  std::map<std::string, std::string> aliases_; ///< by imported path
};

/// Returns the module of scaled stacks in the layout of `planc fmt`.
std::string libraryOf(const std::vector<calibrate::StackScale>& scales, const std::vector<StackBase>& bases,
                      const std::string& path, const calibrate::Fitted& fitted) {
  const std::string text = calibrate::scaleLibrary(scales, bases, fs::path(path).filename().string(), fitted);
  SourceManager sources;
  DiagnosticEngine diagnostics;
  const FileId file = sources.add("scaled.plan", text);
  return api::formatText(sources, file, diagnostics).value_or(text);
}

/// Returns a path next to the plans at which no file exists, for text that is not written.
std::string besides(const std::string& plans) {
  const fs::path folder = plans == "-" ? fs::path() : fs::path(plans).parent_path();
  fs::path path = folder / "scaled.plan";
  for (int n = 2; fs::exists(path); ++n) path = folder / fmt::format("scaled_{}.plan", n);
  return path.string();
}

/// Returns whether the library compiles at its path. It does not if it extends a stack that is not exported, whose
/// parameters a plan has bound, or that is declared in text without a file.
bool canBeRead(Console& console, const std::string& library, const std::string& path) {
  InputFile written(console, path);
  written.take(library);
  written.check();
  DiagnosticEngine refused;
  if (written.hasErrors()) {
    written.report({});
    refused.report(ScaledStackUnreadable, {}, {{"path", path}})
        .help("scale a stack without parameters that a separate file exports: `export stack ours extends "
              "megatron.megatron_2022 { … }`");
    console.diagnose(refused, written.sources());
  }
  return !refused.hasErrors();
}

/// Prints the factors and the library as one JSON object, or a table.
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
  const std::optional<std::string> day = dayOf(console, arguments);
  InputFile file(console, path);
  if (!day || !file.load()) return kUsage;
  if (output != "-")
    if (const int code = checkOutputs(console, arguments, {"-o"}, file.sources())) return code;
  Plans plans; // priced plans are released
  SourceRange first;
  std::vector<StepRun> runs;
  std::vector<StackBase> bases;
  const std::string target = output && output != "-" ? *output : besides(path);
  Bases known(file.sources(), target);
  file.eachPlan({}, [&](std::unique_ptr<api::Compilation> plan) {
    if (plans.empty()) first = plan->plan().range;
    if (!plan->plan().measured.empty())
      if (const std::optional<StepRun> run = api::stepRun(*plan)) {
        runs.push_back(*run);
        bases.push_back(known.of(plan->plan()));
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
  std::string library;
  if (!scales.empty()) // `first` is a place in the plan file, whose digest identifies the runs
    library = libraryOf(
        scales, bases, path,
        {calibrate::samplesDigest({digestOf(file.sources().text(first.file))}), std::string(versionNumber()), *day});
  const bool readable = library.empty() || canBeRead(console, library, target);
  console.summarize();
  const bool write = output && readable && !scales.empty() && !(json && output == "-");
  print(console, scales, library, json, output == "-");
  if (write && output == "-") console.out(library);
  if (write && output != "-")
    if (const std::string problem = writeFile(*output, library); !problem.empty())
      return console.usageError(*output + " cannot be written: " + problem);
  return console.hasErrors() ? kFailed : kClean;
}

} // namespace planc::driver
