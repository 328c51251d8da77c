// Selects, fetches and verifies the packages of a project.
// SPDX-License-Identifier: Apache-2.0
#include "packages/Workspace.h"

#include "support/files/DiskFiles.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>

namespace planc::packages {

PLANC_ERROR(TagMoved, 129, "tag `{tag}` of `{package}` differs from planc.lock: {problem}")
PLANC_ERROR(CacheUnwritable, 134, "the cache cannot be written: {reason}")

namespace {

/// A locked package as a dependency that requests exactly its origin and version.
Dependency askedAs(const Locked& locked) {
  return {locked.name, locked.origin, locked.version, locked.range};
}

} // namespace

/// Manifests of packages, each fetched once.
class Workspace::Manifests final : public Registry {
public:
  explicit Manifests(Workspace& workspace) : workspace_(workspace) {}

  struct FetchedManifest {
    std::optional<Manifest> manifest;
    Texts texts;
    std::string commit;
    bool now = false;
  };

  const Manifest* manifest(const Origin& origin, const Dependency& asked) override {
    const FetchedManifest& known = of(origin, asked);
    return known.manifest ? &*known.manifest : nullptr;
  }

  FetchedManifest& of(const Origin& origin, const Dependency& asked) {
    const auto [at, added] = known_.try_emplace({asked.name, origin.text()});
    if (added) read(origin, asked, at->second);
    return at->second;
  }

private:
  void read(const Origin& origin, const Dependency& asked, FetchedManifest& out) {
    const std::string folder = joined(workspace_.folder_, origin.path);
    const std::string shown = origin.isFolder() ? folder : fmt::format("{}@{}", asked.name, origin.tag);
    if (!(origin.isFolder() ? fromFolder(folder, asked, out) : fromTag(origin, asked, out))) return;
    out.manifest = manifestIn(out.texts, shown, asked.range, workspace_.sources_, workspace_.diagnostics_);
  }

  bool fromFolder(const std::string& folder, const Dependency& asked, FetchedManifest& out) {
    Hostile problem;
    std::optional<Texts> texts = textsIn(diskFiles(), folder, problem);
    if (texts)
      out.texts = std::move(*texts);
    else
      reportHostile(asked.name, problem, asked.range, workspace_.diagnostics_);
    return texts.has_value();
  }

  /// Reads the manifest of a tag. For a locked package the stored copy is used.
  bool fromTag(const Origin& origin, const Dependency& asked, FetchedManifest& out) {
    const Locked* const locked = workspace_.lock_ ? workspace_.lock_->find(asked.name) : nullptr;
    const bool same = locked && locked->origin == origin;
    if (same) {
      Stored here = stored(diskFiles(), workspace_.folder_, *locked);
      if (std::optional<Texts> texts = here.intact ? std::move(here.texts) : cached(locked->digest)) {
        out.texts = std::move(*texts);
        out.commit = locked->commit;
        return true;
      }
    }
    std::optional<Tagged> fetched =
        fetchTag(origin.git, origin.tag, {asked.name, asked.range, workspace_.diagnostics_});
    if (!fetched) return false;
    out.texts = std::move(fetched->texts);
    out.commit = fetched->commit;
    out.now = true;
    return !same || unmoved(*locked, out, asked.range);
  }

  bool unmoved(const Locked& locked, const FetchedManifest& found, SourceRange range) {
    const auto others = differing(locked.files, digestsOf(found.texts));
    if (others.empty()) return true;
    workspace_.diagnostics_
        .report(TagMoved, range,
                {{"tag", locked.origin.tag},
                 {"package", locked.name},
                 {"problem", fmt::format("`{}` differs; its commit was {} and is {}", others.front(),
                                         locked.commit.substr(0, 12), found.commit.substr(0, 12))}})
        .label(locked.range, "locked here")
        .help("ask the maintainer of the package: a published version must not change, and a new version needs a new "
              "tag");
    return false;
  }

  Workspace& workspace_;
  std::map<std::pair<std::string, std::string>, FetchedManifest> known_;
};

Workspace::Workspace(SourceManager& sources, DiagnosticEngine& diagnostics)
    : sources_(sources), diagnostics_(diagnostics), manifests_(std::make_unique<Manifests>(*this)) {}
Workspace::~Workspace() = default;

bool Workspace::read(std::optional<project::Config> config) {
  if (!config) return false;
  config_ = std::move(*config);
  std::optional<Manifest> manifest = packages::manifestOf(config_, diagnostics_);
  if (!manifest) return false;
  manifest_ = std::move(*manifest);
  folder_ = std::filesystem::path(config_.path).parent_path().generic_string();
  if (!diskFiles().exists(lockPath())) return true;
  lock_ = readLock(lockPath(), diskFiles(), sources_, diagnostics_);
  return lock_.has_value();
}

std::unique_ptr<Workspace> Workspace::open(const std::string& config, SourceManager& sources,
                                           DiagnosticEngine& diagnostics) {
  std::unique_ptr<Workspace> out(new Workspace(sources, diagnostics));
  return out->read(project::readConfig(config, sources, diagnostics)) ? std::move(out) : nullptr;
}

std::unique_ptr<Workspace> Workspace::open(const std::string& config, std::string text, SourceManager& sources,
                                           DiagnosticEngine& diagnostics) {
  std::unique_ptr<Workspace> out(new Workspace(sources, diagnostics));
  return out->read(project::configOf(config, std::move(text), sources, diagnostics)) ? std::move(out) : nullptr;
}

const Manifest* Workspace::manifestOf(const Locked& locked) {
  return manifests_->manifest(locked.origin, askedAs(locked));
}

const Manifest* Workspace::manifestOf(const Dependency& asked, const Origin& origin) {
  return manifests_->manifest(origin, asked);
}

std::optional<bool> Workspace::fits(std::string& why) {
  const auto no = [&](std::string reason) {
    why = std::move(reason);
    return false;
  };
  if (!lock_ && !manifest_.dependencies.empty()) return no("it is missing");
  if (!lock_) take({});
  const size_t before = diagnostics_.errorCount();
  std::map<std::string, Version> reached; // each with the greatest requested version
  std::vector<std::pair<const Manifest*, std::string>> asking{{&manifest_, ""}};
  for (size_t i = 0; i < asking.size(); ++i) {
    const auto [manifest, within] = asking[i];
    for (const Dependency& d : manifest->dependencies) {
      const Locked* const locked = lock_->find(d.name);
      if (std::string problem = unfit(manifest_, d, fromProject(d.origin, within), locked); !problem.empty())
        return no(std::move(problem));
      const auto [most, first] = reached.try_emplace(d.name, d.least);
      if (!first) most->second = std::max(most->second, d.least);
      if (!first) continue;
      const Manifest* const next = manifestOf(*locked);
      if (!next) return std::nullopt;
      if (next->name != locked->name || (!locked->origin.isFolder() && next->version != locked->version))
        return no(fmt::format("`{}` is locked at {}, but is {} {} according to its planc.toml", locked->name,
                              locked->version.text(), next->name, next->version.text()));
      asking.emplace_back(next, locked->origin.path);
    }
  }
  if (diagnostics_.errorCount() != before) return std::nullopt;
  for (const Locked& locked : lock_->packages)
    if (const auto asked = reached.find(locked.name); asked == reached.end())
      return no(fmt::format("no package requires `{}`", locked.name));
    else if (!locked.origin.isFolder() && asked->second < locked.version)
      return no(fmt::format("`{}` is locked at {}, but no package requires more than {}", locked.name,
                            locked.version.text(), asked->second.text()));
  return true;
}

std::optional<std::vector<Locked>> Workspace::choose() {
  const auto selected = select(manifest_, *manifests_, diagnostics_);
  if (!selected) return std::nullopt;
  std::vector<Locked> out;
  for (const Selected& s : *selected) {
    Locked& locked = out.emplace_back(Locked{s.name, s.version, s.origin, {}, {}, {}, {}});
    if (s.origin.isFolder()) continue;
    const Manifests::FetchedManifest& known = manifests_->of(s.origin, askedAs(locked));
    locked.commit = known.commit;
    locked.files = digestsOf(known.texts);
    locked.digest = digestOf(locked.files);
  }
  return out;
}

void Workspace::take(std::vector<Locked> packages) {
  lock_ = Lock{lockPath(), std::move(packages)};
}

SourceRange Workspace::placeOf(const Locked& locked) const {
  if (locked.range.valid()) return locked.range;
  const Dependency* const asked = manifest_.dependency(locked.name);
  return asked ? asked->range : SourceRange{config_.file, 0, 0};
}

std::optional<std::vector<Fetched>> Workspace::fetch(bool cache) {
  std::vector<Fetched> out;
  for (const Locked& locked : lock_->packages) {
    Fetched& one = out.emplace_back(Fetched{&locked, {}, false});
    if (locked.origin.isFolder()) continue;
    Manifests::FetchedManifest& known = manifests_->of(locked.origin, askedAs(locked));
    if (!known.manifest) return std::nullopt;
    one.texts = known.texts;
    one.now = known.now;
    if (!cache || stored(diskFiles(), folder_, locked).kind == Stored::Kind::Vendored) continue;
    if (const std::string reason = putIntoCache(locked.digest, known.texts); !reason.empty()) {
      diagnostics_.report(CacheUnwritable, placeOf(locked), {{"reason", reason}})
          .help("set PLANC_CACHE to another absolute path; `planc lib vendor` needs no cache");
      return std::nullopt;
    }
  }
  return out;
}

std::optional<Texts> Workspace::original(const Locked& locked) {
  if (std::optional<Texts> texts = cached(locked.digest)) return texts;
  DiagnosticEngine unsaid;
  std::optional<Tagged> fetched = fetchTag(locked.origin.git, locked.origin.tag, {locked.name, {}, unsaid});
  if (fetched && digestsOf(fetched->texts) == locked.files) return std::move(fetched->texts);
  return std::nullopt;
}

std::vector<std::string> changes(const std::vector<Locked>& before, const std::vector<Locked>& after) {
  std::map<std::string, std::pair<const Locked*, const Locked*>> both;
  for (const Locked& p : before) both[p.name].first = &p;
  for (const Locked& p : after) both[p.name].second = &p;
  std::vector<std::string> out;
  for (const auto& [name, sides] : both) {
    const auto& [was, is] = sides;
    const bool folders = was && is && was->origin.isFolder() && was->origin == is->origin;
    if (folders || (was && is && was->version == is->version && was->origin == is->origin && was->digest == is->digest))
      continue;
    if (!was)
      out.push_back(shownText(*is) + " new");
    else if (!is)
      out.push_back(shownText(*was) + " gone");
    else if (!was->origin.isFolder() && !is->origin.isFolder() && was->version != is->version)
      out.push_back(fmt::format("{} → {}", shownText(*was), is->version.text()));
    else
      out.push_back(fmt::format("{} from {}", shownText(*is), is->origin.text()));
  }
  return out;
}

size_t firstDifference(std::string_view locked, std::string_view found) {
  return static_cast<size_t>(
      std::mismatch(locked.begin(), locked.begin() + static_cast<std::ptrdiff_t>(std::min(locked.size(), found.size())),
                    found.begin())
          .first -
      locked.begin());
}

} // namespace planc::packages
