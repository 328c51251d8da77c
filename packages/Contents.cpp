// Selects the files of a package, checks their limits, and computes their digests.
// SPDX-License-Identifier: Apache-2.0
#include "packages/Contents.h"

#include "support/files/Digest.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <set>

namespace planc::packages {

PLANC_ERROR(HostilePackage, 122, "`{package}` cannot be a package{where}: {problem}")
PLANC_ERROR(NoPackage, 120, "`{folder}` is not a package: {problem}")

namespace {

namespace fs = std::filesystem;

constexpr size_t kMostFiles = 10'000;

bool isPlan(std::string_view path) {
  return path.ends_with(kPlanSuffix);
}

bool isWanted(std::string_view path) {
  return isPlan(path) ||
         (path.find('/') == std::string_view::npos && path != project::kLockName && project::isPackageText(path));
}

/// Whether an import could refer to this path. A link or device must not have the name of a module or of a folder of
/// modules.
bool isReachable(std::string_view path) {
  if (isWanted(path)) return true;
  const fs::path steps(path);
  return std::all_of(steps.begin(), steps.end(), [](const fs::path& s) { return problemOfName(s.string()).empty(); });
}

/// Why a path is not acceptable; empty if it is.
std::string problemOfPath(std::string_view path) {
  constexpr size_t kMostBytes = 255;
  if (path.empty() || path.size() > kMostBytes) return "its path is too long";
  if (path.starts_with('/') || path.find("//") != std::string_view::npos) return "its path leaves the folder";
  if (std::any_of(path.begin(), path.end(),
                  [](unsigned char c) { return c < ' ' || c >= 0x7f || c == '\\' || c == ':'; }))
    return "its path has characters that not every system takes";
  const fs::path steps(path);
  if (std::any_of(steps.begin(), steps.end(), [](const fs::path& s) { return s == ".." || s == "."; }))
    return "its path leads out of the package";
  return "";
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  return out;
}

/// Finds paths, and their folders, that differ only in the case of letters.
class Cases {
public:
  /// An earlier path or folder that differs only in case from the path or from one of its folders; empty if there is
  /// none.
  std::string clash(const std::string& path) {
    for (size_t end = path.find('/');; end = path.find('/', end + 1)) {
      const std::string part = path.substr(0, end);
      const auto [at, added] = seen_.try_emplace(lower(part), part);
      if (!added && at->second != part) return at->second;
      if (end == std::string::npos) return "";
    }
  }

private:
  std::map<std::string, std::string> seen_;
};

} // namespace

Digests digestsOf(const Texts& texts) {
  Digests out;
  for (const auto& [path, text] : texts) out.emplace(path, planc::digestOf(text));
  return out;
}

std::string digestOf(const Digests& files) {
  std::string all;
  for (const auto& [path, digest] : files) all += fmt::format("{}  {}\n", digest, path);
  return planc::digestOf(all);
}

std::optional<std::vector<std::string>> filesOf(const std::vector<FileEntry>& entries, Hostile& problem) {
  if (entries.size() > kMostEntries) {
    problem = {"", fmt::format("it has more than {} files", kMostEntries)};
    return std::nullopt;
  }
  std::vector<std::string> out;
  Cases cases;
  uint64_t total = 0;
  for (const FileEntry& entry : entries) {
    if (isPassedOver(entry.path) || !isReachable(entry.path)) continue;
    problem = {entry.path, problemOfPath(entry.path)};
    if (problem.problem.empty() && entry.kind == FileEntry::Kind::Link) problem.problem = "it is a link";
    if (problem.problem.empty() && entry.kind == FileEntry::Kind::Other) problem.problem = "it is not a file";
    if (problem.problem.empty() && !isWanted(entry.path)) continue;
    if (const std::string other = problem.problem.empty() ? cases.clash(entry.path) : ""; !other.empty())
      problem.problem = fmt::format("some systems cannot distinguish it from `{}`", other);
    total += entry.bytes;
    if (problem.problem.empty() &&
        (out.size() >= kMostFiles || total > kMostPackageBytes || entry.bytes > kMostPlanBytes))
      problem.problem = fmt::format("a package has at most {} files of 16 MiB and 64 MiB in all", kMostFiles);
    if (!problem.problem.empty()) return std::nullopt;
    out.push_back(entry.path);
  }
  problem = {};
  return out;
}

void reportHostile(const std::string& package, const Hostile& found, SourceRange range, DiagnosticEngine& diagnostics) {
  diagnostics
      .report(HostilePackage, range,
              {{"package", package},
               {"where", found.path.empty() ? "" : fmt::format(" with `{}`", found.path)},
               {"problem", found.problem}})
      .help("a package is text below one folder: plans, planc.toml, a README and a licence, each a file of its own");
}

std::optional<Texts> textsIn(const FileTree& files, const std::string& folder, Hostile& problem) {
  std::string unread;
  const std::vector<FileEntry> entries = files.exists(folder.empty() ? "." : folder)
                                             ? files.below(folder, kMostEntries, unread)
                                             : std::vector<FileEntry>();
  if (!unread.empty()) {
    problem = {"", unread};
    return std::nullopt;
  }
  const auto chosen = filesOf(entries, problem);
  if (!chosen) return std::nullopt;
  Texts out;
  uint64_t total = 0;
  for (const std::string& path : *chosen) {
    std::optional<std::string> text = files.text(joined(folder, path), problem.problem);
    if (text && (total += text->size()) > kMostPackageBytes) problem.problem = "the package is larger than 64 MiB";
    if (!problem.problem.empty() || !text) {
      problem.path = path;
      return std::nullopt;
    }
    out.emplace(path, std::move(*text));
  }
  return out;
}

std::vector<std::string> differing(const Digests& locked, const Digests& found) {
  std::set<std::string> out;
  for (const auto& [path, digest] : locked)
    if (const auto at = found.find(path); at == found.end() || at->second != digest) out.insert(path);
  for (const auto& [path, digest] : found)
    if (!locked.contains(path)) out.insert(path);
  return {out.begin(), out.end()};
}

bool isOfPackages(const DiagnosticKind& kind) {
  constexpr int kFirst = 110, kBehind = 140;
  return kind.code >= kFirst && kind.code < kBehind;
}

std::string joined(const std::string& folder, std::string_view path) {
  return (fs::path(folder) / path).lexically_normal().generic_string();
}

std::optional<Manifest> manifestIn(const Texts& texts, const std::string& shown, SourceRange use,
                                   SourceManager& sources, DiagnosticEngine& diagnostics) {
  const auto text = texts.find(project::kConfigName);
  std::optional<Manifest> manifest;
  if (text != texts.end()) {
    const std::optional<project::Config> config =
        project::configOf(joined(shown, project::kConfigName), text->second, sources, diagnostics);
    if (!config) return std::nullopt;
    manifest = manifestOf(*config, diagnostics);
    if (!manifest || manifest->isPackage()) return manifest;
  }
  const bool there = !texts.empty();
  diagnostics
      .report(NoPackage, use,
              {{"folder", shown},
               {"problem", there ? "it has no planc.toml with `[package]`" : "it has no files of a package"}})
      .help(there ? "a package has a planc.toml with `[package]` and its `name`, `version`, `edition` and `exports`"
                  : "check the path: paths in planc.toml are relative to its folder; `planc init --library` writes a "
                    "package");
  return std::nullopt;
}

} // namespace planc::packages
