// `planc diff`: compares the plans of two versions: changed numbers, their origin, and whose change it is.
// SPDX-License-Identifier: Apache-2.0
#include "driver/diff/DiffAsked.h"
#include "driver/diff/DiffCompare.h"
#include "driver/files/JsonDocument.h"
#include "driver/files/OptionValues.h"
#include "driver/files/PrintResult.h"
#include "driver/words/Commands.h"
#include "driver/words/Help.h"
#include "packages/Contents.h"
#include "project/GitTree.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace planc::driver {

PLANC_ERROR(SubmoduleLacks, 1125, "`{revision}` cannot be read completely: {reason}")

namespace {

constexpr std::string_view kGithub = "github";

std::vector<std::string_view> formats() {
  std::vector<std::string_view> all = resultFormats();
  all.push_back(kGithub);
  return all;
}

void price(DiffSide& side, size_t jobs) {
  if (side.json) return;
  side.planc = versionNumber();
  side.library = libraryDigest();
  priceSide(side, jobs);
}

void write(Console& console, const Arguments& arguments, const report::DiffReport& found) {
  const std::string format = *arguments.value("--format");
  if (format == kGithub) return console.out(report::diffGithub(found));
  const auto writer = resultWriter(console, format, kDiffFormat);
  writer->begin({});
  writer->add(writer->piece(diffDocument(found, writer->shown(), {.allLayers = arguments.has("--all")})));
  writer->finish({});
}

/// Returns errors about packages that an earlier state cannot read. Their plans are unknown rather than broken.
std::set<std::string> packagesMissing(const DiffSide& side) {
  std::set<std::string> out;
  if (side.tree)
    for (const SideFile& file : side.files)
      for (const auto& diagnostics : file.diagnostics)
        if (const Diagnostic* first = diagnostics->firstError(); first && packages::isOfPackages(*first->kind))
          out.insert(first->message);
  return out;
}

/// Reports errors of the comparison and of the newer side; errors of the older side are part of the result. Returns
/// false if a file of either side cannot be read.
bool reportErrors(Console& console, DiffAsked& asked) {
  if (asked.before.tree)
    for (const std::string& missing : static_cast<const project::GitTree&>(*asked.before.tree).missing())
      asked.problems.report(SubmoduleLacks, asked.placeOf("--against", asked.before.name),
                            {{"revision", asked.before.name}, {"reason", missing}});
  for (const std::string& missing : packagesMissing(asked.before))
    asked.problems
        .report(SubmoduleLacks, asked.placeOf("--against", asked.before.name),
                {{"revision", asked.before.name}, {"reason", missing}})
        .help(fmt::format("`planc lib fetch --against {}` fetches the packages that it locks; a folder outside of the "
                          "repository has no known earlier state",
                          asked.before.name));
  console.diagnose(asked.problems, asked.words);
  bool read = true;
  for (const DiffSide* side : {&asked.before, &asked.after})
    for (const SideFile& file : side->files) {
      if (file.unreadable) console.usageError(file.error.text);
      read = read && !file.unreadable;
      if (side == &asked.after)
        for (const auto& diagnostics : file.diagnostics) console.diagnose(*diagnostics, file.read->sources());
    }
  return read;
}

/// Reads both sides. Returns kClean, or the exit code after a report and a JSON result without plans.
int readAll(Console& console, const Arguments& arguments, DiffAsked& asked) {
  int code = readAsked(console, arguments, asked);
  if (code == kClean) {
    DiagnosticEngine found;
    asked.gates = merged(std::move(asked.gates), gatesOf(asked.work.project.config(), found));
    console.diagnose(found, asked.work.project.sources());
  }
  if (code == kClean && !console.hasErrors()) return kClean;
  console.diagnose(asked.problems, asked.words);
  if (code != kUsage && *arguments.value("--format") == "json") write(console, arguments, {});
  console.summarize();
  return code == kClean ? kFailed : code;
}

int runDiff(Console& console, const Arguments& arguments) {
  const auto jobs = jobsOf(console, arguments);
  if (!jobs) return kUsage;
  if (const std::string format = *arguments.value("--format");
      arguments.has("--all") && format != "text" && format != "html")
    return console.usageError("`--all` has no effect with `--format " + format + "`",
                              "`--format json` has every part, and text with `--all`");
  DiffAsked asked;
  if (const int code = readAll(console, arguments, asked)) return code;
  price(asked.before, *jobs);
  price(asked.after, *jobs);
  report::DiffReport found = compared(asked.before, asked.after, asked.gates);
  found.project = std::move(asked.project);
  const bool read = reportErrors(console, asked);
  write(console, arguments, found);
  console.summarize();
  if (!read) return kUsage;
  return console.hasErrors() || !found.failures.empty() ? kFailed : kClean;
}

} // namespace

const Command kDiffCommand = {
    "diff",
    "compare two states of plans: totals before and after, the causes of the difference, and who caused it",
    {{"A|PATH", 0, kMany, "two .plan files, folders or JSON results of `estimate`; with --against one file or folder"}},
    {{"--against",
      "REV",
      {},
      "an earlier revision instead of A, as HEAD~1; origin/main... is the point where this branch left it"},
     {"--fail-if",
      "GATE",
      {},
      "fail if a metric changes by more, as 'step_time > +3%' or 'not memory.fits'; overrides the gate of planc.toml",
      kEach},
     kJobsOption,
     {"--format", "", formats(),
      "csv: a line per plan and metric; md: a comment for a pull request; github: annotations of its lines"},
     {"--all", "", {}, "print every part of a difference, even small ones"}},
    "planc diff --against HEAD~1 examples/llama3_70b_fsdp.plan",
    runDiff,
};

} // namespace planc::driver
