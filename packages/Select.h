// Selects the version of each package: the lowest that satisfies every dependency on it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "packages/Manifest.h"

namespace planc::packages {

/// Supplies manifests.
class Registry {
public:
  virtual ~Registry() = default;
  /// The manifest of a package; a folder in `origin` is relative to the project. Returns null after errors, which are
  /// reported at `asked`.
  virtual const Manifest* manifest(const Origin& origin, const Dependency& asked) = 0;
};

struct Selected {
  std::string name;
  Version version;
  Origin origin; ///< a folder is relative to the project
};

/// Minimal version selection (R. Cox, "Minimal Version Selection", 2018, algorithm 1): of every package that is reached
/// from the project through any requested version, selects the greatest requested version. The result depends on the
/// manifests only, not on an order, a date or newer versions. A folder dependency of the project itself replaces all
/// versions of its package. The result is sorted by name. Errors are reported, and nullopt is returned: cycles, or two
/// majors or two origins of one name.
std::optional<std::vector<Selected>> select(const Manifest& project, Registry& registry, DiagnosticEngine& diagnostics);

} // namespace planc::packages
