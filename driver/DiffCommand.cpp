// `planc diff`: what became of the plans of one version in another: numbers, where they come from, and whose change it
// is.
// SPDX-License-Identifier: Apache-2.0
#include "backends/diff/Pairs.h"
#include "backends/report/DiffReport.h"
#include "driver/Commands.h"
#include "driver/DiffSide.h"
#include "driver/Files.h"
#include "driver/Gates.h"
#include "driver/Help.h"
#include "driver/JsonDocument.h"
#include "driver/OptionValues.h"
#include "driver/Parallel.h"
#include "driver/WorkFiles.h"
#include "project/GitTree.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace planc::driver {

PLANC_ERROR(NotCompared, 1124, "`{path}` cannot be compared: {reason}")
PLANC_ERROR(SubmoduleLacks, 1125, "`{revision}` cannot be read as a whole: {reason}")

namespace {

namespace fs = std::filesystem;

/// What the command line asks to compare.
struct Asked {
  WorkFiles work;
  Side before, after;
  std::vector<Gate> gates;
  SourceManager words; ///< as the places of what is wrong with them
  DiagnosticEngine problems;
};

SourceRange placeOf(Asked& asked, const std::string& option, const std::string& word) {
  const FileId file = asked.words.add(option, word);
  return {file, 0, static_cast<uint32_t>(word.size())};
}

/// Its path below what is compared: the name of a file that is compared itself says nothing.
std::string keyBelow(const std::string& root, const std::string& path) {
  return path == root ? "" : fs::path(path).lexically_relative(root).generic_string();
}

bool isJson(const std::string& path) {
  return fs::path(path).extension() == ".json";
}

/// A side of a file, a folder, or a result. Not kClean after a report.
int oneSide(Console& console, Asked& asked, const std::string& path, Side& out, WorkFiles& work) {
  if (isJson(path)) {
    std::string problem;
    std::optional<Side> read = jsonSide(path, problem);
    if (!read) {
      asked.problems.report(NotCompared, placeOf(asked, "planc diff", path), {{"path", path}, {"reason", problem}})
          .help("a JSON result is what `planc estimate --format json` prints");
      return kFailed;
    }
    out = std::move(*read);
    return kClean;
  }
  out.name = path;
  if (const int code = filesOf(console, {path}, work)) return code;
  for (const WorkFile& file : work.files) out.files.push_back({keyBelow(path, file.path), file.path});
  return kClean;
}

/// The files of an earlier state that these words stand for.
std::set<std::string> filesBefore(const project::GitTree& tree, const Asked& asked, std::vector<std::string> words) {
  if (words.empty())
    for (const project::ConfigText& listed : asked.work.project.config().plans)
      words.push_back(asked.work.project.config().shown(listed));
  std::set<std::string> out;
  for (const std::string& word : words)
    for (const std::string& path : tree.plansBelow(word))
      if (path == word || !passesOver(asked.work.project, word, path)) out.insert(path);
  return out;
}

/// `--against REV [PATH…]`.
int earlierSide(Console& console, Asked& asked, const std::string& revision, const std::vector<std::string>& words) {
  const SourceRange place = placeOf(asked, "--against", revision);
  const auto tree = project::GitTree::open(revision, words.empty() ? "." : words[0], place, asked.problems);
  if (!tree) return kFailed;
  std::vector<std::string> here;
  for (const std::string& word : words) {
    std::error_code ignored;
    if (fs::exists(word, ignored))
      here.push_back(word);
    else if (tree->plansBelow(word).empty())
      return console.usageError(fmt::format("there is no {}, neither here nor at {}", word, revision));
  }
  if (words.empty() || !here.empty())
    if (const int code = filesOf(console, here, asked.work)) return code;
  asked.after.name = "the working tree";
  for (const WorkFile& file : asked.work.files) asked.after.files.push_back({file.path, file.path});
  asked.before.name = revision;
  asked.before.tree = tree;
  for (const std::string& path : filesBefore(*tree, asked, words)) asked.before.files.push_back({path, path});
  return kClean;
}

int readAsked(Console& console, const Arguments& arguments, Asked& asked) {
  for (const std::string& word : arguments.all("--fail-if")) {
    GateMistake mistake;
    const std::optional<Gate> gate = gateOfWord(word, mistake);
    if (!gate) return console.usageError(mistake.problem, mistake.help);
    asked.gates.push_back(*gate);
  }
  if (const auto revision = arguments.value("--against"))
    return earlierSide(console, asked, *revision, arguments.positional);
  if (arguments.positional.size() != 2)
    return console.usageError(
        fmt::format("`planc diff` compares two files, folders or JSON results; there {}",
                    arguments.positional.size() == 1 ? "is one" : fmt::format("are {}", arguments.positional.size())),
        "name both, or an earlier state of what is here: `planc diff --against HEAD~1`");
  WorkFiles beforeFiles;
  if (const int code = oneSide(console, asked, arguments.positional[0], asked.before, beforeFiles)) return code;
  return oneSide(console, asked, arguments.positional[1], asked.after, asked.work);
}

void price(Side& side, size_t jobs) {
  if (side.json) return;
  side.planc = versionNumber();
  side.library = libraryDigest();
  size_t done = 0;
  Ordered<SideFile>(side.files.size(), jobs)
      .run([&](size_t i) { return priceSideFile(side.tree, side.files[i].key, side.files[i].path); },
           [&](SideFile file) {
             side.files[done++] = std::move(file);
             return true;
           });
}

/// Both sides as candidates of pairs, with the file of each.
struct Candidates {
  std::vector<diff::Candidate> plans;
  std::vector<const SideFile*> files;
  explicit Candidates(const Side& side) {
    for (const SideFile& file : side.files)
      for (const diff::Result& result : file.results) {
        plans.push_back({file.key, &result});
        files.push_back(&file);
      }
  }
};

/// Tells whose change it is; prices old plans with new libraries where both differ, each file once.
class Origins {
public:
  Origins(const Side& before, const Side& after) : before_(before), after_(after) {}

  diff::Origin of(const SideFile& before, const SideFile& after, const diff::Result& result) {
    diff::Origin out;
    out.planc = before_.planc != after_.planc || before_.library != after_.library;
    out.libraries = before.imports != after.imports;
    out.plan = before.digest != after.digest;
    if (before_.json || after_.json) {
      out.unsplit = "a JSON result cannot be priced again; compare the files themselves";
      return out;
    }
    if (!out.libraries || !out.plan) return out;
    const auto [known, fresh] = mixed_.try_emplace({&before, &after});
    if (fresh) known->second = priceSideFile(after_.tree, after.key, after.path, before.text);
    for (const diff::Result& between : known->second.results)
      if (between.name() == result.name()) out.between = &between;
    if (!out.between)
      out.unsplit = "the plan as it was does not compile with the libraries as they are" +
                    (known->second.error.empty() ? "" : ": " + known->second.error);
    return out;
  }

private:
  const Side &before_, &after_;
  std::map<std::pair<const SideFile*, const SideFile*>, SideFile> mixed_;
};

const SideFile* fileOf(const Side& side, const std::string& key) {
  for (const SideFile& file : side.files)
    if (file.key == key) return &file;
  return nullptr;
}

/// Why a plan that one side has stands for no price on the other; empty where it is not there.
std::string errorOn(const Side& side, const std::string& key, const diff::Result& result) {
  const SideFile* file = fileOf(side, key);
  if (!file) return "";
  const auto failed = file->failed.find(result.name());
  return failed != file->failed.end() ? failed->second : file->error;
}

void judge(const std::vector<Gate>& gates, const report::PlanDiff& plan, report::DiffReport& out) {
  const diff::Difference& d = *plan.difference;
  for (const Gate& gate : gates) {
    const std::string metric(gate.metric->name());
    const auto before = d.before->metric(metric), after = d.after->metric(metric);
    if (!before || !after || !gate.fails(*before, *after)) continue;
    std::string where;
    for (const diff::OwnedChange& owned : d.owned)
      for (const diff::FactChange& fact : owned.facts)
        if (where.empty() && fact.after) where = fact.where;
    const double change = *before != 0 ? *after / *before - 1 : 0;
    out.failures.push_back({plan.id, fmt::format("{} {} {}", metric, gate.falling ? "<" : ">", gate.text),
                            fmt::format("{} → {} ({:+.1f} %)", formatQuantity(*before, gate.metric->unit),
                                        formatQuantity(*after, gate.metric->unit), 100 * change),
                            where});
  }
}

report::DiffReport compared(const Asked& asked) {
  report::DiffReport out;
  out.before = asked.before.name;
  out.after = asked.after.name;
  out.gates = asked.gates.size();
  const Candidates before(asked.before), after(asked.after);
  const diff::Pairs pairs = diff::pair(before.plans, after.plans);
  Origins origins(asked.before, asked.after);
  for (const auto& [a, b] : pairs.both) {
    const diff::Result &was = *before.plans[a].result, &is = *after.plans[b].result;
    report::PlanDiff plan{report::Fate::Changed, is.id()};
    const bool same = (before.plans[a].file == after.plans[b].file || was.file == is.file) && was.name() == is.name();
    if (!same) plan.was = was.id();
    plan.difference = diff::difference(was, is, origins.of(*before.files[a], *after.files[b], was));
    if (!plan.difference->any() && same) {
      ++out.equal;
      continue;
    }
    judge(asked.gates, plan, out);
    out.plans.push_back(std::move(plan));
  }
  for (const size_t b : pairs.fresh) {
    const diff::Result& result = *after.plans[b].result;
    std::string error = errorOn(asked.before, after.plans[b].file, result);
    const report::Fate fate = error.empty() ? report::Fate::Added : report::Fate::Mended;
    out.plans.push_back({fate, result.id(), "", {}, &result, std::move(error)});
  }
  for (const size_t a : pairs.gone) {
    const diff::Result& result = *before.plans[a].result;
    std::string error = errorOn(asked.after, before.plans[a].file, result);
    const report::Fate fate = error.empty() ? report::Fate::Removed : report::Fate::Broken;
    out.plans.push_back({fate, result.id(), "", {}, &result, std::move(error)});
  }
  report::sortWorstFirst(out);
  return out;
}

void write(Console& console, const Arguments& arguments, const report::DiffReport& found) {
  const std::string format = *arguments.value("--format");
  if (format == "json") {
    printJson(console, kDiffFormat, report::diffJson(found));
  } else if (format == "md") {
    console.out(report::diffMarkdown(found));
  } else if (format == "github") {
    console.out(report::diffGithub(found));
  } else {
    report::TextOptions options;
    options.color = console.colorOut();
    options.allLayers = arguments.has("--all");
    console.out(report::diffText(found, options));
  }
}

/// What is wrong with what is compared, and errors of the newer side: those of the older one are in the report.
void reportErrors(Console& console, Asked& asked) {
  if (asked.before.tree)
    for (const std::string& missing : static_cast<const project::GitTree&>(*asked.before.tree).missing())
      asked.problems.report(SubmoduleLacks, placeOf(asked, "--against", asked.before.name),
                            {{"revision", asked.before.name}, {"reason", missing}});
  console.diagnose(asked.problems, asked.words);
  for (const SideFile& file : asked.after.files) {
    for (const auto& diagnostics : file.diagnostics) console.diagnose(*diagnostics, file.read->sources());
    if (file.diagnostics.empty() && !file.error.empty()) console.usageError(file.error);
  }
}

int runDiff(Console& console, const Arguments& arguments) {
  const auto jobs = jobsOf(console, arguments);
  if (!jobs) return kUsage;
  Asked asked;
  int code = readAsked(console, arguments, asked);
  if (code == kClean) {
    DiagnosticEngine found;
    asked.gates = merged(std::move(asked.gates), gatesOf(asked.work.project.config(), found));
    console.diagnose(found, asked.work.project.sources());
  }
  if (code != kClean || console.hasErrors()) {
    console.diagnose(asked.problems, asked.words);
    console.summarize();
    return code == kClean ? kFailed : code;
  }
  price(asked.before, *jobs);
  price(asked.after, *jobs);
  const report::DiffReport found = compared(asked);
  reportErrors(console, asked);
  write(console, arguments, found);
  console.summarize();
  const bool unread = std::any_of(asked.after.files.begin(), asked.after.files.end(),
                                  [](const SideFile& file) { return file.diagnostics.empty() && !file.error.empty(); });
  if (unread) return kUsage;
  return console.hasErrors() || !found.failures.empty() ? kFailed : kClean;
}

} // namespace

const Command kDiffCommand = {
    "diff",
    "what became of plans: totals before and after, where the difference comes from, and whose it is",
    {{"A|PATH", 0, kMany,
      "two .plan files, folders or JSON results of `estimate`; with --against what of the repository is compared"}},
    {{"--against", "REV", {}, "an earlier state of the repository, as HEAD~1 or origin/main, in place of A"},
     {"--fail-if",
      "GATE",
      {},
      "fail where a metric changes by more, as 'step_time > +3%'; goes before the gates of planc.toml",
      kEach},
     kJobsOption,
     {"--format",
      "",
      {"text", "json", "md", "github"},
      "md: a comment for a pull request; github: annotations of its lines"},
     {"--all", "", {}, "every part of a difference, however small"}},
    "planc diff examples/llama3_8b_fsdp.plan examples/llama3_8b_fsdp.plan",
    runDiff,
};

} // namespace planc::driver
