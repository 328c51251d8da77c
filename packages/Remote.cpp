// Fetches with git into a temporary repository that is removed afterwards.
// SPDX-License-Identifier: Apache-2.0
#include "packages/Remote.h"

#include "project/GitObjects.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <map>

namespace planc::packages {

PLANC_ERROR(GitMissing, 126, "`{package}` needs git, but git is not installed")
PLANC_ERROR(RemoteUnread, 127, "the repository of `{package}` cannot be read: {reason}")
PLANC_ERROR(NoSuchTag, 128, "the repository of `{package}` has no tag `{tag}`")

namespace {

namespace fs = std::filesystem;
using project::GitAnswer;
using project::GitPlace;

/// The limit for the file names of a commit, in bytes.
constexpr size_t kMostListing = size_t(64) << 20;
constexpr std::string_view kTags = "refs/tags/", kPeeled = "^{}";

/// A temporary folder that the destructor removes.
class Scratch {
public:
  Scratch() {
    std::error_code failed;
    std::string pattern = (fs::temp_directory_path(failed) / "planc-fetch-XXXXXX").string();
    if (!failed && ::mkdtemp(pattern.data())) path_ = pattern;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

private:
  std::string path_;
};

/// Runs git in our own repository, with settings that keep a foreign repository from running anything: no hooks, and no
/// protocols that start programs.
GitAnswer ask(const std::string& folder, std::vector<std::string> words) {
  std::vector<std::string> all;
  for (const std::string_view protocol : kProtocols) {
    all.emplace_back("-c");
    all.push_back(fmt::format("protocol.{}.allow=always", protocol));
  }
  for (const char* setting : {"core.hooksPath=/dev/null", "core.fsmonitor=false", "fetch.fsckObjects=true",
                              "fetch.recurseSubmodules=false", "gc.auto=0", "maintenance.auto=false"}) {
    all.emplace_back("-c");
    all.emplace_back(setting);
  }
  all.insert(all.end(), std::make_move_iterator(words.begin()), std::make_move_iterator(words.end()));
  return project::runGit({folder, ".", true}, all, {}, {kMostListing, 0});
}

/// Returns whether git succeeded; otherwise reports the error.
bool answered(const GitAnswer& answer, const RemoteUse& use) {
  if (answer.ok()) return true;
  if (!answer.found)
    use.diagnostics.report(GitMissing, use.range, {{"package", use.name}})
        .help("install git; or copy the package into `vendor/`, from a machine that ran `planc lib vendor`");
  else
    use.diagnostics
        .report(RemoteUnread, use.range,
                {{"package", use.name}, {"reason", project::withoutSecrets(answer.complaint())}})
        .help("`git ls-remote ADDRESS` shows whether the address is right and you may read it; without a network, "
              "packages are read from `vendor/` or the cache");
  return false;
}

/// Initializes an empty repository. Reports an error and returns false on failure.
bool prepared(const Scratch& scratch, const RemoteUse& use) {
  if (!scratch.path().empty()) return answered(ask(scratch.path(), {"init", "-q", "--bare", "--template="}), use);
  use.diagnostics
      .report(RemoteUnread, use.range, {{"package", use.name}, {"reason", "cannot create a temporary folder"}})
      .help("set TMPDIR to another folder");
  return false;
}

std::optional<Texts> textsOf(const std::string& folder, const std::string& commit, const RemoteUse& use) {
  std::string reason;
  const GitPlace place{folder, ".", true};
  const auto unread = [&] {
    use.diagnostics.report(RemoteUnread, use.range, {{"package", use.name}, {"reason", reason}})
        .help("a package has at most some hundred text files: depend on an earlier version, and tell its maintainer");
    return std::nullopt;
  };
  const auto listed = project::gitEntries(place, commit, reason, kMostListing);
  if (!listed) return unread();
  std::map<std::string, std::string> objects;
  std::vector<FileEntry> entries;
  for (const project::GitEntry& entry : *listed) {
    entries.push_back(entry.file);
    objects.emplace(entry.file.path, entry.object);
  }
  Hostile problem;
  const auto chosen = filesOf(entries, problem);
  if (!chosen) {
    reportHostile(use.name, problem, use.range, use.diagnostics);
    return std::nullopt;
  }
  std::vector<std::string> wanted;
  for (const std::string& path : *chosen) wanted.push_back(objects[path]);
  project::GitTexts texts;
  if (!gitTexts(place, wanted, texts, reason)) return unread();
  Texts out;
  uint64_t total = 0;
  for (const std::string& path : *chosen) {
    std::string text = texts[objects[path]];
    total += text.size();
    if (text.size() > kMostPlanBytes || total > kMostPackageBytes) {
      reportHostile(use.name, {path, "a file has at most 16 MiB, and a package 64 MiB"}, use.range, use.diagnostics);
      return std::nullopt;
    }
    out.emplace(path, std::move(text));
  }
  return out;
}

} // namespace

std::optional<std::vector<VersionTag>> versionsAt(const std::string& address, const RemoteUse& use) {
  const Scratch scratch;
  if (!prepared(scratch, use)) return std::nullopt;
  const GitAnswer listed = ask(scratch.path(), {"ls-remote", "--tags", "--", address});
  if (!answered(listed, use)) return std::nullopt;
  // Lines are `COMMIT\trefs/tags/NAME`. An annotated tag has a second line, `…^{}`, with the commit that it names.
  std::map<std::string, std::string> commits; // by tag
  std::string_view rest = listed.out;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const size_t tab = line.find('\t');
    if (tab == std::string_view::npos || !line.substr(tab + 1).starts_with(kTags)) continue;
    std::string_view name = line.substr(tab + 1 + kTags.size());
    if (name.ends_with(kPeeled)) name.remove_suffix(kPeeled.size());
    commits[std::string(name)] = line.substr(0, tab); // the peeled entry comes last and replaces the tag object
  }
  std::vector<VersionTag> out;
  for (const auto& [tag, commit] : commits)
    if (const std::optional<Version> version = Version::ofTag(tag)) out.push_back({*version, tag, commit});
  std::sort(out.begin(), out.end(), [](const VersionTag& a, const VersionTag& b) {
    return a.version != b.version ? a.version < b.version : a.tag < b.tag;
  });
  return out;
}

std::optional<Tagged> fetchTag(const std::string& address, const std::string& tag, const RemoteUse& use) {
  const Scratch scratch;
  if (!prepared(scratch, use)) return std::nullopt;
  constexpr const char* kHere = "refs/planc/tag";
  const GitAnswer fetched = ask(scratch.path(), {"fetch", "-q", "--depth=1", "--no-tags", "--no-recurse-submodules",
                                                 "--", address, fmt::format("+{}{}:{}", kTags, tag, kHere)});
  if (!fetched.ok() && fetched.err.find("couldn't find remote ref") != std::string::npos) {
    auto report = use.diagnostics.report(NoSuchTag, use.range, {{"package", use.name}, {"tag", tag}});
    std::vector<std::string> tags;
    if (const auto versions = versionsAt(address, use))
      for (const VersionTag& v : *versions) tags.push_back(v.tag);
    report.meantElse(tag, tags,
                     tags.empty() ? "it has no tag that is a version" : fmt::format("its newest is `{}`", tags.back()));
    return std::nullopt;
  }
  if (!answered(fetched, use)) return std::nullopt;
  const GitAnswer commit =
      ask(scratch.path(), {"rev-parse", "--verify", "--quiet", fmt::format("{}^{{commit}}", kHere)});
  if (!answered(commit, use)) return std::nullopt;
  std::optional<Texts> texts = textsOf(scratch.path(), commit.line(), use);
  return texts ? std::optional(Tagged{commit.line(), std::move(*texts)}) : std::nullopt;
}

} // namespace planc::packages
