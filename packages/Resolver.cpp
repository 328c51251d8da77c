// Reads packages when an import first needs them.
// SPDX-License-Identifier: Apache-2.0
#include "packages/Resolver.h"

#include <filesystem>
#include <fmt/format.h>

namespace planc::packages {

PLANC_ERROR(PackageChanged, 121, "`{name}` in `{folder}` differs from planc.lock: {problem}")
PLANC_ERROR(LockMissing, 133, "`{name}` is not locked: there is no {lock}")

namespace {

namespace fs = std::filesystem;

std::string folderOfFile(const std::string& path) {
  return fs::path(path).parent_path().generic_string();
}

} // namespace

struct Resolver::Read {
  Package package;
  Manifest manifest;
  std::string within; ///< its folder relative to the project, for a local folder
  Project* project = nullptr;
  bool good = false;
};

struct Resolver::Project {
  std::string path, folder; ///< display paths of planc.toml and its folder
  std::optional<Manifest> manifest;
  std::optional<Lock> lock;
  bool broken = false, lockRead = false;
  std::unique_ptr<Package> own;
  std::map<std::string, std::unique_ptr<Read>, std::less<>> packages;
};

Resolver::Resolver(const FileTree& files) : files_(files) {}
Resolver::~Resolver() = default;

Resolver::Project* Resolver::projectOf(const std::string& file, const Asking& asking) {
  const std::optional<std::string> path = project::findConfig(folderOfFile(file), &files_);
  if (!path) return nullptr;
  std::unique_ptr<Project>& known = projects_[*path];
  if (known) return known.get();
  known = std::make_unique<Project>();
  known->path = *path;
  known->folder = folderOfFile(*path);
  const auto config = project::readConfig(*path, asking.sources, asking.diagnostics, files_);
  if (config) known->manifest = manifestOf(*config, asking.diagnostics);
  known->broken = !known->manifest;
  return known.get();
}

/// Reads the lock at the first import of a package, and checks it against planc.toml.
void Resolver::readLock(Project& project, const Asking& asking) {
  if (project.lockRead) return;
  project.lockRead = true;
  const std::string path = joined(project.folder, project::kLockName);
  if (files_.exists(path)) {
    project.lock = packages::readLock(path, files_, asking.sources, asking.diagnostics);
    if (project.lock && !fits(project, *project.manifest, "", asking.diagnostics)) project.lock.reset();
  } else if (!project.manifest->dependencies.empty()) {
    const Dependency& first = project.manifest->dependencies[0];
    asking.diagnostics.report(LockMissing, first.range, {{"name", first.name}, {"lock", path}})
        .help("`planc lib fetch` writes it, with the exact contents of all versions");
  }
}

bool Resolver::fits(const Project& project, const Manifest& manifest, const std::string& within,
                    DiagnosticEngine& diagnostics) {
  bool all = true;
  for (const Dependency& d : manifest.dependencies) {
    const std::string problem = unfit(*project.manifest, d, fromProject(d.origin, within), project.lock->find(d.name));
    if (problem.empty()) continue;
    reportUnfit(project.lock->path, problem, d.range, diagnostics);
    all = false;
  }
  return all;
}

const Package* Resolver::named(std::string_view name, const Asking& asking, bool& reported) {
  const size_t before = asking.diagnostics.errorCount();
  const auto none = [&](bool told) -> const Package* {
    reported = told || asking.diagnostics.errorCount() != before;
    return nullptr;
  };
  Read* by = nullptr;
  if (asking.package) {
    if (asking.package->name == name) return asking.package;
    if (const auto at = reads_.find(asking.package); at != reads_.end()) by = at->second;
  }
  Project* const project = by ? by->project : projectOf(asking.file, asking);
  if (!project) return none(false);
  if (project->broken) return none(true);
  if (!project->manifest) return none(false);
  const Manifest& manifest = by ? by->manifest : *project->manifest;
  if (!by && manifest.name == name) return own(*project);
  if (!manifest.dependency(name)) return none(false);
  readLock(*project, asking);
  if (!project->lock) return none(true);
  const Locked* const locked = project->lock->find(name);
  Read* const read = readPackage(*project, *locked, asking.use, asking);
  return read->good ? &read->package : none(true);
}

/// The project itself as a package: its files on disk.
const Package* Resolver::own(Project& project) {
  if (project.own) return project.own.get();
  project.own = std::make_unique<Package>();
  project.own->name = project.manifest->name;
  project.own->version = project.manifest->version.text();
  project.own->folder = project.folder;
  project.own->exports = project.manifest->exports;
  project.own->own = true;
  Hostile ignored; // reported when a plan imports it
  if (auto texts = textsIn(files_, project.folder, ignored)) project.own->texts = std::move(*texts);
  return project.own.get();
}

Resolver::Read* Resolver::readPackage(Project& project, const Locked& locked, SourceRange use, const Asking& asking) {
  std::unique_ptr<Read>& known = project.packages[locked.name];
  if (known) return known.get();
  known = std::make_unique<Read>();
  known->project = &project;
  known->good = fill(project, locked, *known, use, asking);
  reads_[&known->package] = known.get();
  return known.get();
}

bool Resolver::fill(Project& project, const Locked& locked, Read& read, SourceRange use, const Asking& asking) {
  Package& package = read.package;
  Hostile problem;
  if (locked.origin.isFolder()) {
    read.within = locked.origin.path;
    package.folder = joined(project.folder, locked.origin.path);
    std::optional<Texts> texts = textsIn(files_, package.folder, problem);
    if (!texts) {
      reportHostile(locked.name, problem, use, asking.diagnostics);
      return false;
    }
    package.texts = std::move(*texts);
  } else {
    Stored found = stored(files_, project.folder, locked);
    package.folder = found.folder;
    package.cached = found.kind == Stored::Kind::Cached;
    if (found.kind == Stored::Kind::Absent) {
      reportAbsent(locked, project.folder, use, asking.diagnostics);
      return false;
    }
    if (!found.intact) {
      const auto others = differing(locked.files, found.found);
      const std::string what =
          !found.problem.problem.empty()
              ? fmt::format("`{}`: {}", found.problem.path, found.problem.problem)
              : fmt::format("`{}` differs{}", others.front(),
                            others.size() == 1 ? "" : fmt::format(", and {} more", others.size() - 1));
      asking.diagnostics
          .report(PackageChanged, use, {{"name", locked.name}, {"folder", found.folder}, {"problem", what}})
          .label(locked.range, "locked here")
          .help(fmt::format("`planc lib verify` shows the difference; `planc lib {}` restores it",
                            found.kind == Stored::Kind::Vendored ? "vendor" : "fetch"));
      return false;
    }
    package.texts = std::move(found.texts);
  }
  const auto manifest = manifestIn(package.texts, package.folder, use, asking.sources, asking.diagnostics);
  if (!manifest) return false;
  read.manifest = *manifest;
  package.name = manifest->name;
  package.version = manifest->version.text();
  package.exports = manifest->exports;
  if (package.name != locked.name || (!locked.origin.isFolder() && manifest->version != locked.version)) {
    reportUnfit(project.lock->path,
                fmt::format("`{}` is {} {} according to its planc.toml", locked.name, package.name, package.version),
                locked.range, asking.diagnostics);
    return false;
  }
  return fits(project, *manifest, read.within, asking.diagnostics);
}

std::vector<std::string> Resolver::names(const Asking& asking, std::string& config) {
  std::vector<std::string> out;
  const auto by = asking.package ? reads_.find(asking.package) : reads_.end();
  const Manifest* manifest = by != reads_.end() ? &by->second->manifest : nullptr;
  if (!manifest) {
    const Project* const project = projectOf(asking.file, asking);
    if (!project || !project->manifest) return out;
    manifest = &*project->manifest;
  }
  config = manifest->path;
  if (manifest->isPackage()) out.push_back(manifest->name);
  for (const Dependency& d : manifest->dependencies) out.push_back(d.name);
  return out;
}

std::vector<const Package*> Resolver::all(const Asking& asking) {
  std::vector<const Package*> out;
  Project* const project = projectOf(asking.file, asking);
  if (!project || !project->manifest) return out;
  if (project->manifest->isPackage()) out.push_back(own(*project));
  if (!project->manifest->dependencies.empty()) readLock(*project, asking);
  if (!project->lock) return out;
  for (const Locked& locked : project->lock->packages)
    if (const Read* const read = readPackage(*project, locked, locked.range, asking); read->good)
      out.push_back(&read->package);
  return out;
}

std::string Resolver::vendored(const std::string& real, const Asking& asking) {
  Project* const project = projectOf(asking.file, asking);
  if (!project || !project->manifest) return "";
  std::error_code failed;
  const fs::path vendor =
      fs::weakly_canonical(fs::path(project->folder.empty() ? "." : project->folder) / kVendorFolder, failed);
  const fs::path below = fs::path(real).lexically_relative(vendor);
  const std::string name = below.empty() ? "" : below.begin()->string();
  if (failed || problemOfName(name) != "") return "";
  if (!project->manifest->dependencies.empty()) readLock(*project, asking);
  const Locked* const locked = project->lock ? project->lock->find(name) : nullptr;
  return locked && !locked->origin.isFolder() ? name : "";
}

std::string Resolver::folderOf(const Asking& asking) {
  const Project* const project = projectOf(asking.file, asking);
  if (!project || !project->manifest || !project->manifest->isPackage()) return "";
  std::error_code failed;
  const fs::path whole = fs::weakly_canonical(project->folder.empty() ? "." : project->folder, failed);
  return failed ? "" : whole.generic_string();
}

} // namespace planc::packages
