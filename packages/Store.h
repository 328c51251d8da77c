// Where fetched packages lie: in a cache that all projects of a user share, by their digests, or in `vendor/`.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "packages/Lock.h"

namespace planc::packages {

/// `$PLANC_CACHE`, or `planc` in `$XDG_CACHE_HOME` or `~/.cache`, each a path from the root; empty where there is none
/// of these, and where PLANC_CACHE is a relative path, which would be another one in every folder.
std::string cacheFolder();

/// The package of this digest, read whole and held against it. Nothing where the cache has none, or one that was
/// changed.
std::optional<Texts> cached(const std::string& digest);
/// Puts a package there in one step: whoever reads meanwhile finds all of it or nothing. Empty, or why that failed.
std::string putIntoCache(const std::string& digest, const Texts& texts);
/// Writes a package in the place of a folder, in one step as far as the system has one: what was there is kept until
/// all of the new lies on the disk. Empty, or why that failed.
/// Not over a link, nor over files that are none of a package: somebody else wrote them.
std::string replaceFolder(const std::string& folder, const Texts& texts);
/// Removes the copy of a package that the cache has as well, and nothing else. Empty, or why it stays.
std::string removeFolder(const std::string& folder);

/// Where a locked package is read from: `vendor/NAME` beside the lock where that folder exists, else the cache.
struct Stored {
  enum class Kind { Vendored, Cached, Absent } kind = Kind::Absent;
  std::string folder;  ///< as it is shown: `vendor/base`; of the cache `base@2.1.0`
  Texts texts;         ///< as they lie there, even if they are not those of the lock
  Hostile problem;     ///< why the folder cannot be read
  Digests found;       ///< of these
  bool intact = false; ///< they are those of the lock
};
Stored stored(const FileTree& files, const std::string& project, const Locked& locked);
std::string vendorFolder(const std::string& project, const std::string& name);
/// Reports, at `use`, that a package is in neither, with what brings it.
void reportAbsent(const Locked& locked, const std::string& project, SourceRange use, DiagnosticEngine& diagnostics);
/// Where the cache has, or would have, a package.
std::string folderInCache(const std::string& digest);

} // namespace planc::packages
