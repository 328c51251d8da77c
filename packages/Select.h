// Which version of every package a project is priced with: the least that satisfies all who ask for it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "packages/Manifest.h"

namespace planc::packages {

/// Where manifests come from.
class Registry {
public:
  virtual ~Registry() = default;
  /// The manifest of a package, a folder of which counts from that of the project. Null after errors, which are
  /// reported at `asked`.
  virtual const Manifest* manifest(const Origin& origin, const Dependency& asked) = 0;
};

struct Selected {
  std::string name;
  Version version;
  Origin origin; ///< a folder counts from that of the project
};

/// Of every package that is reached from the project, through any version that somebody asks for, the greatest of these
/// versions: minimal version selection (R. Cox, "Minimal Version Selection", 2018, algorithm 1). It depends on what
/// manifests say and on nothing else: no order, no date, no newer version. A folder that the project itself names
/// stands for all versions of its package. Sorted by name; nothing after errors, which are reported: circles, two
/// majors or two origins of one name.
std::optional<std::vector<Selected>> select(const Manifest& project, Registry& registry, DiagnosticEngine& diagnostics);

} // namespace planc::packages
