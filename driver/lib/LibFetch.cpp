// `planc lib fetch`, `vendor`: make planc.lock match planc.toml and fetch its packages.
// SPDX-License-Identifier: Apache-2.0
#include "driver/files/Files.h"
#include "driver/lib/Lib.h"
#include "project/GitTree.h"
#include "support/files/DiskFiles.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace planc::driver {
namespace {

namespace fs = std::filesystem;
using packages::Fetched;
using packages::Locked;

PLANC_ERROR(LockWouldChange, 135, "planc.lock does not match planc.toml, and `--locked` forbids changes: {changes}")
PLANC_ERROR(VendorUnwritable, 136, "`{folder}` cannot be written: {reason}")

std::vector<Locked> lockedNow(const LibRun& run) {
  return run.workspace->lock() ? run.workspace->lock()->packages : std::vector<Locked>();
}

/// Makes the lock in memory match planc.toml. Returns kClean, or the exit code after a report.
int makeFit(LibRun& run) {
  std::string why;
  const std::optional<bool> fits = run.workspace->fits(why);
  if (!fits) return run.end();
  if (*fits) return kClean;
  std::optional<std::vector<Locked>> chosen = run.workspace->choose();
  if (!chosen) return run.end();
  const bool same = run.workspace->lock() && packages::lockText(lockedNow(run)) == packages::lockText(*chosen);
  if (!same && run.arguments.given("--locked")) {
    const std::vector<std::string> changed = packages::changes(lockedNow(run), *chosen);
    std::string text;
    for (const std::string& change : changed) text += (text.empty() ? "" : ", ") + change;
    run.diagnostics
        .report(LockWouldChange, {run.workspace->config().file, 0, 0},
                {{"changes", text.empty() ? "the same packages" : text}})
        .help("run `planc lib fetch` without it, and commit planc.lock");
    return run.end();
  }
  run.workspace->take(std::move(*chosen));
  return kClean;
}

std::string writeLock(LibRun& run, const std::string& toml) {
  const packages::Workspace& workspace = *run.workspace;
  if (!toml.empty())
    if (const std::string why = writeFile(workspace.config().path, toml); !why.empty())
      return workspace.config().path + ": " + why;
  const std::string text = packages::lockText(workspace.lock()->packages);
  std::string error;
  const std::optional<std::string> there = readFile(workspace.lockPath(), error);
  if (there == text || (!there && workspace.lock()->packages.empty())) return "";
  const std::string why = writeFile(workspace.lockPath(), text);
  return why.empty() ? "" : workspace.lockPath() + ": " + why;
}

/// Implements lockAndFetch, and also returns the fetched packages.
int bring(LibRun& run, const std::string& toml, bool cache, std::vector<Fetched>& out) {
  const std::vector<Locked> before = lockedNow(run);
  if (const int code = makeFit(run)) return code;
  std::optional<std::vector<Fetched>> fetched = run.workspace->fetch(cache);
  if (!fetched) return run.end();
  if (const std::string why = writeLock(run, toml); !why.empty()) return run.console.usageError(why);
  out = std::move(*fetched);
  for (const std::string& change : packages::changes(before, lockedNow(run))) run.console.out(change + "\n");
  for (const Fetched& one : out) // packages that were vendored before
    if (cache && !one.locked->origin.isFolder())
      if (const packages::Stored there = packages::stored(diskFiles(), run.workspace->folder(), *one.locked);
          there.kind == packages::Stored::Kind::Vendored && !there.intact)
        run.console.remark(
            fmt::format("planc: `{}` differs from planc.lock: run `planc lib vendor` next\n", there.folder));
  return run.end();
}

/// Returns folders of vendor/ whose packages are no longer in the lock.
std::vector<std::string> left(const LibRun& run) {
  std::vector<std::string> out;
  std::error_code ignored;
  const std::string vendor = packages::joined(run.workspace->folder(), kVendorFolder);
  if (fs::is_symlink(vendor, ignored)) return out;
  for (const fs::directory_entry& entry : fs::directory_iterator(vendor, ignored)) {
    const std::string name = entry.path().filename().string();
    const Locked* const locked = run.workspace->lock()->find(name);
    const bool package =
        packages::problemOfName(name).empty() && fs::is_regular_file(entry.path() / project::kConfigName, ignored);
    const bool named =
        locked && locked->origin.isFolder() &&
        fs::equivalent(packages::joined(run.workspace->folder(), locked->origin.path), entry.path(), ignored);
    if (package && !named && !entry.is_symlink(ignored) && (!locked || locked->origin.isFolder()))
      out.push_back(packages::joined(vendor, name));
  }
  std::sort(out.begin(), out.end());
  return out;
}

} // namespace

int lockAndFetch(LibRun& run, const std::string& toml) {
  std::vector<Fetched> ignored;
  return bring(run, toml, true, ignored);
}

namespace {

/// Fetches the packages of an earlier planc.lock into the cache, so that versions can be compared.
int fetchEarlier(LibRun& run, const std::string& revision) {
  const SourceRange here{run.workspace->config().file, 0, 0};
  const auto tree = project::GitTree::open(revision, run.workspace->config().path, here, run.diagnostics);
  if (!tree || !tree->exists(run.workspace->lockPath())) return run.end();
  const auto lock = packages::readLock(run.workspace->lockPath(), *tree, run.sources, run.diagnostics);
  if (!lock) return run.end();
  run.workspace->take(lock->packages);
  const auto fetched = run.workspace->fetch(true);
  if (!fetched) return run.end();
  for (const Fetched& one : *fetched)
    if (one.now) run.console.out(fmt::format("{} {} fetched\n", one.locked->name, one.locked->version.text()));
  return run.end();
}

} // namespace

int libFetch(LibRun& run) {
  if (const int code = run.open()) return code;
  if (const auto revision = run.arguments.value("--against")) return fetchEarlier(run, *revision);
  std::vector<Fetched> fetched;
  if (const int code = bring(run, "", true, fetched)) return code;
  for (const Fetched& one : fetched)
    if (one.now) run.console.out(fmt::format("{} {} fetched\n", one.locked->name, one.locked->version.text()));
  return kClean;
}

int libVendor(LibRun& run) {
  if (const int code = run.open()) return code;
  std::vector<Fetched> fetched;
  if (const int code = bring(run, "", false, fetched)) return code;
  for (const Fetched& one : fetched) {
    if (one.locked->origin.isFolder()) continue;
    const std::string folder = packages::vendorFolder(run.workspace->folder(), one.locked->name);
    if (packages::stored(diskFiles(), run.workspace->folder(), *one.locked).intact && isFolder(folder)) continue;
    if (const std::string why = packages::replaceFolder(folder, one.texts); !why.empty()) {
      run.diagnostics
          .report(VendorUnwritable, run.workspace->placeOf(*one.locked), {{"folder", folder}, {"reason", why}})
          .help("the files that were there before are unchanged");
      return run.end();
    }
    run.console.out(fmt::format("{} {} in {}\n", one.locked->name, one.locked->version.text(), folder));
  }
  for (const std::string& folder : left(run)) {
    const std::string why = packages::removeFolder(folder);
    run.console.out(why.empty() ? fmt::format("{} removed: planc.lock does not take it from a repository\n", folder)
                                : fmt::format("{} was not removed: {}\n", folder, why));
  }
  return kClean;
}

} // namespace planc::driver
