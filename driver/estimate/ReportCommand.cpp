// `planc report`: steps of plans as one page of HTML.
// SPDX-License-Identifier: Apache-2.0
#include "backends/timeline/Build.h"
#include "driver/diff/DiffAsked.h"
#include "driver/diff/DiffCompare.h"
#include "driver/estimate/ComparedPlans.h"
#include "driver/files/Files.h"
#include "driver/files/InputFile.h"
#include "driver/files/OptionValues.h"
#include "driver/files/WorkFiles.h"
#include "driver/words/Commands.h"
#include "report/page/StepPage.h"
#include "report/search/SensitivityReport.h"

#include <filesystem>
#include <fmt/format.h>

namespace planc::driver {
namespace {

/// Pages with more plans are too long to read.
constexpr size_t kMostPlans = 16;

/// Rows of the constants that a step depends on.
constexpr size_t kConstants = 10;

/// The constants that the step of a priced plan depends on most.
report::Page constantsOf(api::Compilation& plan) {
  report::SensitivityReport found{.plan = plan.plan().title, .top = kConstants};
  found.found = search::sensitivity(plan.plan(), *plan.estimate(), plan.engine(),
                                    {verdict::findMetric("step_time"), verdict::findMetric("memory.peak")});
  report::Page page;
  page.push_back(elasticityTable(found, true));
  return page;
}

/// The plans beside each other; empty if there is one, or if they cannot be compared.
report::Page besideOf(Console& console, InputFile& file, const Plans& plans) {
  std::vector<report::PlanReport> reports;
  std::vector<diff::ComparedEstimate> sides;
  addReports(file, plans, true, reports, sides);
  if (reports.size() < 2) return {};
  const auto found = compared(console, file, "", std::move(reports), sides, {});
  return found ? comparisonPage(*found) : report::Page{};
}

/// Adds how the plans of the file differ from an older state, a revision or another file. Returns an exit code.
int addDifference(Console& console, const std::string& against, const std::string& path, report::StepPageHead& head) {
  DiffAsked asked;
  std::error_code ignored;
  const bool isFile = std::filesystem::exists(against, ignored);
  const int code =
      isFile ? readSides(console, std::nullopt, {against, path}, asked) : readSides(console, against, {path}, asked);
  console.diagnose(asked.problems, asked.words);
  if (code != kClean) return code;
  for (DiffSide* side : {&asked.before, &asked.after}) {
    if (!side->json) priceSide(*side, 1);
    for (const SideFile& one : side->files)
      if (one.unreadable) return console.usageError(one.error.text);
  }
  head.against = against;
  head.difference = diffDocument(driver::compared(asked.before, asked.after, {}), report::Shown::Page).page;
  return kClean;
}

int runReport(Console& console, const Arguments& arguments) {
  const std::optional<std::string> output = arguments.value("-o");
  if (!output) return console.usageError("`planc report` needs `-o FILE`", "for example `-o step.html`");
  if (const int code = oneFileOf(console, arguments.positional[0])) return code;
  InputFile file(console, arguments.positional[0]);
  if (!file.load()) return kUsage;
  if (const int code = file.set(arguments)) return code;
  if (const int code = checkOutputs(console, arguments, {"-o"}, file.sources())) return code;
  const std::optional<std::string> against = arguments.value("--against");
  if (against && (arguments.has("--set") || arguments.positional[0] == "-"))
    return console.usageError("`--against` compares files as they are written, so it takes neither `--set` nor stdin",
                              "write the changed facts into a second file");
  Plans plans = file.plans(arguments.all("--plan"));
  const bool read = !file.hasErrors();
  bool priced = read && !plans.empty();
  if (priced && plans.size() > kMostPlans)
    return console.usageError(fmt::format("a page has at most {} plans; this file has {}", kMostPlans, plans.size()),
                              "choose with `--plan NAME`");
  DiagnosticEngine found;
  report::StepPageHead head;
  std::vector<std::unique_ptr<timeline::Timeline>> lines;
  std::vector<report::StepPageInput> inputs;
  for (const std::unique_ptr<api::Compilation>& plan : plans) {
    if (!priced || !plan->price()) {
      priced = false;
      continue;
    }
    lines.push_back(timeline::build(*plan->schedule(), found));
    inputs.push_back({reportOf(file, *plan), constantsOf(*plan), lines.back().get()});
  }
  if (priced) head.beside = besideOf(console, file, plans);
  file.report(plans);
  console.diagnose(found, file.sources());
  console.summarize();
  if (!priced) return console.hasErrors() ? kFailed : noPlans(console, file);
  if (against)
    if (const int code = addDifference(console, *against, arguments.positional[0], head)) return code;
  const std::string problem = writeFile(*output, report::stepPage(head, inputs));
  if (!problem.empty()) return console.usageError(fmt::format("`{}` cannot be written: {}", *output, problem));
  return console.hasErrors() ? kFailed : kClean;
}

} // namespace

const Command kReportCommand = {
    "report",
    "a step as one page of HTML: where it goes, timeline, memory, layers, collectives",
    {{"FILE", 1, 1, "a .plan file, or - for stdin"}},
    {{"-o", "FILE", {}, "the page; it needs no other file and no network"},
     {"--plan", "NAME", {}, "only this plan; repeat it for others; 'NAME(nodes = 8)' binds its parameters", kEach},
     {"--against",
      "REV|FILE",
      {},
      "also show what changed since a revision, as HEAD~1, or between another file and this"},
     kSetOption},
    "planc report examples/gpt3_175b.plan --plan gpt3_175b -o step.html",
    runReport,
};

} // namespace planc::driver
