// planc.lock: which bytes of which packages a project is priced with.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "packages/Contents.h"

namespace planc::packages {

/// A package that was chosen. Of one in a folder of its own only the name and the folder are kept: it is worked on.
struct Locked {
  std::string name;
  Version version;    ///< not of a folder
  Origin origin;      ///< a folder counts from that of planc.lock
  std::string commit; ///< of the tag
  std::string digest; ///< of `files`
  Digests files;
  SourceRange range;
};
/// `base 2.1.0`, `lab in ../lab`.
std::string shownText(const Locked& locked);

struct Lock {
  std::string path;             ///< as it is shown
  std::vector<Locked> packages; ///< sorted by name
  const Locked* find(std::string_view name) const;
};

/// The text of a lock. The same packages have the same bytes, wherever they are read from.
std::string lockText(const std::vector<Locked>& packages);
/// Reads the file; nothing after errors, which are reported.
std::optional<Lock> readLock(const std::string& path, const FileTree& files, SourceManager& sources,
                             DiagnosticEngine& diagnostics);
/// The same of its text.
std::optional<Lock> lockOf(const std::string& path, std::string text, SourceManager& sources,
                           DiagnosticEngine& diagnostics);
/// In what a dependency asks for another package than the lock has; empty where it does not. `origin`: of the
/// dependency, with a folder as the lock counts it.
/// `project`: whose folders stand for packages of repositories.
std::string unfit(const Manifest& project, const Dependency& dependency, const Origin& origin, const Locked* locked);
/// Reports, at the dependency that asks for something else, that a lock does not fit.
void reportUnfit(const std::string& lock, std::string problem, SourceRange range, DiagnosticEngine& diagnostics);

} // namespace planc::packages
