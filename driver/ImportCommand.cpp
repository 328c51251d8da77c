// `planc import`: writes a plan that says what configuration files of other systems say.
// SPDX-License-Identifier: Apache-2.0
#include "api/Texts.h"
#include "driver/check/CheckPlan.h"
#include "driver/files/Files.h"
#include "driver/files/InputFile.h"
#include "driver/recipes/ClusterSize.h"
#include "driver/recipes/PackageExports.h"
#include "driver/recipes/RecipeText.h"
#include "driver/words/Commands.h"
#include "import/Import.h"
#include "support/Diagnostics.h"
#include "support/Step.h"
#include "support/text/Spelling.h"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <utility>

namespace planc::driver {

PLANC_WARNING(ImportedCount, 1212, "the model has {counted} parameters, but its name says {named}")
PLANC_ERROR(ImportedRejected, 1213, "the plan of this file has errors, so it is not written")

namespace {

constexpr std::string_view kPlace = "<planc import>", kOut = "-o", kSet = "--set", kCluster = "--cluster",
                           kSoftware = "--software", kModel = "--model";

/// The largest configuration that is read. They are a few kilobytes.
constexpr size_t kMostBytes = size_t(1) << 20;
/// Beyond this difference a count and the count of a name are not of the same model.
constexpr double kNameDiffers = 0.12;

/// Reads `--set KEY=VALUE`. Returns false after a usage error.
bool readSet(Console& console, const Arguments& arguments, foreign::ImportRequest& request) {
  for (const std::string& word : arguments.all(kSet)) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0 || hasControlCharacter(word)) {
      console.usageError(fmt::format("`{} {}` gives no value", kSet, word),
                         "write `--set devices=64`, `--set micro-batch-size=2`");
      return false;
    }
    const std::string key = word.substr(0, equals);
    for (const auto& [other, value] : request.set)
      if (other == key) {
        console.usageError(fmt::format("`{}` gives `{}` two values", kSet, key), "remove one of them");
        return false;
      }
    request.set.emplace_back(key, word.substr(equals + 1));
  }
  return true;
}

/// The command line as a comment of the plan.
std::string commandOf(const Arguments& arguments) {
  std::string out = "planc import";
  for (const std::string& word : arguments.positional) out += " " + word;
  for (const std::string_view option : {kSet, kModel, kCluster, kSoftware})
    for (const std::string& value : arguments.all(option)) out += fmt::format(" {} {}", option, value);
  return out;
}

/// What one command works on.
struct ImportRun {
  Console& console;
  const Arguments& arguments;
  std::string place;
  SourceManager sources{};
  DiagnosticEngine found{};
  api::Catalogue catalogue{};
  std::vector<api::Export> exports{};

  ImportRun(Console& to, const Arguments& given)
      : console(to), arguments(given), place(given.value(kOut).value_or(std::string(kPlace))) {}
};

/// The names of a text that is written, with its own import lines.
struct NamedText {
  ImportLines lines;
  foreign::TextNames names{};

  NamedText(ImportRun& run) : lines(run.place, run.exports) {
    names.name = [this, &run](const std::string& path) {
      const api::Export* decl = api::exportOf(run.exports, path);
      return decl ? lines.add(NamedExport{*decl, {}, {}}) : path;
    };
    names.imports = [this] { return lines.text(); };
  }
  NamedText(const NamedText&) = delete;
};

/// Chooses the recipe that the library considers usual for the model and the cluster. `what.model` is
/// `@path@(arguments)`.
bool takeUsual(ImportRun& run, foreign::Imported& what, const NamedExport& cluster, const SizedCluster& sized) {
  const size_t end = what.model.find('@', 1);
  const api::Export* model =
      end == std::string::npos ? nullptr : api::exportOf(run.exports, what.model.substr(1, end - 1));
  if (!model || what.model.size() < end + 3) return true;
  const std::string arguments = what.model.substr(end + 2, what.model.size() - end - 3);
  RecipePlan plan{NamedExport{*model, {}, arguments}, cluster, {}, ImportLines(run.place, run.exports)};
  plan.imports.add(cluster);
  plan.sized = sized;
  if (!chooseRecipe(run.console, run.catalogue, plan)) return false;
  what.recipe = plan.recipe.decl.module + "." + plan.recipe.decl.name;
  return true;
}

/// Adds the model, the cluster and the software of the command line to a text. Returns false after a usage error.
bool addNames(ImportRun& run, foreign::Imported& what, NamedText& text) {
  const auto word = [&](std::string_view option) { return run.arguments.value(option); };
  if (const auto model = word(kModel)) {
    auto found = namedExport(run.console, run.catalogue, kWantedModel, *model);
    if (!found) return false;
    text.names.model = found->called(text.lines.add(*found));
  }
  const std::string cluster = word(kCluster).value_or(what.cluster);
  if (cluster.empty() || what.recipe.empty()) return true;
  auto found = namedExport(run.console, run.catalogue, kWantedCluster, cluster);
  if (!found) return false;
  auto sized = sizedCluster(run.console, *found, text.lines, what.devices);
  if (!sized) return false;
  if (what.usual && !takeUsual(run, what, *found, *sized)) return false;
  text.names.before = sized->derived;
  text.names.cluster = sized->text();
  if (const auto software = word(kSoftware)) {
    auto stack = namedExport(run.console, run.catalogue, *wantedOfType("stack"), *software);
    if (!stack) return false;
    text.names.software = stack->called(text.lines.add(*stack));
  }
  return true;
}

/// Reads the files and imports them. Returns nothing and sets `code` after errors.
std::optional<foreign::Imported> importedOf(ImportRun& run, int& code) {
  foreign::ImportRequest request{
      run.arguments.positional[0], {}, {}, run.arguments.given(kModel), run.arguments.given(kCluster)};
  code = kUsage;
  if (!readSet(run.console, run.arguments, request)) return std::nullopt;
  for (size_t i = 1; i < run.arguments.positional.size(); ++i) {
    const std::string& path = run.arguments.positional[i];
    std::string error;
    std::optional<std::string> text = readFile(path, error, kMostBytes);
    if (!text) {
      run.console.usageError(fmt::format("cannot read {}: {}", path, error));
      return std::nullopt;
    }
    request.files.push_back(run.sources.add(path == "-" ? "<stdin>" : path, std::move(*text)));
  }
  std::vector<std::string> unused;
  std::optional<foreign::Imported> out = foreign::imported(request, run.sources, run.found, unused);
  if (!out) {
    run.console.diagnose(run.found, run.sources);
    run.console.summarize();
    code = kFailed;
    return std::nullopt;
  }
  for (const std::string& key : unused) {
    run.console.usageError(fmt::format("`{} {}=…`: the files have no such field or variable", kSet, key),
                           "write the key as the files do");
    return std::nullopt;
  }
  return out;
}

std::string countText(double count) {
  return count >= 1e9   ? fmt::format("{:.4g} B", count / 1e9)
         : count >= 1e6 ? fmt::format("{:.4g} M", count / 1e6)
                        : fmt::format("{:.0f}", count);
}

/// Counts the parameters of the model; nullopt if the model has errors.
std::optional<double> countOf(ImportRun& run, const foreign::Imported& what) {
  NamedText text(run);
  if (const auto model = run.arguments.value(kModel)) {
    auto found = namedExport(run.console, run.catalogue, kWantedModel, *model);
    if (!found) return std::nullopt;
    text.names.model = found->called(text.lines.add(*found));
  }
  auto found = namedExport(run.console, run.catalogue, kWantedCluster, foreign::usualCluster());
  if (!found) return std::nullopt;
  auto sized = sizedCluster(run.console, *found, text.lines, std::nullopt);
  if (!sized) return std::nullopt;
  api::PlanFile file;
  file.loadText(run.place, foreign::countingText(what, text.names, sized->text()));
  std::optional<double> out;
  file.check([&](std::unique_ptr<api::Compilation> plan) {
    if (plan->plan().model) out = plan->plan().model->parameterCount();
  });
  return out;
}

/// Says what was used and counted, and warns if the name says another count.
std::string summaryOf(ImportRun& run, const foreign::Imported& what, std::optional<double> count) {
  std::string out = "planc: " + foreign::useText(what.use) + "\n";
  if (!count) return out;
  out += fmt::format("planc: {} parameters", countText(*count));
  if (what.named) {
    const double off = *count / *what.named - 1;
    out += fmt::format(", the name says {} ({:+.1f} %)", countText(*what.named), 100 * off);
    if (std::abs(off) > kNameDiffers)
      run.found
          .report(ImportedCount, {FileId(0), 0, 0}, {{"counted", countText(*count)}, {"named", countText(*what.named)}})
          .help("compare the parameters with those that the model's authors publish: `planc explain FILE params` lists "
                "them");
  }
  return out + "\n";
}

/// Checks the text as a plan file. Returns false after errors, which are reported.
bool isClean(ImportRun& run, const std::string& text) {
  InputFile file(run.console, run.place);
  file.take(text);
  Plans plans;
  file.check([&](std::unique_ptr<api::Compilation> plan) {
    checkPlan(*plan);
    plans.push_back(std::move(plan));
  });
  file.report(plans);
  return !run.console.hasErrors();
}

int runImport(Console& console, const Arguments& arguments) {
  Step step("importing");
  ImportRun run(console, arguments);
  if (const auto path = arguments.value(kOut))
    if (const std::string taken = takenPlanPath(*path); !taken.empty())
      return console.usageError(fmt::format("{}, so nothing was written", taken), "write into a new file");
  int code = kUsage;
  std::optional<foreign::Imported> what = importedOf(run, code);
  if (!what) return code;
  run.catalogue.addLibrary();
  if (addPackages(console,
                  std::array{arguments.value(kModel).value_or("std"), arguments.value(kCluster).value_or("std"),
                             arguments.value(kSoftware).value_or("std")},
                  run.catalogue))
    return kUsage;
  run.exports = run.catalogue.exports({}, api::Detail::Names);
  NamedText names(run);
  names.names.command = commandOf(arguments);
  if (!addNames(run, *what, names)) return kUsage;
  const std::string text = foreign::textOf(*what, names.names);
  SourceManager written;
  DiagnosticEngine wrong;
  const std::optional<std::string> formatted = api::formatText(written, written.add(run.place, text), wrong);
  const std::string summary = formatted ? summaryOf(run, *what, countOf(run, *what)) : "";
  console.diagnose(run.found, run.sources);
  if (!formatted) console.diagnose(wrong, written);
  if (!formatted || !isClean(run, *formatted)) {
    DiagnosticEngine rejected;
    rejected.report(ImportedRejected, {FileId(0), 0, 0})
        .help("its sizes contradict each other, or the cluster does not suit them: see the errors above");
    console.diagnose(rejected, run.sources);
    console.summarize();
    return kFailed;
  }
  const std::optional<std::string> path = arguments.value(kOut);
  if (path) {
    if (const std::string problem = writeFile(*path, *formatted); !problem.empty())
      return console.usageError(fmt::format("cannot write {}: {}", *path, problem));
  } else
    console.out(*formatted);
  console.note(summary);
  return kClean;
}

} // namespace

const Command kImportCommand = {
    "import",
    "write a plan that says what configuration files of another system say",
    {{"FORMAT", 1, 1,
      "hf: config.json; megatron: arguments, a script or YAML; torchtitan: TOML; deepspeed, calculon, simumax, madmax: "
      "JSON",
      foreign::formatNames},
     {"FILE", 1, kMany, "a configuration; `-` is stdin"}},
    {{kOut, "FILE", {}, "write the plan to a new file; default: stdout"},
     {kSet,
      "KEY=VALUE",
      {},
      "a value for a field, for a variable of a script, or for `devices`, the number of devices; repeat it for others",
      kEach},
     {kModel, "NAME", {}, "the model, if the files name none: as llama3_8b"},
     {kCluster, "NAME", {}, "the cluster, as hgx_h100; without it a file of a model alone becomes a model"},
     {kSoftware, "NAME", {}, "the software stack; default: the recipe chooses one"}},
    "planc import hf config.json --cluster hgx_h100 -o mine.plan",
    runImport,
};

} // namespace planc::driver
