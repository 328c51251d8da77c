// Reads and fills the cache and vendor/.
// SPDX-License-Identifier: Apache-2.0
#include "packages/Store.h"

#include "support/files/DiskFiles.h"
#include "support/files/Files.h"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace planc::packages {

PLANC_ERROR(PackageAbsent, 130, "`{name}` {version} is neither in `{vendor}` nor in the cache")

namespace {

namespace fs = std::filesystem;

/// Writes a new file and flushes it to disk. Returns false with `errno` on failure.
bool writeText(const std::string& path, std::string_view text) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666));
  while (file.get() >= 0 && !text.empty()) {
    const ssize_t written = ::write(file.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return file.get() >= 0 && ::fsync(file.get()) == 0;
}

constexpr std::string_view kUnfinished = ".planc-";

/// Removes folders left by processes that were killed while writing. After a day they are abandoned.
void removeUnfinished(const fs::path& folder) {
  std::error_code ignored;
  const auto now = fs::file_time_type::clock::now();
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
    if (entry.is_directory(ignored) && !entry.is_symlink(ignored) &&
        entry.path().filename().string().starts_with(kUnfinished) &&
        now - entry.last_write_time(ignored) > std::chrono::hours(24))
      fs::remove_all(entry.path(), ignored);
}

/// Writes these texts into a new folder. Returns false with `errno` on failure.
bool writeTexts(const fs::path& folder, const Texts& texts) {
  std::error_code failed;
  fs::create_directory(folder, failed);
  for (const auto& [path, text] : texts) {
    if (!failed) fs::create_directories((folder / path).parent_path(), failed);
    if (failed) errno = failed.value();
    if (failed || !writeText((folder / path).string(), text)) return false;
  }
  return true;
}

/// Swaps two folders. Returns false with `errno` on failure.
bool exchange(const fs::path& fresh, const std::string& target) {
  if (::renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false; // if the file system cannot swap, rename twice
  const fs::path old = fresh.parent_path() / "old";
  if (::rename(target.c_str(), old.c_str()) != 0) return false;
  if (::rename(fresh.c_str(), target.c_str()) == 0) return true;
  const int why = errno;
  ::rename(old.c_str(), target.c_str());
  errno = why;
  return false;
}

/// Writes a package to a temporary folder next to the target, and moves it into place when all of it is on disk.
/// Returns why it failed, or an empty text.
template <class Instead> std::string putInto(const std::string& target, const Texts& texts, Instead instead) {
  std::error_code failed;
  const fs::path beside = fs::path(target).parent_path();
  fs::create_directories(beside, failed);
  if (failed) return failed.message();
  std::string made = (beside / kUnfinished).string() + "XXXXXX";
  if (!::mkdtemp(made.data())) return std::strerror(errno);
  const fs::path fresh = fs::path(made) / "new";
  bool done = writeTexts(fresh, texts);
  if (done && ::rename(fresh.c_str(), target.c_str()) != 0)
    done = (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR) && (!instead() || exchange(fresh, target));
  const std::string why = done ? "" : std::strerror(errno);
  fs::remove_all(made, failed);
  return why;
}

} // namespace

std::string cacheFolder() {
  const auto said = [](const char* name) { // a relative path would depend on the working directory
    const char* const value = std::getenv(name);
    return value && *value == '/' ? std::string(value) : "";
  };
  if (const char* const own = std::getenv("PLANC_CACHE"); own && *own) return said("PLANC_CACHE");
  if (const std::string all = said("XDG_CACHE_HOME"); !all.empty()) return all + "/planc";
  const std::string home = said("HOME");
  return home.empty() ? "" : home + "/.cache/planc";
}

std::string folderInCache(const std::string& digest) {
  return joined(cacheFolder(), "packages/" + digest);
}

std::optional<Texts> cached(const std::string& digest) {
  Hostile problem;
  if (cacheFolder().empty()) return std::nullopt;
  std::optional<Texts> texts = textsIn(diskFiles(), folderInCache(digest), problem);
  return texts && !texts->empty() && digestOf(digestsOf(*texts)) == digest ? std::move(texts) : std::nullopt;
}

std::string putIntoCache(const std::string& digest, const Texts& texts) {
  if (cacheFolder().empty()) return "PLANC_CACHE, XDG_CACHE_HOME and HOME have no absolute path";
  if (cached(digest)) return "";
  removeUnfinished(fs::path(folderInCache(digest)).parent_path());
  return putInto(folderInCache(digest), texts, [&] { return !cached(digest); }); // another process may have added it
}

namespace {

/// A file below a folder that is not in these texts; empty if there is none.
std::string strange(const std::string& folder, const Texts& texts) {
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    const std::string path = at->path().lexically_relative(folder).generic_string();
    if (!fs::is_directory(at->symlink_status(failed)) && !texts.contains(path)) return path;
  }
  return failed && failed != std::errc::no_such_file_or_directory ? failed.message() : "";
}

/// Whether the folder, or its parent, is a link, so that a write would change another place.
bool isLink(const std::string& folder) {
  std::error_code failed;
  return fs::is_symlink(fs::path(folder).parent_path(), failed) || fs::is_symlink(folder, failed);
}

} // namespace

std::string replaceFolder(const std::string& folder, const Texts& texts) {
  if (isLink(folder)) return "it is a link";
  Hostile ignored;
  const std::optional<Texts> there = textsIn(diskFiles(), folder, ignored);
  if (const std::string own = strange(folder, there ? *there : Texts()); !own.empty())
    return fmt::format("`{}` in it is not a file of a package", own);
  return putInto(folder, texts, [] { return true; });
}

std::string removeFolder(const std::string& folder) {
  if (isLink(folder)) return "it is a link";
  Hostile problem;
  const std::optional<Texts> there = textsIn(diskFiles(), folder, problem);
  if (!there || !cached(digestOf(digestsOf(*there)))) return "the cache has no such package, so it may be your own";
  if (const std::string own = strange(folder, *there); !own.empty())
    return fmt::format("`{}` in it is not a file of a package", own);
  std::error_code failed;
  fs::remove_all(folder, failed);
  return failed ? failed.message() : "";
}

std::string vendorFolder(const std::string& project, const std::string& name) {
  return joined(project, fmt::format("{}/{}", kVendorFolder, name));
}

void reportAbsent(const Locked& locked, const std::string& project, SourceRange use, DiagnosticEngine& diagnostics) {
  auto report = diagnostics.report(
      PackageAbsent, use,
      {{"name", locked.name}, {"version", locked.version.text()}, {"vendor", vendorFolder(project, locked.name)}});
  if (use != locked.range) report.label(locked.range, "locked here");
  report.help("`planc lib fetch` brings it into the cache, and `planc lib vendor` into the repository");
}

Stored stored(const FileTree& files, const std::string& project, const Locked& locked) {
  Stored out;
  out.folder = vendorFolder(project, locked.name);
  if (files.exists(out.folder)) {
    out.kind = Stored::Kind::Vendored;
    std::error_code failed;
    for (const std::string& path : {joined(project, kVendorFolder), out.folder})
      if (fs::is_symlink(path, failed)) out.problem = {"", fmt::format("`{}` is a link", path)};
    if (!out.problem.problem.empty()) return out;
    if (std::optional<Texts> texts = textsIn(files, out.folder, out.problem)) out.texts = std::move(*texts);
  } else {
    out.folder = fmt::format("{}@{}", locked.name, locked.version.text());
    const std::string folder = folderInCache(locked.digest);
    if (!cacheFolder().empty() && diskFiles().exists(folder)) {
      out.kind = Stored::Kind::Cached;
      if (std::optional<Texts> texts = textsIn(diskFiles(), folder, out.problem)) out.texts = std::move(*texts);
    }
  }
  out.found = digestsOf(out.texts);
  out.intact = out.kind != Stored::Kind::Absent && out.problem.problem.empty() && out.found == locked.files;
  return out;
}

} // namespace planc::packages
