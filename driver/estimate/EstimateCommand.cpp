// `planc estimate`: prices the plans of files, prints one report each, and compares them.
// SPDX-License-Identifier: Apache-2.0
#include "driver/estimate/EstimateFormats.h"
#include "driver/files/InputFile.h"
#include "driver/files/OptionValues.h"
#include "driver/files/Parallel.h"
#include "driver/files/WorkFiles.h"
#include "driver/recipes/RecipeWords.h"
#include "driver/words/Commands.h"

#include <algorithm>
#include <fmt/core.h>
#include <functional>
#include <utility>

namespace planc::driver {
namespace {

/// A file with what is asked of it.
struct PricedFile {
  std::unique_ptr<InputFile> file;
  bool read = true; ///< it has no syntax errors; else what is there is not all that was meant, or a guess at a word
  Plans own;        ///< those whose report was printed are released
  std::vector<api::Comparison> declared;
};

/// `effects`: what would make the plan fit and what its recomputation does is shown, so it is priced.
void price(const PricedFile& file, api::Compilation& plan, bool effects, bool fixes) {
  if (!file.read) {
    if (plan.checkVerdict()) plan.lower();
  } else if (plan.price()) {
    plan.settleAllowances(Reached::Priced);
  }
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
  found.allow(file.diagnostics().allowances());
  auto comparison = diff::compare(sides, found);
  console.diagnose(found, file.sources());
  if (!comparison) return std::nullopt;
  return report::ComparisonReport{std::move(name), std::move(plans), std::move(*comparison), std::move(failed)};
}

void compareDeclared(Console& console, const std::vector<PricedFile>& files, bool several,
                     std::vector<report::ComparisonReport>& out) {
  for (const PricedFile& f : files)
    for (const api::Comparison& declared : f.declared) {
      std::vector<report::PlanReport> plans;
      std::vector<diff::Side> sides;
      addReports(*f.file, declared.plans, true, plans, sides);
      if (plans.size() < 2) continue; // the errors that leave so few are reported
      const std::string name = several ? f.file->shownPath() + ": " + declared.name : declared.name;
      if (auto comparison = compared(console, *f.file, name, std::move(plans), sides, declared.failed))
        out.push_back(std::move(*comparison));
    }
}

/// `files`: those of which plans are compared. `several` were asked for. `all`: the plans of all files beside each
/// other, too. What that has to say of plans of several files stands in none of them.
Comparisons compareFiles(Console& console, const std::vector<PricedFile>& files, bool several, bool all) {
  Comparisons found;
  if (all && !files.empty()) {
    std::vector<report::PlanReport> plans;
    std::vector<diff::Side> sides;
    for (const PricedFile& f : files) addReports(*f.file, f.own, !several, plans, sides);
    found.asked = compared(console, *files.front().file, "", std::move(plans), sides, {});
  }
  compareDeclared(console, files, several, found.declared);
  return found;
}

/// Adds the name of a plan that does not fit, as its report calls it.
void outOfMemory(const api::Compilation& p, std::string& names) {
  if (p.estimate() && !p.estimate()->memory.fits)
    names +=
        fmt::format("{}`{}`", names.empty() ? "" : ", ", p.asked().label.empty() ? p.plan().title : p.asked().label);
}

/// What is allowed in vain, where all plans of the file were priced without errors.
void reportIdleAllowances(const PricedFile& f) {
  const auto good = [](const auto& plan) { return !plan->diagnostics().hasErrors(); };
  bool clean = !f.file->hasErrors() && std::all_of(f.own.begin(), f.own.end(), good);
  for (const api::Comparison& c : f.declared) clean = clean && std::all_of(c.plans.begin(), c.plans.end(), good);
  if (clean) f.file->reportIdleAllowances();
}

/// What is asked of each file.
struct Asked {
  Console& console;
  const Arguments& arguments;
  const EstimateFormat& format;
  const EstimateWriter& writer;
  ir::PlanEdit edit;
  bool compareAll = false; ///< needs all plans at once
};

/// What is left of a file when its plans are priced.
struct Estimated {
  std::string unreadable; ///< why
  bool set = true;        ///< what `--set` says can be read
  std::vector<ReportPiece> reports;
  RenderedDiagnostics diagnostics;
  Inputs inputs;
  std::string oom;                  ///< plans that do not fit
  std::optional<NoPlans> none;      ///< it has no plan, and what is said of that
  std::unique_ptr<PricedFile> kept; ///< where plans of it are compared
};

/// On any thread. `use` takes the reports of plans that stand in no comparison as they are done.
Estimated estimateFile(const Asked& asked, const WorkFile& work, const std::function<void(ReportPiece)>& use) {
  Estimated out;
  auto priced = std::make_unique<PricedFile>();
  priced->file = asked.arguments.text ? std::make_unique<InputFile>(asked.console, asked.arguments)
                                      : std::make_unique<InputFile>(asked.console, work.path, work.as);
  InputFile& file = *priced->file;
  if (!file.load(out.unreadable)) return out;
  out.set = file.set(asked.edit);
  if (!out.set) {
    out.diagnostics = file.rendered();
    out.inputs.add(file.sources(), file.shownPath());
    return out;
  }
  priced->read = !file.hasErrors();
  priceFile(asked.arguments, asked.format, *priced, [&](std::unique_ptr<api::Compilation> plan) {
    outOfMemory(*plan, out.oom);
    if (plan->estimate()) use(asked.writer.piece(reportOf(file, *plan)));
    if (!asked.compareAll) plan->release();
    priced->own.push_back(std::move(plan));
  });
  if (!asked.arguments.has("--plan")) reportIdleAllowances(*priced);
  out.diagnostics = file.rendered(priced->own);
  for (const api::Comparison& c : priced->declared) {
    out.diagnostics.add(file.rendered(c.plans));
    for (const auto& plan : c.plans) outOfMemory(*plan, out.oom);
  }
  out.inputs.add(file.sources(), file.shownPath());
  if (priced->own.empty() && priced->declared.empty()) out.none = noPlansIn(file);
  if (asked.compareAll || !priced->declared.empty()) out.kept = std::move(priced);
  return out;
}

/// What all files come to.
struct Outcome {
  std::string oom;             ///< plans that do not fit
  bool any = false;            ///< a file has a plan
  std::optional<NoPlans> none; ///< of the first file that was named by itself and has none
};

int exitCode(Console& console, const Arguments& arguments, const Outcome& outcome, size_t files) {
  if (console.hasErrors()) return kFailed;
  if (outcome.none) return console.usageError(outcome.none->problem, outcome.none->help);
  if (!outcome.any)
    return console.usageError(fmt::format("no plan whose parameters all have defaults in {} files", files));
  if (outcome.oom.empty() || arguments.has("--allow-oom")) return kClean;
  console.remark(fmt::format("does not fit: {}; with `--allow-oom` that is no error\n", outcome.oom));
  return kFailed;
}

int runEstimate(Console& console, const Arguments& arguments) {
  const auto edit = editOf(console, arguments);
  const auto jobs = jobsOf(console, arguments);
  const auto stdinPath = stdinPathOf(console, arguments);
  if (!edit || !jobs || !stdinPath) return kUsage;
  WorkFiles work;
  if (filesOf(console, arguments.positional, work, *stdinPath) == kUsage) return kUsage;
  const size_t count = work.files.size();
  if (count > 1 && arguments.has("--plan"))
    return console.usageError("`--plan` names plans of one file; there are " + std::to_string(count),
                              "leave it out: every plan whose parameters all have defaults is priced");
  const EstimateFormat& format = estimateFormat(arguments);
  const auto writer = format.writer(console, arguments);
  const Asked asked{console, arguments, format, *writer, *edit, arguments.has("--compare")};
  Ordered<Estimated> files(count, *jobs);
  int stopped = kClean;
  bool set = true; // what `--set` says can be read
  Outcome outcome;
  Inputs inputs;
  RenderedDiagnostics held;
  std::vector<PricedFile> compared;
  const auto estimate = [&](size_t i) {
    if (!files.threaded()) // printed as it comes: a file may hold thousands of plans
      return estimateFile(asked, work.files[i], [&](const ReportPiece& piece) { writer->add(piece); });
    std::vector<ReportPiece> reports;
    Estimated out = estimateFile(asked, work.files[i], [&](ReportPiece piece) { reports.push_back(std::move(piece)); });
    out.reports = std::move(reports);
    return out;
  };
  files.run(estimate, [&, i = size_t(0)](Estimated file) mutable {
    const bool named = work.files[i++].named;
    if (!file.unreadable.empty()) {
      stopped = console.usageError(file.unreadable);
      return false;
    }
    for (const ReportPiece& piece : file.reports) writer->add(piece);
    if (format.diagnostics || !file.set)
      console.diagnose(std::move(file.diagnostics));
    else
      held.add(std::move(file.diagnostics));
    inputs.add(file.inputs);
    set = file.set;
    if (!set) return false;
    if (!file.oom.empty()) outcome.oom += (outcome.oom.empty() ? "" : ", ") + file.oom;
    outcome.any = outcome.any || !file.none;
    if (named && !outcome.none) outcome.none = std::move(file.none);
    if (file.kept) compared.push_back(std::move(*file.kept));
    return true;
  });
  if (stopped != kClean) return stopped;
  const Comparisons comparisons =
      set ? compareFiles(console, compared, count > 1, asked.compareAll) : Comparisons(); // of what was left out
  if (format.diagnostics) console.summarize();
  writer->finish(comparisons, inputs);
  if (!format.diagnostics) {
    console.diagnose(std::move(held));
    console.summarize();
  }
  return exitCode(console, arguments, outcome, count);
}

} // namespace

const Command kEstimateCommand = {
    "estimate",
    "price the plans of files: time, memory, communication and cost of a step, per layer and in all",
    {{"FILE", 0, kMany,
      "a .plan file, a folder of them, or - for stdin; what planc.toml lists, if not said. `--model` and "
      "`--cluster` stand for a file that `planc new` writes"}},
    {{"--plan",
      "NAME",
      {},
      "only this plan or comparison, and others by repeating it; 'NAME(nodes = 8)' binds its parameters",
      kEach},
     kSetOption,
     kModelOption,
     kClusterOption,
     kDevicesOption,
     kRecipeOption,
     kSeqOption,
     kBatchOption,
     kTokensOption,
     kJobsOption,
     kStdinOption,
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
