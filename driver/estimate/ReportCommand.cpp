// `planc report`: steps of plans as one page of HTML.
// SPDX-License-Identifier: Apache-2.0
#include "backends/timeline/Build.h"
#include "driver/files/Files.h"
#include "driver/files/InputFile.h"
#include "driver/files/OptionValues.h"
#include "driver/files/WorkFiles.h"
#include "driver/words/Commands.h"
#include "report/page/StepPage.h"

#include <fmt/format.h>

namespace planc::driver {
namespace {

/// Pages with more plans are too long to read.
constexpr size_t kMostPlans = 16;

int runReport(Console& console, const Arguments& arguments) {
  const std::optional<std::string> output = arguments.value("-o");
  if (!output) return console.usageError("`planc report` needs `-o FILE`", "for example `-o step.html`");
  if (const int code = oneFileOf(console, arguments.positional[0])) return code;
  InputFile file(console, arguments.positional[0]);
  if (!file.load()) return kUsage;
  if (const int code = file.set(arguments)) return code;
  if (const int code = checkOutputs(console, arguments, {"-o"}, file.sources())) return code;
  Plans plans = file.plans(arguments.all("--plan"));
  const bool read = !file.hasErrors();
  bool priced = read && !plans.empty();
  if (priced && plans.size() > kMostPlans)
    return console.usageError(fmt::format("a page has at most {} plans; this file has {}", kMostPlans, plans.size()),
                              "choose with `--plan NAME`");
  DiagnosticEngine found;
  std::vector<std::unique_ptr<timeline::Timeline>> lines;
  std::vector<report::StepPageInput> inputs;
  for (const std::unique_ptr<api::Compilation>& plan : plans) {
    if (!priced || !plan->price()) {
      priced = false;
      continue;
    }
    lines.push_back(timeline::build(*plan->schedule(), found));
    inputs.push_back({{file.shownPath(), &file.sources(), &plan->plan(), plan->program(), plan->estimate(),
                       &plan->results(), &plan->fixes(), &plan->recomputeEffects(), plan->asked().label},
                      lines.back().get()});
  }
  file.report(plans);
  console.diagnose(found, file.sources());
  console.summarize();
  if (!priced) return console.hasErrors() ? kFailed : noPlans(console, file);
  const std::string problem = writeFile(*output, report::stepPage(inputs));
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
     kSetOption},
    "planc report examples/gpt3_175b.plan --plan gpt3_175b -o step.html",
    runReport,
};

} // namespace planc::driver
