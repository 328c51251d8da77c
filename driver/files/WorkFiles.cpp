// Finds the files that words of the command line and planc.toml name.
// SPDX-License-Identifier: Apache-2.0
#include "driver/files/WorkFiles.h"

#include "driver/files/Files.h"
#include "support/files/FileTree.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <set>

namespace planc::driver {
namespace {

namespace fs = std::filesystem;

/// The folder of vendored packages, which their owners check.
constexpr std::string_view kVendor = "vendor";

/// Returns whether a path is skipped when the folder `root` is searched. Folders are also skipped by their names.
bool isPassedOver(const Project& project, const std::string& root, const fs::path& path, bool folder) {
  const std::string name = path.filename().string();
  const bool here = name == "." || name == "..";
  return (folder && !here && (name.starts_with('.') || name == kVendor)) ||
         project.excludes(wholePath(path.string()), root);
}

/// Collects the files below a folder. Links to folders are not followed, because they may form a cycle. A folder that
/// cannot be read, or a link to a missing file, is collected itself, so that reading it reports the error.
void look(const Project& project, const std::string& folder, const std::string& root, std::string_view suffix,
          std::vector<std::string>& found) {
  std::error_code failed, ignored;
  std::vector<std::string> deeper;
  fs::directory_iterator it(folder, failed), end;
  for (; !failed && it != end; it.increment(failed)) {
    const fs::path& path = it->path();
    const bool isDeeper = it->is_directory(ignored);
    if (isPassedOver(project, root, path, isDeeper)) continue;
    if (isDeeper && !it->is_symlink(ignored))
      deeper.push_back(path.string());
    else if (!isDeeper && path.extension() == suffix)
      found.push_back(path.string());
  }
  if (failed) found.push_back(folder);
  for (const std::string& path : deeper) look(project, path, root, suffix, found);
}

/// Collects files in order; each file found in a folder is taken once.
class Collector {
public:
  Collector(const Project& project, std::vector<WorkFile>& out, std::string stdinPath = "")
      : project_(project), out_(out), stdinPath_(std::move(stdinPath)) {
    if (!stdinPath_.empty()) seen_.insert(wholePath(stdinPath_)); // the file of stdin is not taken from a folder
  }

  void add(const std::string& path) {
    if (isFolder(path)) return addFolder(path);
    const std::string whole = wholePath(path);
    seen_.insert(whole);
    if (brought_.contains(whole)) return;
    out_.push_back({path, true, path == "-" ? stdinPath_ : ""});
  }

private:
  /// Adds the files below a named folder. The folder itself is never skipped. Entries that cannot be read are added, so
  /// that reading them reports the error.
  void addFolder(const std::string& folder) {
    for (std::string& path : filesBelow(project_, folder, kPlanSuffix)) {
      const std::string whole = wholePath(path);
      if (!seen_.insert(whole).second) continue;
      brought_.insert(whole);
      out_.push_back({std::move(path), false, ""});
    }
  }

  const Project& project_;
  std::vector<WorkFile>& out_;
  std::string stdinPath_;
  std::set<std::string> seen_, brought_; ///< seen in any word; found in a folder
};

/// Returns the plans that planc.toml lists, for a command line without files.
int listedPlans(Console& console, const Project& project, std::vector<std::string>& out) {
  const project::Config& config = project.config();
  if (config.path.empty())
    return console.usageError("no file is given, and there is no planc.toml in this folder or above it",
                              "name a .plan file or a folder of them, or list them in a planc.toml: `[project]`, and "
                              "below it `plans = [\"plans\"]`");
  if (config.plans.empty())
    return console.usageError(fmt::format("no file is named, and {} lists no plans", config.path),
                              "name a .plan file or a folder of them, or list them below `[project]` as `plans = "
                              "[\"plans\"]`");
  return project.listed(console, config.plans, "plans", out);
}

int nothingFound(Console& console, const Project& project, const std::vector<std::string>& words) {
  const std::string also =
      project.config().exclude.empty() ? "" : fmt::format(", and paths that {} excludes", project.config().path);
  return console.usageError("no .plan file in " + words[0],
                            fmt::format("hidden folders and folders named `{}` are skipped{}", kVendor, also));
}

/// Returns the folder from which planc.toml is searched upwards.
std::string folderOfWord(const std::string& word, const std::string& stdinPath) {
  return projectFolder(word == "-" && !stdinPath.empty() ? stdinPath : word);
}

/// Opens the planc.toml above the words. A command uses a single one; with two, the result would depend on the order of
/// words.
int openProject(Console& console, const std::vector<std::string>& words, const std::string& stdinPath,
                Project& project) {
  if (words.empty()) return project.open(console, "");
  std::string by, found;
  for (const std::string& word : words) {
    const std::optional<std::string> path = project::findConfig(folderOfWord(word, stdinPath));
    if (!path) continue;
    if (found.empty())
      by = word, found = *path;
    else if (wholePath(*path) != wholePath(found))
      return console.usageError(
          fmt::format("{} applies to `{}`, but {} to `{}`: a command uses one planc.toml", found, by, *path, word),
          "run the command once for each of them");
  }
  return by.empty() ? kClean : project.open(console, folderOfWord(by, stdinPath));
}

} // namespace

std::optional<std::string> stdinPathOf(Console& console, const Arguments& arguments) {
  const std::optional<std::string> path = arguments.value(kStdinOption.name);
  if (!path) return "";
  const auto& words = arguments.positional;
  std::string problem;
  if (std::find(words.begin(), words.end(), "-") == words.end())
    problem = "`--stdin-filename` has no effect without `-`";
  else if (path->empty() || path->ends_with('/') || isFolder(*path))
    problem = fmt::format("`--stdin-filename` takes the path of a file; `{}` is not one", *path);
  if (problem.empty()) return path;
  console.usageError(problem, "write `planc check - --stdin-filename plans/a.plan`");
  return std::nullopt;
}

std::vector<std::string> filesBelow(const Project& project, const std::string& folder, std::string_view suffix) {
  std::vector<std::string> found;
  look(project, folder, wholePath(folder), suffix, found);
  std::sort(found.begin(), found.end());
  return found;
}

int policiesOf(Console& console, const Project& project, std::vector<std::string>& out) {
  std::vector<std::string> paths;
  const int code = project.listed(console, project.config().policies, "policies", paths);
  if (code != kClean) return code;
  std::vector<WorkFile> files;
  Collector collector(project, files);
  for (const std::string& path : paths) collector.add(path);
  for (WorkFile& file : files) out.push_back(std::move(file.path));
  return kClean;
}

std::string projectFolder(const std::string& path) {
  if (path == "-") return "";
  return isFolder(path) ? path : fs::path(path).parent_path().string();
}

bool passesOver(const Project& project, const std::string& folder, const std::string& file) {
  const std::string root = wholePath(folder);
  const fs::path below = fs::path(file).lexically_relative(folder);
  fs::path at = folder;
  for (auto step = below.begin(); step != below.end(); ++step) {
    at /= *step;
    if (isPassedOver(project, root, at, std::next(step) != below.end())) return true;
  }
  return false;
}

int filesOf(Console& console, const std::vector<std::string>& words, WorkFiles& out, const std::string& stdinPath) {
  if (const int code = openProject(console, words, stdinPath, out.project)) return code;
  std::vector<std::string> paths = words;
  if (words.empty())
    if (const int code = listedPlans(console, out.project, paths)) return code;
  Collector collector(out.project, out.files, stdinPath);
  for (const std::string& path : paths) {
    collector.add(path);
    if (isFolder(path)) out.folders.push_back(path);
  }
  return out.files.empty() ? nothingFound(console, out.project, paths) : kClean;
}

int oneFileOf(Console& console, const std::string& path, const std::string& stdinPath) {
  if (isFolder(path)) {
    Project quiet;
    std::vector<WorkFile> files;
    Collector(quiet, files).add(path);
    return console.usageError(
        fmt::format("this command takes one file, but {} is a folder", path),
        files.empty() ? "name a .plan file; this folder has none"
                      : fmt::format("name one of the {} below it, such as {}", files.size(), files[0].path));
  }
  return Project().open(console, folderOfWord(path, stdinPath));
}

} // namespace planc::driver
