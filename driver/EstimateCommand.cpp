// `planc estimate`: prices the plans of a file and prints one report each.
// SPDX-License-Identifier: Apache-2.0
#include "backends/report/Report.h"
#include "driver/Commands.h"
#include "driver/MemoryFixes.h"
#include "driver/Pipeline.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace planc::driver {
namespace {

using Plans = std::vector<std::unique_ptr<CompiledPlan>>;

/// Every format shows the plans that have an estimate.
struct Format {
  std::string_view name;
  std::string (*print)(const Console& console, const Arguments& arguments,
                       const std::vector<report::PlanReport>& reports, const SourceManager& sources);
};

std::string printText(const Console& console, const Arguments& arguments,
                      const std::vector<report::PlanReport>& reports, const SourceManager& sources) {
  report::TextOptions options;
  options.color = console.colorOut();
  options.allLayers = arguments.has("--all");
  if (arguments.value("--sort") == "time") options.order = report::LayerOrder::Time;
  std::string out;
  for (const report::PlanReport& r : reports)
    out += fmt::format("{}{}", out.empty() ? "" : "\n", report::text(r, sources, options));
  return out;
}

std::string printCsv(const Console&, const Arguments&, const std::vector<report::PlanReport>& reports,
                     const SourceManager&) {
  std::string out;
  for (const report::PlanReport& r : reports) out += report::csv(r, out.empty());
  std::string runs; // a table of its own, behind an empty line
  for (const report::PlanReport& r : reports) runs += report::runCsv(r, runs.empty());
  return runs.empty() ? out : out + "\n" + runs;
}

std::string printJson(const Console& console, const Arguments&, const std::vector<report::PlanReport>& reports,
                      const SourceManager& sources) {
  nlohmann::ordered_json plans = nlohmann::ordered_json::array();
  for (const report::PlanReport& r : reports) plans.push_back(report::json(r, sources));
  return jsonDocument(console, std::move(plans));
}

constexpr Format kFormats[] = {{"text", printText}, {"json", printJson}, {"csv", printCsv}};

std::vector<report::PlanReport> reportsOf(const InputFile& file, const Plans& plans,
                                          const std::vector<std::vector<report::Fix>>& fixes) {
  std::vector<report::PlanReport> out;
  for (size_t i = 0; i < plans.size(); ++i)
    if (const auto& p = plans[i]; p->estimate)
      out.push_back({file.shownPath(), p->plan.get(), p->program.get(), p->estimate.get(), &p->results, &fixes[i]});
  return out;
}

int runEstimate(Console& console, const Arguments& arguments) {
  InputFile file(console, arguments.positional[0]);
  if (!file.load()) return kUsage;
  if (const int code = file.set(arguments)) return code;
  const bool read = !file.hasErrors(); // else what is there is not all that was meant, or a guess at a misspelt word
  file.check();
  Plans plans = file.plans(arguments.all("--plan"));
  bool oom = false;
  std::vector<std::vector<report::Fix>> fixes;
  for (const auto& plan : plans) {
    if (read)
      plan->price();
    else if (plan->checkVerdict())
      plan->lower(ir::Level::Comm);
    oom |= plan->estimate && !plan->estimate->memory.fits;
    const bool wanted = !arguments.has("--no-fixes");
    fixes.push_back(wanted ? memoryFixes(*plan, file.sources(), file.edit()) : std::vector<report::Fix>{});
  }
  const Format* format = kFormats;
  for (const Format& f : kFormats)
    if (f.name == *arguments.value("--format")) format = &f;
  std::vector<report::PlanReport> reports = reportsOf(file, plans, fixes);
  bool json = format->name == "json"; // holds the diagnostics, so they are collected first
  if (!json) console.out(format->print(console, arguments, reports, file.sources()));
  file.report(plans);
  console.summarize();
  if (json) console.out(format->print(console, arguments, reports, file.sources()));
  if (console.hasErrors()) return kFailed;
  if (plans.empty()) return noPlans(console, file);
  return oom && !arguments.has("--allow-oom") ? kFailed : kClean;
}

} // namespace

const Command kEstimateCommand = {
    "estimate",
    "price the plans of a file: time, memory, communication and cost of a step, per layer and in all",
    {{"FILE", 1, 1, "a .plan file, or - for stdin"}},
    {{"--plan", "NAME", {}, "only this plan, and others by repeating it; 'NAME(nodes = 8)' binds its parameters", true},
     kSetOption,
     {"--format", "", {"text", "json", "csv"}, "csv: a line per layer, then a line per number of a run"},
     {"--sort", "", {"model", "time"}, "layers as the model has them, or those first that take the most of the step"},
     {"--all", "", {}, "a line per layer and stage, where stages are alike too"},
     {"--allow-oom", "", {}, "do not fail when memory does not fit"},
     {"--no-fixes", "", {}, "do not look for changes that make a plan fit"}},
    "planc estimate examples/gpt3_175b.plan",
    runEstimate,
};

} // namespace planc::driver
