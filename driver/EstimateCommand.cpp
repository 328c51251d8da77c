// `planc estimate`: prices the plans of files, prints one report each, and compares them.
// SPDX-License-Identifier: Apache-2.0
#include "backends/report/Compare.h"
#include "driver/Commands.h"
#include "driver/MemoryFixes.h"
#include "driver/Pipeline.h"
#include "driver/RecomputeEffects.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace planc::driver {
namespace {

using Plans = std::vector<std::unique_ptr<CompiledPlan>>;

/// A file with its plans and, per plan, what would make it fit.
struct PricedFile {
  std::unique_ptr<InputFile> file;
  Plans plans;
  std::vector<std::vector<report::Fix>> fixes;
  std::vector<std::vector<report::RecomputeEffect>> recompute;
};

/// Every plan that has an estimate, of all files, and how they compare if that was asked.
struct Estimates {
  std::vector<report::PlanReport> reports;
  std::vector<const SourceManager*> sources; ///< of each
  std::optional<diff::Comparison> comparison;
};

struct Format {
  std::string_view name;
  std::string (*print)(const Console& console, const Arguments& arguments, const Estimates& estimates);
};

std::string printText(const Console& console, const Arguments& arguments, const Estimates& estimates) {
  report::TextOptions options;
  options.color = console.colorOut();
  options.allLayers = arguments.has("--all");
  if (arguments.value("--sort") == "time") options.order = report::LayerOrder::Time;
  std::string out;
  for (size_t i = 0; i < estimates.reports.size(); ++i)
    out += fmt::format("{}{}", out.empty() ? "" : "\n",
                       report::text(estimates.reports[i], *estimates.sources[i], options));
  if (estimates.comparison) out += "\n" + report::comparisonText(estimates.reports, *estimates.comparison, options);
  return out;
}

/// Of a comparison its table; else a line per layer.
std::string printCsv(const Console&, const Arguments&, const Estimates& estimates) {
  if (estimates.comparison) return report::comparisonCsv(estimates.reports, *estimates.comparison);
  std::string out;
  for (const report::PlanReport& r : estimates.reports) out += report::csv(r, out.empty());
  std::string runs; // a table of its own, behind an empty line
  for (const report::PlanReport& r : estimates.reports) runs += report::runCsv(r, runs.empty());
  return runs.empty() ? out : out + "\n" + runs;
}

std::string printJson(const Console& console, const Arguments&, const Estimates& estimates) {
  nlohmann::ordered_json plans = nlohmann::ordered_json::array(), comparison;
  for (size_t i = 0; i < estimates.reports.size(); ++i)
    plans.push_back(report::json(estimates.reports[i], *estimates.sources[i]));
  if (estimates.comparison) comparison = report::comparisonJson(estimates.reports, *estimates.comparison);
  return jsonDocument(console, std::move(plans), std::move(comparison));
}

constexpr Format kFormats[] = {{"text", printText}, {"json", printJson}, {"csv", printCsv}};

/// Prices the plans of a file; returns the exit code where it cannot be read, else kClean.
int priceFile(Console& console, const Arguments& arguments, const std::string& path, PricedFile& out) {
  out.file = std::make_unique<InputFile>(console, path);
  InputFile& file = *out.file;
  if (!file.load()) return kUsage;
  if (const int code = file.set(arguments)) return code;
  const bool read = !file.hasErrors(); // else what is there is not all that was meant, or a guess at a misspelt word
  file.check();
  out.plans = file.plans(arguments.all("--plan"));
  for (const auto& plan : out.plans) {
    if (read)
      plan->price();
    else if (plan->checkVerdict())
      plan->lower(ir::Level::Comm);
    const bool wanted = !arguments.has("--no-fixes");
    out.recompute.push_back(recomputeEffects(*plan));
    out.fixes.push_back(wanted ? memoryFixes(*plan, file.sources(), file.edit()) : std::vector<report::Fix>{});
  }
  return kClean;
}

Estimates estimatesOf(const std::vector<PricedFile>& files) {
  Estimates out;
  for (const PricedFile& f : files)
    for (size_t i = 0; i < f.plans.size(); ++i)
      if (const auto& p = f.plans[i]; p->estimate) {
        out.reports.push_back({f.file->shownPath(), p->plan.get(), p->program.get(), p->estimate.get(), &p->results,
                               &f.fixes[i], &f.recompute[i]});
        out.sources.push_back(&f.file->sources());
      }
  return out;
}

/// What comparing has to say stands in the first file; in none where there are several.
void compareAll(Console& console, const std::vector<PricedFile>& files, Estimates& estimates) {
  std::vector<diff::Side> sides;
  for (const report::PlanReport& r : estimates.reports) sides.push_back({r.plan, r.estimate});
  DiagnosticEngine found;
  estimates.comparison = diff::compare(sides, files.size() == 1, found);
  console.diagnose(found, files.front().file->sources());
}

int runEstimate(Console& console, const Arguments& arguments) {
  if (arguments.positional.size() > 1 && arguments.has("--plan"))
    return console.usageError("`--plan` names plans of one file; there are " +
                                  std::to_string(arguments.positional.size()),
                              "leave it out: every plan whose parameters all have defaults is priced");
  std::vector<PricedFile> files(arguments.positional.size());
  for (size_t i = 0; i < files.size(); ++i)
    if (const int code = priceFile(console, arguments, arguments.positional[i], files[i])) return code;
  Estimates estimates = estimatesOf(files);
  const Format* format = kFormats;
  for (const Format& f : kFormats)
    if (f.name == *arguments.value("--format")) format = &f;
  const bool json = format->name == "json"; // holds the diagnostics, so they are collected first
  if (arguments.has("--compare") && !json) compareAll(console, files, estimates);
  if (!json) console.out(format->print(console, arguments, estimates));
  for (const PricedFile& f : files) f.file->report(f.plans);
  if (arguments.has("--compare") && json) compareAll(console, files, estimates);
  console.summarize();
  if (json) console.out(format->print(console, arguments, estimates));
  if (console.hasErrors()) return kFailed;
  bool oom = false;
  for (const PricedFile& f : files) {
    if (f.plans.empty()) return noPlans(console, *f.file);
    for (const auto& plan : f.plans) oom |= plan->estimate && !plan->estimate->memory.fits;
  }
  return oom && !arguments.has("--allow-oom") ? kFailed : kClean;
}

} // namespace

const Command kEstimateCommand = {
    "estimate",
    "price the plans of files: time, memory, communication and cost of a step, per layer and in all",
    {{"FILE", 1, kMany, "a .plan file, or - for stdin"}},
    {{"--plan", "NAME", {}, "only this plan, and others by repeating it; 'NAME(nodes = 8)' binds its parameters", true},
     kSetOption,
     {"--format",
      "",
      {"text", "json", "csv"},
      "csv: a line per layer, then a line per number of a run; with --compare a line per plan"},
     {"--compare", "", {}, "end with the plans beside each other, and what sets them apart from the best"},
     {"--sort", "", {"model", "time"}, "layers as the model has them, or those first that take the most of the step"},
     {"--all", "", {}, "a line per layer and stage, where stages are alike too"},
     {"--allow-oom", "", {}, "do not fail when memory does not fit"},
     {"--no-fixes", "", {}, "do not look for changes that make a plan fit"}},
    "planc estimate examples/gpt3_175b.plan",
    runEstimate,
};

} // namespace planc::driver
