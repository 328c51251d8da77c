// planc.lock: the exact bytes of the packages that a project is priced with.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "packages/Contents.h"

namespace planc::packages {

/// A locked package. A package in a local folder has only a name and the folder, because its files are still edited.
struct Locked {
  std::string name;
  Version version;    ///< unset for a folder
  Origin origin;      ///< a folder is relative to the folder of planc.lock
  std::string commit; ///< commit that the tag named
  std::string digest; ///< digest of `files`
  Digests files;
  SourceRange range;
};
/// The package for messages: `base 2.1.0`, `lab in ../lab`.
std::string shownText(const Locked& locked);

struct Lock {
  std::string path;             ///< display path
  std::vector<Locked> packages; ///< sorted by name
  const Locked* find(std::string_view name) const;
};

/// The text of a lock. It depends only on the packages, not on where they were read from.
std::string lockText(const std::vector<Locked>& packages);
/// Reads a lock file. Errors are reported, and nullopt is returned.
std::optional<Lock> readLock(const std::string& path, const FileTree& files, SourceManager& sources,
                             DiagnosticEngine& diagnostics);
/// As `readLock`, for a text that is already read.
std::optional<Lock> lockOf(const std::string& path, std::string text, SourceManager& sources,
                           DiagnosticEngine& diagnostics);
/// How a dependency conflicts with the lock; empty if the locked package satisfies it. `origin`: the dependency's
/// origin, with a folder relative to planc.lock. `project`: the root project; its folder dependencies replace packages
/// from repositories.
std::string unfit(const Manifest& project, const Dependency& dependency, const Origin& origin, const Locked* locked);
/// Reports, at the dependency, that the lock does not satisfy it.
void reportUnfit(const std::string& lock, std::string problem, SourceRange range, DiagnosticEngine& diagnostics);

} // namespace planc::packages
