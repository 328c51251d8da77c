// `planc compare`: a profile of real steps beside the predicted one.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/facts/Facts.h"
#include "backends/export/Ranks.h"
#include "calibrate/compare/Compare.h"
#include "calibrate/read/Readers.h"
#include "driver/calibrate/MeasuredLine.h"
#include "driver/calibrate/SampleText.h"
#include "driver/files/InputFile.h"
#include "driver/files/JsonDocument.h"
#include "driver/files/OptionValues.h"
#include "driver/files/PrintResult.h"
#include "driver/files/WorkFiles.h"
#include "driver/words/Commands.h"
#include "report/trace/TraceReport.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::driver {

PLANC_ERROR(NoTrace, 1054, "this file is no trace of PyTorch's profiler")
PLANC_ERROR(SeveralDevices, 1056, "the kernels of this trace ran on {count} GPUs")
PLANC_ERROR(NoSteps, 1057, "no step of this trace has kernels of GPU {device}")
PLANC_WARNING(OtherWorld, 1049, "the trace is of a run on {world} devices; the plan has {devices}")
PLANC_WARNING(LittleMatched, 1058, "{share} of the time of this trace's operators has a counterpart in the plan")

namespace {

/// Below this share the two are of different models, or the kernels have no operators.
constexpr double kMuch = 0.5;

/// A profile, and its kernels by what they computed.
struct Measured {
  calibrate::Trace trace;
  calibrate::TraceWorks works;
  std::vector<calibrate::TraceStep> steps;
  FileId file{};
};

std::string numbersText(const std::vector<double>& numbers) {
  std::string text;
  for (const double n : numbers) text += fmt::format("{}{:.0f}", text.empty() ? "" : ", ", n);
  return text;
}

/// Returns nothing after a report.
std::optional<Measured> measure(const SourceManager& sources, FileId id, std::optional<int64_t> gpu,
                                DiagnosticEngine& diagnostics) {
  const calibrate::SampleFile file{id, std::string(sources.path(id)), sources.text(id)};
  if (!calibrate::isKinetoTrace(file)) {
    diagnostics.report(NoTrace, {id, 0, 0})
        .help("write one with `torch.profiler.profile(…)` and `p.export_chrome_trace(\"step.json.gz\")`");
    return std::nullopt;
  }
  std::optional<calibrate::Trace> trace = calibrate::kinetoTrace(file, diagnostics);
  if (!trace) return std::nullopt;
  const std::vector<double> devices = calibrate::devicesOf(*trace);
  if (!gpu && devices.size() > 1) {
    diagnostics.report(SeveralDevices, {id, 0, 0}, {{"count", std::to_string(devices.size())}})
        .help("choose one with `--gpu N`: " + numbersText(devices));
    return std::nullopt;
  }
  Measured out{std::move(*trace), {}, {}, id};
  out.works = calibrate::worksOf(out.trace, out.trace.devices.size());
  const double device = gpu ? static_cast<double>(*gpu) : devices.front();
  out.steps = calibrate::stepsOf(out.trace, calibrate::movesOf(out.trace, out.works), device);
  if (!out.steps.empty()) return out;
  auto report = diagnostics.report(NoSteps, {id, 0, 0}, {{"device", numbersText({device})}});
  if (std::ranges::find(devices, device) == devices.end())
    report.help("its kernels ran on GPU " + numbersText(devices));
  else
    report.help("call `p.step()` after each step of the training loop, so that the profiler marks it");
  return std::nullopt;
}

struct Asked {
  std::optional<int64_t> rank;
  size_t top = 0;
};

std::optional<report::TraceReport> answer(Console& console, api::Compilation& plan, const Measured& measured,
                                          const std::string& path, const Asked& asked) {
  const ir::Program& program = *plan.program();
  const int64_t devices = program.mesh.devices();
  if (asked.rank && *asked.rank >= devices) {
    console.usageError(fmt::format("`--rank {}`: the plan has ranks 0 to {}", *asked.rank, devices - 1));
    return std::nullopt;
  }
  DiagnosticEngine quiet; // pricing has reported missing facts already
  cost::Facts facts(*plan.plan().cluster, *plan.plan().stack);
  const auto model = cost::makeCostModel(facts, quiet);
  const cost::Simulation simulation = cost::simulate(*plan.schedule(), *model, facts);
  const int64_t known = measured.trace.world == devices ? measured.trace.rank : -1;
  const int64_t rank = asked.rank.value_or(known);
  const int64_t stage = rank >= 0 && rank < devices ? exports::stageOf(program, rank) : simulation.critical;
  return report::TraceReport{
      plan.plan().title,
      path,
      plan.plan().cluster->device.name.str(),
      plan.plan().stack->name.str(),
      calibrate::compare({&simulation, plan.estimate(), stage}, measured.trace, measured.works, measured.steps),
      asked.top};
}

/// Returns false after a mistake in the words.
bool readWords(Console& console, const Arguments& arguments, Asked& asked, std::optional<int64_t>& gpu) {
  constexpr int64_t kMostRanks = int64_t(1) << 40, kMostRows = 1 << 20, kRows = 20;
  const auto rank = countOf(console, arguments, "--rank", 0, kMostRanks, -1);
  const auto device = countOf(console, arguments, "--gpu", 0, kMostRows, -1);
  const auto top = countOf(console, arguments, "--top", 0, kMostRows, kRows);
  if (!rank || !device || !top) return false;
  if (*rank >= 0) asked.rank = *rank;
  if (*device >= 0) gpu = *device;
  asked.top = static_cast<size_t>(*top);
  return true;
}

/// Writes the measured step into the plan. Returns false after a report.
bool writeMeasured(Console& console, const std::string& path, const SourceManager& sources, const ir::Plan& plan,
                   const report::TraceReport& report) {
  const calibrate::TraceComparison& found = report.found;
  const std::string source =
      fmt::format("profile {}: median of {} {}", report.trace, found.steps, found.steps == 1 ? "step" : "steps");
  const std::string problem = addMeasuredStep(path, sources, plan, found.median, source);
  if (problem.empty()) {
    console.note(fmt::format("planc: `{}` of {} has the measured step\n", plan.title, path));
    return true;
  }
  console.usageError(fmt::format("`--write-measured` cannot change plan `{}` of {}: {}", plan.title, path, problem));
  return false;
}

int runCompare(Console& console, const Arguments& arguments) {
  Asked asked;
  std::optional<int64_t> gpu;
  if (!readWords(console, arguments, asked, gpu)) return kUsage;
  const std::optional<std::string> path = arguments.value("--trace");
  if (!path) return console.usageError("`planc compare` needs `--trace FILE`", "a profile of PyTorch: docs/compare.md");
  const bool writes = arguments.has("--write-measured");
  if (writes && (arguments.has("--set") || arguments.positional[0] == "-"))
    return console.usageError(
        "`--write-measured` changes the plan as it is written, so it takes neither `--set` nor stdin",
        "write the changed facts into the file first");
  if (writes && arguments.all("--plan").size() != 1)
    return console.usageError("`--write-measured` needs the one plan that was profiled", "name it with `--plan NAME`");
  if (const int code = oneFileOf(console, arguments.positional[0])) return code;
  InputFile file(console, arguments.positional[0]);
  if (!file.load()) return kUsage;
  if (const int code = file.set(arguments)) return code;
  SourceManager sources;
  DiagnosticEngine diagnostics;
  const SampleText text = readSampleText(console, *path, sources, diagnostics);
  if (!text.found) return kUsage;
  std::optional<Measured> measured;
  if (text.id) measured = measure(sources, *text.id, gpu, diagnostics);
  const bool read = !file.hasErrors();
  bool any = false, answered = true;
  std::vector<report::Document> answers;
  file.eachPlan(arguments.all("--plan"), [&](std::unique_ptr<api::Compilation> plan) {
    any = true;
    if (read && measured && plan->price()) {
      const std::optional<report::TraceReport> report = answer(console, *plan, *measured, *path, asked);
      answered = answered && report;
      if (report && measured->trace.world > 0 && measured->trace.world != plan->program()->mesh.devices())
        diagnostics
            .report(OtherWorld, {measured->file, 0, 0},
                    {{"world", std::to_string(measured->trace.world)},
                     {"devices", std::to_string(plan->program()->mesh.devices())}})
            .help("give the plan the mesh of the run; what differs is not of one run");
      if (report && report->found.traceMatched < kMuch)
        diagnostics
            .report(LittleMatched, {measured->file, 0, 0},
                    {{"share", fmt::format("{:.0f} %", 100 * report->found.traceMatched)}})
            .help("compare the sizes of both tables: batch, sequence, parts per device; kernels of CUDA graphs and of "
                  "torch.compile have no operators, so profile a step without them, or mark layers with "
                  "`record_function(\"decoder.attn\")`");
      if (report) answers.push_back(traceDocument(*report));
      if (report && writes)
        answered = writeMeasured(console, arguments.positional[0], file.sources(), plan->plan(), *report) && answered;
    }
    Plans one;
    one.push_back(std::move(plan));
    file.report(one);
  });
  file.report({});
  console.diagnose(diagnostics, sources);
  console.summarize();
  printResult(console, *arguments.value("--format"), kCompareFormat, {"plans"}, answers);
  if (console.hasErrors()) return kFailed;
  if (!any) return noPlans(console, file);
  return answered ? kClean : kUsage;
}

} // namespace

const Command kCompareCommand = {
    "compare",
    "a profile of real steps beside the prediction: operators, collectives, waiting",
    {{"FILE", 1, 1, "a .plan file, or - for stdin"}},
    {{"--trace", "TRACE", {}, "a profile of PyTorch with several steps, `.json` or `.json.gz`"},
     {"--plan", "NAME", {}, "only this plan; repeat it for others; 'NAME(nodes = 8)' binds its parameters", kEach},
     kSetOption,
     {"--rank",
      "R",
      {},
      "the rank that was profiled, which tells its pipeline stage; default: as the trace says, or the critical stage"},
     {"--gpu", "N", {}, "the GPU of the trace, if it has kernels of several"},
     {"--top", "N", {}, "rows of each table; default: 20; 0: all"},
     {"--write-measured", "", {}, "add the measured step to the plan, as a `measured` line with its source"},
     {"--format", "", resultFormats(), "csv: a line per operator and collective"}},
    "planc compare step.plan --trace step.json.gz",
    runCompare,
};

} // namespace planc::driver
