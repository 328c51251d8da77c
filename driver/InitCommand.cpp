// `planc init`: writes a repository of plans, or a library, that passes its own tests.
// SPDX-License-Identifier: Apache-2.0
#include "driver/files/Files.h"
#include "driver/words/Commands.h"
#include "packages/Manifest.h"
#include "support/Editions.h"
#include "support/files/Embedded.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>

namespace planc::driver {
namespace {

namespace fs = std::filesystem;

/// Returns the name of a folder as a package name: characters that a name may not have become `_`.
std::string nameOf(const std::string& folder) {
  std::string name = fs::path(wholePath(folder)).filename().string();
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))) c = '_';
  }
  return packages::problemOfName(name).empty() ? name : "ours";
}

std::string replaced(std::string_view text, const std::map<std::string, std::string>& words) {
  std::string out(text);
  for (const auto& [mark, word] : words)
    for (size_t at = out.find(mark); at != std::string::npos; at = out.find(mark, at + word.size()))
      out.replace(at, mark.size(), word);
  return out;
}

/// Returns `.github/workflows/plans.yml` for `dot-github/workflows/plans.yml`.
std::string targetOf(std::string_view path) {
  constexpr std::string_view kDot = "dot-";
  std::string out(path);
  if (out.starts_with(kDot)) out.replace(0, kDot.size(), ".");
  return out;
}

/// Returns the files of a kind by their paths in the new folder.
std::map<std::string, std::string> filesOf(std::string_view kind, const std::string& name) {
  const packages::Version& planc = packages::plancVersion();
  const std::map<std::string, std::string> words{{"@NAME@", name},
                                                 {"@EDITION@", std::string(kNewestEdition)},
                                                 {"@PLANC@", fmt::format("{}.{}", planc.major, planc.minor)}};
  std::map<std::string, std::string> out;
  for (const EmbeddedFile& file : embeddedTemplates())
    if (file.path.starts_with(kind)) out.emplace(targetOf(file.path.substr(kind.size())), replaced(file.text, words));
  return out;
}

/// Returns what prevents a file from being written: the file itself, or something on its path that is no folder. Empty
/// if nothing does.
std::string inTheWay(const std::string& folder, const std::string& path) {
  fs::path at = folder;
  std::error_code failed;
  const fs::path steps(path);
  for (auto step = steps.begin(); step != steps.end(); ++step) {
    at /= *step;
    const fs::file_status there = fs::symlink_status(at, failed);
    if (fs::exists(there) && (std::next(step) == steps.end() || !fs::is_directory(there)))
      return at.lexically_normal().string();
  }
  return "";
}

int runInit(Console& console, const Arguments& arguments) {
  const std::string folder = arguments.positional.empty() ? "." : arguments.positional[0];
  const bool library = arguments.has("--library");
  const std::string name = arguments.value("--name").value_or(nameOf(folder));
  if (const std::string problem = packages::problemOfName(name); !problem.empty())
    return console.usageError(fmt::format("the name of a package: {}", problem),
                              "a name has lower-case letters, digits and `_`, such as `acme_models`");
  const std::map<std::string, std::string> files = filesOf(library ? "library/" : "project/", name);
  std::error_code failed;
  for (const auto& [path, text] : files)
    if (const std::string there = inTheWay(folder, path); !there.empty())
      return console.usageError(fmt::format("{} already exists, so nothing was written", there),
                                "`planc init FOLDER` writes into a new folder");
  for (const auto& [path, text] : files) {
    const fs::path target = fs::path(folder) / path;
    fs::create_directories(target.parent_path(), failed);
    const std::string why = failed ? failed.message() : writeFile(target.string(), text);
    if (!why.empty()) return console.usageError(fmt::format("{}: {}", target.lexically_normal().string(), why));
    console.out(target.lexically_normal().string() + "\n");
  }
  const std::string at = folder == "." ? "" : fmt::format("cd {} && ", folder);
  console.note(fmt::format("planc: next, run `{}planc test`\n", at));
  return kClean;
}

} // namespace

const Command kInitCommand = {
    "init",
    "write a new repository of plans with a cluster, tests and CI; or a library for others",
    {{"FOLDER", 0, 1, "the folder, created if it does not exist; default: the current folder"}},
    {{"--library", "", {}, "write a package for others: clusters, stacks and the plans that test them"},
     {"--name", "NAME", {}, "its name; default: the name of the folder"}},
    "planc init ours",
    runInit,
};

} // namespace planc::driver
