// Finds the two sides that the words of `planc diff` name.
// SPDX-License-Identifier: Apache-2.0
#include "driver/diff/DiffAsked.h"

#include "driver/files/Files.h"
#include "driver/files/OptionValues.h"
#include "project/GitTree.h"

#include <filesystem>
#include <fmt/format.h>
#include <set>

namespace planc::driver {

PLANC_ERROR(NotCompared, 1124, "`{path}` cannot be compared: {reason}")

namespace {

namespace fs = std::filesystem;

/// Returns the path below the compared root; empty for a file that is compared itself, because its name does not
/// matter.
std::string keyBelow(const std::string& root, const std::string& path) {
  return path == root ? "" : fs::path(path).lexically_relative(root).generic_string();
}

bool isJson(const std::string& path) {
  return fs::path(path).extension() == ".json";
}

/// Reads a side that is a file, a folder or a JSON result. Returns the exit code after a report, else kClean.
int oneSide(Console& console, DiffAsked& asked, const std::string& path, DiffSide& out, WorkFiles& work) {
  if (isJson(path)) {
    std::string problem;
    std::optional<DiffSide> read = jsonSide(path, problem);
    if (!read) {
      asked.problems.report(NotCompared, asked.placeOf("planc diff", path), {{"path", path}, {"reason", problem}})
          .help("`planc estimate --format json` prints a JSON result");
      return kFailed;
    }
    out = std::move(*read);
    return kClean;
  }
  out.name = path;
  if (std::error_code ignored; path != "-" && !fs::exists(path, ignored))
    return console.usageError(fmt::format("there is no {}", path),
                              project::isRevision(path)
                                  ? fmt::format("`{}` is a revision: `planc diff --against {}`", path, path)
                                  : "name two files, folders or JSON results");
  if (const int code = filesOf(console, {path}, work)) return code;
  for (const WorkFile& file : work.files) out.files.push_back({keyBelow(path, file.path), file.path});
  return kClean;
}

/// Returns the files of an earlier state that the words name, using the planc.toml of that time.
std::set<std::string> filesBefore(const project::GitTree& tree, const Project& project,
                                  std::vector<std::string> words) {
  if (words.empty())
    for (const project::ConfigText& listed : project.config().plans) words.push_back(project.config().shown(listed));
  std::set<std::string> out, seen; // `plans` and `./plans` name the same folder
  for (const std::string& word : words)
    for (const std::string& path : tree.plansBelow(word))
      if ((path == word || !passesOver(project, word, path)) && seen.insert(wholePath(path)).second) out.insert(path);
  return out;
}

/// Returns the project at the earlier state; nothing if there was none or it cannot be read.
std::optional<Project> projectBefore(const project::GitTree& tree, const Project& now) {
  if (now.config().path.empty()) return std::nullopt;
  std::string ignored;
  std::optional<std::string> text = tree.text(now.config().path, ignored);
  return text ? Project::earlier(now.config().path, std::move(*text)) : std::nullopt;
}

/// Reads the earlier side of `--against REV [PATH…]`.
int earlierSide(Console& console, DiffAsked& asked, const std::string& revision,
                const std::vector<std::string>& words) {
  const SourceRange place = asked.placeOf("--against", revision);
  const auto tree = project::GitTree::open(revision, words.empty() ? "." : words[0], place, asked.problems);
  if (!tree) return kFailed;
  std::vector<std::string> here;
  for (const std::string& word : words) {
    std::error_code ignored;
    if (!tree->holds(word))
      return console.usageError(fmt::format("{} is outside of the repository of revision `{}`", word, revision),
                                "compare two folders: `planc diff A B`");
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
  const std::optional<Project> was = projectBefore(*tree, asked.work.project);
  if (was) asked.project = project::changes(was->config(), asked.work.project.config());
  for (const std::string& path : filesBefore(*tree, was ? *was : asked.work.project, words))
    asked.before.files.push_back({path, path});
  return kClean;
}

} // namespace

SourceRange DiffAsked::placeOf(const std::string& option, const std::string& word) {
  const FileId file = words.add(option, word);
  return {file, 0, static_cast<uint32_t>(word.size())};
}

int readSides(Console& console, const std::optional<std::string>& revision, const std::vector<std::string>& paths,
              DiffAsked& asked) {
  if (revision) return earlierSide(console, asked, *revision, paths);
  WorkFiles beforeFiles;
  if (const int code = oneSide(console, asked, paths[0], asked.before, beforeFiles)) return code;
  return oneSide(console, asked, paths[1], asked.after, asked.work);
}

int readAsked(Console& console, const Arguments& arguments, DiffAsked& asked) {
  for (const std::string& word : arguments.all("--fail-if")) {
    GateMistake mistake;
    const std::optional<Gate> gate = gateOfWord(word, mistake);
    if (!gate) return console.usageError(mistake.problem, mistake.help);
    asked.gates.push_back(*gate);
  }
  const std::optional<std::string> revision = arguments.value("--against");
  if (!revision && arguments.positional.size() != 2)
    return console.usageError(
        fmt::format("`planc diff` compares two files, folders or JSON results, but there {}",
                    arguments.positional.size() == 1 ? "is one" : fmt::format("are {}", arguments.positional.size())),
        "name both, or compare with an earlier revision: `planc diff --against HEAD~1`");
  return readSides(console, revision, arguments.positional, asked);
}

} // namespace planc::driver
