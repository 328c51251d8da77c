// planc.lock: which bytes of which packages a project is priced with.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "packages/Contents.h"

namespace planc::packages {

/// A package that was chosen. Of one in a folder of its own only the name, version and folder are kept: it is worked
/// on.
struct Locked {
  std::string name;
  Version version;
  Origin origin;      ///< a folder counts from that of planc.lock
  std::string commit; ///< of the tag
  std::string digest; ///< of `files`
  Digests files;
  SourceRange range;
};

struct Lock {
  std::string path;             ///< as it is shown
  std::vector<Locked> packages; ///< sorted by name
  const Locked* find(std::string_view name) const;
};

/// The text of a lock. The same packages have the same bytes, wherever they are read from.
std::string lockText(const std::vector<Locked>& packages);
/// Reads it; nothing after errors, which are reported.
std::optional<Lock> lockOf(const std::string& path, std::string text, SourceManager& sources,
                           DiagnosticEngine& diagnostics);
/// In what a dependency asks for another package than the lock has; empty where it does not. `origin`: of the
/// dependency, with a folder as the lock counts it.
std::string unfit(const Dependency& dependency, const Origin& origin, const Locked* locked);
/// The same with the diagnostic of it, at the dependency.
void reportUnfit(const std::string& lock, std::string problem, SourceRange range, DiagnosticEngine& diagnostics);

} // namespace planc::packages
