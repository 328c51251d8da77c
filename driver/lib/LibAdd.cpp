// `planc lib add`, `update`: edit planc.toml and update the lock.
// SPDX-License-Identifier: Apache-2.0
#include "driver/files/Files.h"
#include "driver/lib/Lib.h"
#include "project/Toml.h"
#include "support/files/DiskFiles.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace planc::driver {
namespace {

using packages::Origin;
using packages::VersionTag;

/// Returns whether `text` is a valid planc.toml with this dependency.
bool asks(const std::string& text, const std::string& name, const Origin& origin) {
  SourceManager sources;
  DiagnosticEngine unsaid;
  const auto config = project::configOf(std::string(project::kConfigName), text, sources, unsaid);
  if (!config) return false;
  return std::any_of(config->dependencies.begin(), config->dependencies.end(), [&](const project::ConfigDependency& d) {
    const auto word = [](const std::optional<project::ConfigText>& said) { return said ? said->value : ""; };
    return d.name.value == name && word(d.path) == origin.path && word(d.git) == origin.git &&
           word(d.tag) == origin.tag;
  });
}

/// Returns the text with another line below `[dependencies]`, which is added if it is missing.
std::string withDependency(const std::string& text, const std::string& name, const Origin& origin) {
  const std::string said = origin.isFolder() ? fmt::format("path = {}", project::tomlText(origin.path))
                                             : fmt::format("git = {}, tag = {}", project::tomlText(origin.git),
                                                           project::tomlText(origin.tag));
  const std::string line = fmt::format("{} = {{ {} }}\n", name, said);
  const std::string header = fmt::format("[{}]\n", project::kDependenciesTable);
  std::string all = text;
  if (!all.empty() && !all.ends_with('\n')) all += '\n';
  if (size_t at = all.find("\n" + header); at != std::string::npos || all.starts_with(header)) {
    at = at == std::string::npos ? header.size() : at + 1 + header.size();
    while (at < all.size() && all[at] != '[' && all[at] != '\n' && all[at] != '#')
      at = all.find('\n', at) + 1; // after the existing lines
    if (std::string out = all.substr(0, at) + line + all.substr(at); asks(out, name, origin)) return out;
  }
  if (std::string out = fmt::format("{}{}{}{}", all, all.empty() ? "" : "\n", header, line); asks(out, name, origin))
    return out;
  return fmt::format("{}\n[{}.{}]\n{}\n", all, project::kDependenciesTable, name,
                     said.substr(0, said.find(", tag")) +
                         (origin.isFolder() ? "" : fmt::format("\ntag = {}", project::tomlText(origin.tag))));
}

/// Returns the newest release; if `like` is given, of the same major version. Null if there is none.
const VersionTag* newest(const std::vector<VersionTag>& versions, const packages::Version* like = nullptr) {
  const VersionTag* best = nullptr;
  for (const VersionTag& v : versions)
    if (v.version.before.empty() && (!like || v.version.major == like->major)) best = &v;
  return best;
}

/// Opens the project with `text` in place of its planc.toml. Returns kClean, or the exit code after a report.
int openWith(LibRun& run, const std::string& path, const std::string& text) {
  run.workspace = packages::Workspace::open(path, text, run.sources, run.diagnostics);
  return run.workspace ? kClean : run.end();
}

} // namespace

int libAdd(LibRun& run) {
  const std::string& name = run.words[0];
  Origin origin{run.arguments.value("--path").value_or(""), run.arguments.value("--git").value_or(""),
                run.arguments.value("--tag").value_or("")};
  if (origin.path.empty() == origin.git.empty())
    return run.console.usageError("`planc lib add` takes either `--git ADDRESS` or `--path FOLDER`");
  if (const std::string problem = packages::problemOfName(name); !problem.empty())
    return run.console.usageError(fmt::format("the name of a package: {}", problem),
                                  "lower-case letters, digits and `_`, as in the planc.toml of the package");
  if (!origin.git.empty() && packages::addressOf(origin.git) != packages::Address::Good)
    return run.console.usageError(
        packages::addressOf(origin.git) == packages::Address::Secret
            ? "the address of `--git` contains a name or a password, which every copy would disclose"
            : "`--git` is not an address",
        "`https://…`, `ssh://…`, `git@host:path` or `file:///…`, without a password: git asks its credential helpers "
        "for that");
  const std::string path = project::findConfig("").value_or(std::string(project::kConfigName));
  if (origin.isFolder() && origin.path[0] != '/') // relative to planc.toml, and not to the current folder
    origin.path = std::filesystem::path(wholePath(origin.path))
                      .lexically_relative(std::filesystem::path(wholePath(path)).parent_path())
                      .generic_string();
  std::string error, text;
  if (std::optional<std::string> read = diskFiles().text(path, error)) text = std::move(*read);
  std::error_code failed;
  if (text.empty() && std::filesystem::exists(std::filesystem::symlink_status(path, failed)) && !error.empty())
    return run.console.usageError(fmt::format("{} {}", path, error));
  if (!text.empty()) {
    if (const int code = openWith(run, path, text)) return code;
    if (const packages::Dependency* known = run.workspace->manifest().dependency(name))
      return run.console.usageError(
          fmt::format("{} already depends on `{}`, from {}", path, name, known->origin.text()),
          fmt::format("`planc lib update {}` looks for a newer version", name));
  }
  if (!origin.git.empty() && origin.tag.empty()) {
    const auto versions = packages::versionsAt(origin.git, {name, {run.sources.add(path, ""), 0, 0}, run.diagnostics});
    if (!versions) return run.end();
    const VersionTag* const tag = newest(*versions);
    if (!tag)
      return run.console.usageError(
          fmt::format("the repository of `{}` has no tag that is a version, such as `v1.0.0`", name));
    origin.tag = tag->tag;
  }
  const std::string edited = withDependency(text, name, origin);
  if (const int code = openWith(run, path, edited)) return code;
  return lockAndFetch(run, edited);
}

int libUpdate(LibRun& run) {
  if (const int code = run.open()) return code;
  const std::string path = run.workspace->config().path;
  std::string error;
  std::optional<std::string> text = diskFiles().text(path, error);
  if (!text) return run.console.usageError(fmt::format("{} {}", path, error));
  for (const std::string& word : run.words)
    if (const packages::Dependency* d = run.workspace->manifest().dependency(word); !d)
      return run.console.usageError(fmt::format("{} does not depend on `{}`", path, word),
                                    "only packages in planc.toml can be updated; their dependencies follow");
    else if (d->origin.isFolder())
      return run.console.usageError(
          fmt::format("`{}` is the folder {}, which has no newer version", word, d->origin.path));
  std::vector<project::ConfigDependency> said = run.workspace->config().dependencies;
  std::sort(said.begin(), said.end(), [](const auto& a, const auto& b) {
    return a.range.begin > b.range.begin;
  }); // last edit first, so that earlier positions stay valid
  std::vector<std::string> remarks;
  for (const project::ConfigDependency& d : said) {
    const bool wanted =
        run.words.empty() || std::find(run.words.begin(), run.words.end(), d.name.value) != run.words.end();
    if (!wanted || !d.git) continue;
    const auto versions = packages::versionsAt(d.git->value, {d.name.value, d.git->range, run.diagnostics});
    if (!versions) return run.end();
    const packages::Version is = packages::Version::ofTag(d.tag->value).value();
    if (const VersionTag* best = newest(*versions, &is); best && best->version > is)
      text->replace(d.tag->range.begin, d.tag->range.end - d.tag->range.begin, project::tomlText(best->tag));
    if (const VersionTag* best = newest(*versions); best && best->version.major > is.major)
      remarks.push_back(fmt::format("planc: {} {} exists: change the major version in planc.toml yourself\n",
                                    d.name.value, best->version.text()));
  }
  LibRun next{run.console, run.arguments, {}};
  if (const int code = openWith(next, path, *text)) return code;
  const int code = lockAndFetch(next, *text);
  for (const std::string& remark : remarks) run.console.remark(remark);
  return code;
}

} // namespace planc::driver
