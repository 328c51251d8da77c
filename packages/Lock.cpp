// Writes and reads planc.lock.
// SPDX-License-Identifier: Apache-2.0
#include "packages/Lock.h"

#include "project/Toml.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::packages {

PLANC_ERROR(LockMalformed, 118, "planc.lock cannot be read: {problem}")
PLANC_ERROR(LockUnfit, 119, "planc.lock does not match planc.toml: {problem}")

namespace {

using project::TomlMember;
using project::TomlValue;

constexpr std::string_view kFormat = "1";

const TomlValue* member(const TomlValue& table, std::string_view name) {
  const auto found =
      std::find_if(table.members.begin(), table.members.end(), [&](const TomlMember& m) { return m.name == name; });
  return found == table.members.end() ? nullptr : &found->value;
}

std::string textOf(const TomlValue& table, std::string_view name) {
  const TomlValue* const value = member(table, name);
  return value && value->kind == TomlValue::Kind::Text ? value->text : "";
}

bool isDigest(std::string_view text) {
  constexpr size_t kDigits = 64;
  return text.size() == kDigits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Why an entry is invalid; empty if it is valid.
std::string readEntry(const TomlValue& table, Locked& out) {
  out.range = table.range;
  out.name = textOf(table, "name");
  if (!problemOfName(out.name).empty()) return "a package has no name";
  out.origin = {textOf(table, "path"), textOf(table, "git"), textOf(table, "tag")};
  if (out.origin.isFolder())
    return out.origin.path.empty() ? fmt::format("`{}` has neither `path` nor `git`", out.name) : "";
  const std::optional<Version> version = Version::parse(textOf(table, "version"));
  if (!version) return fmt::format("`{}` has no version", out.name);
  out.version = *version;
  out.commit = textOf(table, "commit");
  out.digest = textOf(table, "sha256");
  if (addressOf(out.origin.git) != Address::Good) return fmt::format("the address of `{}` is not supported", out.name);
  if (!Version::ofTag(out.origin.tag)) return fmt::format("the tag of `{}` is not a version", out.name);
  if (const TomlValue* files = member(table, "files"))
    for (const TomlMember& file : files->members) out.files.emplace(file.name, file.value.text);
  const bool digests =
      std::all_of(out.files.begin(), out.files.end(), [](const auto& f) { return isDigest(f.second); });
  if (!digests || !isDigest(out.digest) || digestOf(out.files) != out.digest)
    return fmt::format("the digests of the files of `{}` do not match its `sha256`", out.name);
  return "";
}

} // namespace

std::string shownText(const Locked& locked) {
  return fmt::format("{} {}", locked.name,
                     locked.origin.isFolder() ? "in " + locked.origin.path : locked.version.text());
}

const Locked* Lock::find(std::string_view name) const {
  const auto found = std::find_if(packages.begin(), packages.end(), [&](const Locked& p) { return p.name == name; });
  return found == packages.end() ? nullptr : &*found;
}

std::string lockText(const std::vector<Locked>& packages) {
  std::string out =
      fmt::format("# Written by `planc lib`: the exact packages with which this project is priced.\nformat = {}\n",
                  project::tomlText(kFormat));
  for (const Locked& p : packages) {
    out += fmt::format("\n[[package]]\nname = {}\n", project::tomlText(p.name));
    if (p.origin.isFolder()) {
      out += fmt::format("path = {}\n", project::tomlText(p.origin.path));
      continue;
    }
    out += fmt::format("version = {}\n", project::tomlText(p.version.text()));
    out += fmt::format("git = {}\ntag = {}\ncommit = {}\nsha256 = {}\n\n[package.files]\n",
                       project::tomlText(p.origin.git), project::tomlText(p.origin.tag), project::tomlText(p.commit),
                       project::tomlText(p.digest));
    for (const auto& [path, digest] : p.files)
      out += fmt::format("{} = {}\n", project::tomlText(path), project::tomlText(digest));
  }
  return out;
}

std::optional<Lock> readLock(const std::string& path, const FileTree& files, SourceManager& sources,
                             DiagnosticEngine& diagnostics) {
  std::string reason;
  if (std::optional<std::string> text = files.text(path, reason))
    return lockOf(path, std::move(*text), sources, diagnostics);
  diagnostics.report(LockMalformed, {sources.add(path, ""), 0, 0}, {{"problem", reason}})
      .help("planc.lock must be a text file in the folder of planc.toml");
  return std::nullopt;
}

std::optional<Lock> lockOf(const std::string& path, std::string text, SourceManager& sources,
                           DiagnosticEngine& diagnostics) {
  Lock lock;
  lock.path = path;
  const FileId file = sources.add(path, project::withoutSecrets(std::move(text)));
  const auto malformed = [&](std::string problem, SourceRange range) {
    diagnostics.report(LockMalformed, range, {{"problem", std::move(problem)}})
        .help("restore an earlier one from the repository, or delete it: `planc lib fetch` writes a new one from "
              "planc.toml");
    return std::nullopt;
  };
  project::TomlMistake mistake;
  const std::optional<TomlValue> root = project::parseToml(sources, file, mistake);
  if (!root) return malformed(mistake.reason, mistake.range);
  if (textOf(*root, "format") != kFormat)
    return malformed("its format is not the one that this planc writes", {file, 0, 0});
  if (const TomlValue* packages = member(*root, "package"))
    for (const TomlValue& entry : packages->items)
      if (const std::string problem = readEntry(entry, lock.packages.emplace_back()); !problem.empty())
        return malformed(problem, entry.range);
  for (size_t i = 1; i < lock.packages.size(); ++i)
    if (lock.packages[i - 1].name >= lock.packages[i].name)
      return malformed(fmt::format("`{}` is out of order", lock.packages[i].name), lock.packages[i].range);
  return lock;
}

std::string unfit(const Manifest& project, const Dependency& dependency, const Origin& origin, const Locked* locked) {
  if (!locked) return fmt::format("it has no `{}`", dependency.name);
  const Dependency* const own = project.dependency(dependency.name);
  const bool replaced = own && own->origin.isFolder(); // the folder replaces tags that other packages request
  const Origin wanted = replaced ? fromProject(own->origin, "") : origin;
  if (wanted.isFolder() || locked->origin.isFolder())
    return wanted == locked->origin ? ""
                                    : fmt::format("`{}` is locked from {}, but required from {}", dependency.name,
                                                  locked->origin.text(), wanted.text());
  if (origin.git != locked->origin.git)
    return fmt::format("`{}` is locked from {}", dependency.name, locked->origin.git);
  if (locked->version == dependency.least && locked->origin.tag != dependency.origin.tag)
    return fmt::format("`{}` is locked as {}, but {} is required", dependency.name, locked->origin.tag,
                       dependency.origin.tag);
  if (locked->version < dependency.least || locked->version.major != dependency.least.major)
    return fmt::format("`{}` is locked at {}, but {} is required", dependency.name, locked->version.text(),
                       dependency.least.text());
  return "";
}

void reportUnfit(const std::string& lock, std::string problem, SourceRange range, DiagnosticEngine& diagnostics) {
  diagnostics.report(LockUnfit, range, {{"problem", std::move(problem)}})
      .help(fmt::format("`planc lib fetch` updates {} and prints the changes", lock));
}

} // namespace planc::packages
