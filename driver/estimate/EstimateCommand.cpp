// `planc estimate`: prices the plans of files, prints a report each, and compares them.
// SPDX-License-Identifier: Apache-2.0
#include "driver/estimate/ComparedPlans.h"
#include "driver/files/InputFile.h"
#include "driver/files/JsonDocument.h"
#include "driver/files/OptionValues.h"
#include "driver/files/Parallel.h"
#include "driver/files/PrintResult.h"
#include "driver/files/WorkFiles.h"
#include "driver/recipes/RecipeWords.h"
#include "driver/words/Commands.h"
#include "report/estimate/Estimate.h"

#include <algorithm>
#include <fmt/core.h>
#include <functional>
#include <utility>

namespace planc::driver {
namespace {

/// A file with the requested plans.
struct PricedFile {
  std::unique_ptr<InputFile> file;
  bool read = true; ///< no syntax errors; otherwise plans may be incomplete or misread
  Plans own;        ///< plans that were reported are released
  std::vector<api::Comparison> declared;
};

/// Prices a plan. `effects`: also price its recomputation and, with `fixes`, changes that may make it fit.
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

/// Checks a file and elaborates the requested plans and comparisons: those of `--plan`, or all. `use` receives the
/// plans that are not part of a comparison, one after the other.
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

/// Prices the plans of a file. `done` receives those that are not part of a comparison.
void priceFile(const Arguments& arguments, Shown shown, PricedFile& out, const api::CompilationUse& done) {
  const bool fixes = !arguments.has("--no-fixes");
  elaborate(arguments, out, [&](std::unique_ptr<api::Compilation> plan) {
    price(out, *plan, shown != Shown::Sheets, fixes); // no table has them
    done(std::move(plan));
  });
  for (api::Comparison& c : out.declared)
    for (const auto& plan : c.plans) {
      price(out, *plan, shown == Shown::Data, fixes); // the page of a comparison has no reports
      if (!plan->estimate()) c.failed.push_back(plan->asked().label);
    }
}

void compareDeclared(Console& console, const std::vector<PricedFile>& files, bool several,
                     std::vector<report::ComparisonReport>& out) {
  for (const PricedFile& f : files)
    for (const api::Comparison& declared : f.declared) {
      std::vector<report::PlanReport> plans;
      std::vector<diff::ComparedEstimate> sides;
      addReports(*f.file, declared.plans, true, plans, sides);
      if (plans.size() < 2) continue; // the errors that leave so few plans are reported
      const std::string name = several ? f.file->shownPath() + ": " + declared.name : declared.name;
      if (auto comparison = compared(console, *f.file, name, std::move(plans), sides, declared.failed))
        out.push_back(std::move(*comparison));
    }
}

/// How plans compare.
struct Comparisons {
  std::optional<report::ComparisonReport> all; ///< all plans beside each other
  std::vector<report::ComparisonReport> declared;
};

/// Returns the comparisons. `files`: the files with plans to compare. `several`: more than one file was requested.
/// `all`: also compare the plans of all files; if they are of several files, diagnostics show no place.
Comparisons compareFiles(Console& console, const std::vector<PricedFile>& files, bool several, bool all) {
  Comparisons found;
  if (all && !files.empty()) {
    std::vector<report::PlanReport> plans;
    std::vector<diff::ComparedEstimate> sides;
    for (const PricedFile& f : files) addReports(*f.file, f.own, !several, plans, sides);
    found.all = compared(console, *files.front().file, "", std::move(plans), sides, {});
  }
  compareDeclared(console, files, several, found.declared);
  return found;
}

/// Appends the name of a plan that does not fit, as its report calls it.
void outOfMemory(const api::Compilation& p, std::string& names) {
  if (p.estimate() && !p.estimate()->memory.fits)
    names +=
        fmt::format("{}`{}`", names.empty() ? "" : ", ", p.asked().label.empty() ? p.plan().title : p.asked().label);
}

/// Reports allowances without effect, if all plans of the file were priced without errors.
void reportIdleAllowances(const PricedFile& f) {
  const auto good = [](const auto& plan) { return !plan->diagnostics().hasErrors(); };
  bool clean = !f.file->hasErrors() && std::all_of(f.own.begin(), f.own.end(), good);
  for (const api::Comparison& c : f.declared) clean = clean && std::all_of(c.plans.begin(), c.plans.end(), good);
  if (clean) f.file->reportIdleAllowances();
}

using Piece = ResultWriter::Piece;

/// The options that apply to each file.
struct EstimateRequest {
  Console& console;
  const Arguments& arguments;
  const ResultWriter& writer;
  ir::PlanEdit edit;
  bool compareAll = false; ///< needs all plans at once

  report::Document document(const report::PlanReport& report) const {
    return estimateDocument(
        report, writer.shown(),
        {.allLayers = arguments.has("--all"),
         .order = arguments.value("--sort") == "time" ? report::LayerOrder::Time : report::LayerOrder::Model});
  }
};

/// Writes the comparisons behind the plans.
void write(ResultWriter& writer, const Comparisons& comparisons) {
  const auto add = [&](const report::ComparisonReport& c) {
    writer.add(writer.piece(comparisonDocument(c, writer.shown())));
  };
  if (comparisons.all) {
    writer.begin({.member = "comparison", .list = false, .replaces = true});
    add(*comparisons.all);
  }
  if (comparisons.declared.empty()) return;
  writer.begin({"comparisons"});
  for (const report::ComparisonReport& c : comparisons.declared) add(c);
}

/// The result for one file.
struct Estimated {
  std::string unreadable; ///< why it cannot be read; empty if it can
  bool set = true;        ///< `--set` was understood
  std::vector<Piece> reports;
  RenderedDiagnostics diagnostics;
  Inputs inputs;
  std::string oom;                  ///< names of plans that do not fit
  std::optional<NoPlans> none;      ///< the message if the file has no plan
  std::unique_ptr<PricedFile> kept; ///< if plans of the file are compared
};

/// Prices a file; may run on any thread. `use` receives each report of a plan that is not part of a comparison.
Estimated estimateFile(const EstimateRequest& asked, const WorkFile& work, const std::function<void(Piece)>& use) {
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
  priceFile(asked.arguments, asked.writer.shown(), *priced, [&](std::unique_ptr<api::Compilation> plan) {
    outOfMemory(*plan, out.oom);
    if (plan->estimate()) use(asked.writer.piece(asked.document(reportOf(file, *plan))));
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

/// The result for all files.
struct Outcome {
  std::string oom;             ///< names of plans that do not fit
  bool any = false;            ///< at least one file has a plan
  std::optional<NoPlans> none; ///< message of the first file without a plan that was named itself
};

int exitCode(Console& console, const Arguments& arguments, const Outcome& outcome, size_t files) {
  if (console.hasErrors()) return kFailed;
  if (outcome.none) return console.usageError(outcome.none->problem, outcome.none->help);
  if (!outcome.any)
    return console.usageError(fmt::format("no plan whose parameters all have defaults in {} files", files));
  if (outcome.oom.empty() || arguments.has("--allow-oom")) return kClean;
  console.remark(fmt::format("does not fit: {}; with `--allow-oom` this is not an error\n", outcome.oom));
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
                              "remove it: every plan whose parameters all have defaults is priced");
  const auto writer = resultWriter(console, *arguments.value("--format"), kPlansFormat);
  const EstimateRequest asked{console, arguments, *writer, *edit, arguments.has("--compare")};
  writer->begin({"plans"});
  Ordered<Estimated> files(count, *jobs);
  int stopped = kClean;
  bool set = true; // `--set` was understood
  Outcome outcome;
  Inputs inputs;
  const bool inside = writer->shown() == Shown::Data; // the result holds the diagnostics; else they stand behind it
  RenderedDiagnostics held;
  std::vector<PricedFile> compared;
  const auto estimate = [&](size_t i) {
    if (!files.threaded()) // print reports immediately, because a file may hold thousands of plans
      return estimateFile(asked, work.files[i], [&](const Piece& piece) { writer->add(piece); });
    std::vector<Piece> reports;
    Estimated out = estimateFile(asked, work.files[i], [&](Piece piece) { reports.push_back(std::move(piece)); });
    out.reports = std::move(reports);
    return out;
  };
  files.run(estimate, [&, i = size_t(0)](Estimated file) mutable {
    const bool named = work.files[i++].named;
    if (!file.unreadable.empty()) {
      stopped = console.usageError(file.unreadable);
      return false;
    }
    for (const Piece& piece : file.reports) writer->add(piece);
    if (inside || !file.set)
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
  const Comparisons comparisons = set ? compareFiles(console, compared, count > 1, asked.compareAll)
                                      : Comparisons(); // without them, plans are missing
  if (inside) console.summarize();
  write(*writer, comparisons);
  writer->finish(inside ? nlohmann::ordered_json{{"inputs", inputs.json()}, {"library_sha256", libraryDigest()}}
                        : nlohmann::ordered_json());
  if (!inside) {
    console.diagnose(std::move(held));
    console.summarize();
  }
  return exitCode(console, arguments, outcome, count);
}

} // namespace

const Command kEstimateCommand = {
    "estimate",
    "price the plans of files: time, memory, communication and cost of a step, per layer and in total",
    {{"FILE", 0, kMany,
      "a .plan file, a folder of them, or - for stdin; default: the files of planc.toml. `--model` and `--cluster` "
      "replace a file that `planc new` writes"}},
    {{"--plan",
      "NAME",
      {},
      "only this plan or comparison; repeat it for others; 'NAME(nodes = 8)' binds its parameters",
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
     {"--format", "", resultFormats(),
      "csv: a line per layer, per number of a run and per plan of a comparison; with --compare a line per plan"},
     {"--compare", "", {}, "end with a table of all plans; plans of a `compare` declaration always have one"},
     {"--sort", "", {"model", "time"}, "layers in the order of the model, or by their time"},
     {"--all", "", {}, "a line per layer and stage, even if stages are equal"},
     {"--allow-oom", "", {}, "do not fail when memory does not fit"},
     {"--no-fixes", "", {}, "do not look for changes that make a plan fit"}},
    "planc estimate examples/gpt3_175b.plan",
    runEstimate,
};

} // namespace planc::driver
