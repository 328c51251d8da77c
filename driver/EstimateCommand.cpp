// `planc estimate`: prices the plans of files, prints one report each, and compares them.
// SPDX-License-Identifier: Apache-2.0
#include "driver/Commands.h"
#include "driver/EstimateFormats.h"
#include "driver/InputFile.h"
#include "driver/WorkFiles.h"

#include <algorithm>
#include <fmt/core.h>
#include <utility>

namespace planc::driver {
namespace {

/// A file with what is asked of it.
struct PricedFile {
  std::unique_ptr<InputFile> file;
  bool named = true; ///< by itself, so that it is a mistake if it holds no plan
  bool read = true;  ///< it has no syntax errors; else what is there is not all that was meant, or a guess at a word
  Plans own;         ///< those whose report was printed are released
  std::vector<api::Comparison> declared;
};

/// `effects`: what would make the plan fit and what its recomputation does is shown, so it is priced.
void price(const PricedFile& file, api::Compilation& plan, bool effects, bool fixes) {
  if (file.read)
    plan.price();
  else if (plan.checkVerdict())
    plan.lower(ir::Level::Comm);
  if (effects) plan.findRecomputeEffects();
  if (effects && fixes) plan.findFixes(file.file->edit());
  plan.freeEngine();
}

/// Checks a file and elaborates what is asked of it: with `--plan` the plans and comparisons that it names, else all of
/// either. `use` takes the plans that stand in no comparison, one after the other.
void elaborate(const Arguments& arguments, PricedFile& out, const api::CompilationUse& use) {
  if (!arguments.has("--plan")) {
    out.file->check(use);
    out.declared = out.file->comparisons();
    return;
  }
  out.file->check();
  std::vector<std::string> plans;
  for (const std::string& choice : arguments.all("--plan")) {
    std::vector<api::Comparison> named = out.file->comparisons(choice);
    if (named.empty()) plans.push_back(choice);
    for (api::Comparison& c : named) out.declared.push_back(std::move(c));
  }
  if (plans.empty()) return;
  for (std::unique_ptr<api::Compilation>& plan : out.file->plans(plans)) use(std::move(plan));
}

/// Loads a file; returns the exit code where it cannot be read, else kClean.
int loadFile(Console& console, const Arguments& arguments, const WorkFile& work, PricedFile& out) {
  out.file = std::make_unique<InputFile>(console, work.path);
  out.named = work.named;
  if (!out.file->load()) return kUsage;
  if (const int code = out.file->set(arguments)) return code;
  out.read = !out.file->hasErrors();
  return kClean;
}

/// Prices the plans of a file; `done` takes those that stand in no comparison.
void priceFile(const Arguments& arguments, const EstimateFormat& format, PricedFile& out,
               const api::CompilationUse& done) {
  const bool fixes = !arguments.has("--no-fixes");
  elaborate(arguments, out, [&](std::unique_ptr<api::Compilation> plan) {
    price(out, *plan, format.effects, fixes);
    done(std::move(plan));
  });
  for (api::Comparison& c : out.declared)
    for (const auto& plan : c.plans) {
      price(out, *plan, format.effects && format.declaredReports, fixes);
      if (!plan->estimate()) c.failed.push_back(plan->asked().label);
    }
}

report::PlanReport reportOf(InputFile& file, const api::Compilation& plan) {
  return {file.shownPath(), &file.sources(),          &plan.plan(),
          plan.program(),   plan.estimate(),          &plan.results(),
          &plan.fixes(),    &plan.recomputeEffects(), plan.asked().label};
}

/// Appends the plans that have an estimate, and beside them what they are compared by. `oneFile`: so that reports about
/// them can show where they stand.
void addReports(InputFile& file, const Plans& plans, bool oneFile, std::vector<report::PlanReport>& out,
                std::vector<diff::Side>& sides) {
  for (const auto& p : plans) {
    if (!p->estimate()) continue;
    out.push_back(reportOf(file, *p));
    sides.push_back({&p->plan(), p->estimate(), 1, oneFile ? p->asked().range : SourceRange{}});
  }
}

/// The reports of these plans as one of their comparison, or a word on why there is none.
std::optional<report::ComparisonReport> compared(Console& console, InputFile& file, std::string name,
                                                 std::vector<report::PlanReport> plans,
                                                 const std::vector<diff::Side>& sides,
                                                 std::vector<std::string> failed) {
  DiagnosticEngine found;
  auto comparison = diff::compare(sides, found);
  console.diagnose(found, file.sources());
  if (!comparison) return std::nullopt;
  return report::ComparisonReport{std::move(name), std::move(plans), std::move(*comparison), std::move(failed)};
}

void compareDeclared(Console& console, const std::vector<PricedFile>& files,
                     std::vector<report::ComparisonReport>& out) {
  for (const PricedFile& f : files)
    for (const api::Comparison& declared : f.declared) {
      std::vector<report::PlanReport> plans;
      std::vector<diff::Side> sides;
      addReports(*f.file, declared.plans, true, plans, sides);
      if (plans.size() < 2) continue; // the errors that leave so few are reported
      const std::string name = files.size() > 1 ? f.file->shownPath() + ": " + declared.name : declared.name;
      if (auto comparison = compared(console, *f.file, name, std::move(plans), sides, declared.failed))
        out.push_back(std::move(*comparison));
    }
}

/// `all`: the plans of all files beside each other, too. What that has to say of plans of several files stands in none
/// of them.
Comparisons compareFiles(Console& console, const std::vector<PricedFile>& files, bool all) {
  Comparisons found;
  if (all) {
    std::vector<report::PlanReport> plans;
    std::vector<diff::Side> sides;
    for (const PricedFile& f : files) addReports(*f.file, f.own, files.size() == 1, plans, sides);
    found.asked = compared(console, *files.front().file, "", std::move(plans), sides, {});
  }
  compareDeclared(console, files, found.declared);
  return found;
}

void reportAll(const std::vector<PricedFile>& files) {
  for (const PricedFile& f : files) {
    f.file->report(f.own);
    for (const api::Comparison& c : f.declared) f.file->report(c.plans);
  }
}

/// Adds the name of a plan that does not fit, as its report calls it.
void outOfMemory(const api::Compilation& p, std::string& names) {
  if (p.estimate() && !p.estimate()->memory.fits)
    names +=
        fmt::format("{}`{}`", names.empty() ? "" : ", ", p.asked().label.empty() ? p.plan().title : p.asked().label);
}

/// `oom`: the plans of each file that do not fit, those of its comparisons left out.
int exitCode(Console& console, const Arguments& arguments, const std::vector<PricedFile>& files,
             std::vector<std::string> oom) {
  if (console.hasErrors()) return kFailed;
  std::string all;
  bool any = false;
  for (size_t i = 0; i < files.size(); ++i) {
    const bool empty = files[i].own.empty() && files[i].declared.empty();
    if (empty && files[i].named) return noPlans(console, *files[i].file);
    any = any || !empty;
    for (const api::Comparison& declared : files[i].declared)
      for (const auto& plan : declared.plans) outOfMemory(*plan, oom[i]);
    if (!oom[i].empty()) all += fmt::format("{}{}", all.empty() ? "" : ", ", oom[i]);
  }
  if (!any)
    return console.usageError(fmt::format("no plan whose parameters all have defaults in {} files", files.size()));
  if (all.empty() || arguments.has("--allow-oom")) return kClean;
  console.remark(fmt::format("does not fit: {}; with `--allow-oom` that is no error\n", all));
  return kFailed;
}

int runEstimate(Console& console, const Arguments& arguments) {
  WorkFiles work;
  if (const int code = filesOf(console, arguments.positional, work)) {
    if (code == kFailed) console.summarize();
    return code;
  }
  if (work.files.size() > 1 && arguments.has("--plan"))
    return console.usageError("`--plan` names plans of one file; there are " + std::to_string(work.files.size()),
                              "leave it out: every plan whose parameters all have defaults is priced");
  const EstimateFormat& format = estimateFormat(arguments);
  std::vector<PricedFile> files(work.files.size());
  for (size_t i = 0; i < files.size(); ++i)
    if (const int code = loadFile(console, arguments, work.files[i], files[i])) return code;
  const bool compareAll = arguments.has("--compare"); // needs all of them at once
  const auto writer = format.writer(console, arguments);
  std::vector<std::string> oom(files.size()); // the plans of each file that do not fit
  for (size_t i = 0; i < files.size(); ++i)
    priceFile(arguments, format, files[i], [&](std::unique_ptr<api::Compilation> plan) {
      outOfMemory(*plan, oom[i]);
      if (plan->estimate()) writer->add(reportOf(*files[i].file, *plan));
      if (!compareAll) plan->release();
      files[i].own.push_back(std::move(plan));
    });
  if (format.diagnostics) reportAll(files);
  const Comparisons comparisons = compareFiles(console, files, compareAll);
  if (format.diagnostics) console.summarize();
  Inputs inputs;
  for (const PricedFile& f : files) inputs.add(f.file->sources(), f.file->shownPath());
  writer->finish(comparisons, inputs);
  if (!format.diagnostics) {
    reportAll(files);
    console.summarize();
  }
  return exitCode(console, arguments, files, std::move(oom));
}

} // namespace

const Command kEstimateCommand = {
    "estimate",
    "price the plans of files: time, memory, communication and cost of a step, per layer and in all",
    {{"FILE", 0, kMany, "a .plan file, a folder of them, or - for stdin; what planc.toml lists, if not said"}},
    {{"--plan",
      "NAME",
      {},
      "only this plan or comparison, and others by repeating it; 'NAME(nodes = 8)' binds its parameters",
      kEach},
     kSetOption,
     {"--format",
      "",
      {"text", "json", "csv"},
      "csv: a line per layer, per number of a run, per plan of a comparison; with --compare a line per plan"},
     {"--compare",
      "",
      {},
      "end with all plans beside each other; those that a `compare` in the file names are so without it"},
     {"--sort", "", {"model", "time"}, "layers as the model has them, or those first that take the most of the step"},
     {"--all", "", {}, "a line per layer and stage, where stages are alike too"},
     {"--allow-oom", "", {}, "do not fail when memory does not fit"},
     {"--no-fixes", "", {}, "do not look for changes that make a plan fit"}},
    "planc estimate examples/gpt3_175b.plan",
    runEstimate,
};

} // namespace planc::driver
