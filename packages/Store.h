// Storage of fetched packages: a cache that all projects of a user share, indexed by digest, or `vendor/`.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "packages/Lock.h"

namespace planc::packages {

/// The cache folder: `$PLANC_CACHE`, otherwise `planc` in `$XDG_CACHE_HOME` or in `~/.cache`. Only absolute paths
/// count, because a relative path would be another folder in each working directory. Empty if none is set, or if
/// PLANC_CACHE is relative.
std::string cacheFolder();

/// Reads the package with this digest and verifies it. Returns nullopt if the cache does not have it, or if its files
/// were changed.
std::optional<Texts> cached(const std::string& digest);
/// Adds a package to the cache atomically: concurrent readers see all of it or nothing. Returns why it failed, or an
/// empty text.
std::string putIntoCache(const std::string& digest, const Texts& texts);
/// Replaces a folder by a package, atomically if the system supports that. The old folder is kept until the new one is
/// completely on disk. Refuses to replace a link, or a folder with files that do not belong to a package. Returns why
/// it failed, or an empty text.
std::string replaceFolder(const std::string& folder, const Texts& texts);
/// Removes a package's folder, but only if the cache has the same package. Returns why it failed, or an empty text.
std::string removeFolder(const std::string& folder);

/// The stored copy of a locked package: `vendor/NAME` next to the lock if that folder exists, otherwise the cache.
struct Stored {
  enum class Kind { Vendored, Cached, Absent } kind = Kind::Absent;
  std::string folder;  ///< display name: `vendor/base`, or `base@2.1.0` in the cache
  Texts texts;         ///< as stored, even if they differ from the lock
  Hostile problem;     ///< why the folder cannot be read
  Digests found;       ///< digests of `texts`
  bool intact = false; ///< `texts` match the lock
};
Stored stored(const FileTree& files, const std::string& project, const Locked& locked);
std::string vendorFolder(const std::string& project, const std::string& name);
/// Reports, at `use`, that a package is neither vendored nor cached, with the command that fetches it.
void reportAbsent(const Locked& locked, const std::string& project, SourceRange use, DiagnosticEngine& diagnostics);
/// The folder of a package in the cache, whether it exists or not.
std::string folderInCache(const std::string& digest);

} // namespace planc::packages
