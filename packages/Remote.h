// Packages in remote repositories: their tags, and the texts at a tag. Only `planc lib` uses them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "packages/Contents.h"

namespace planc::packages {

/// The contents of a tag.
struct Tagged {
  std::string commit;
  Texts texts;
};

/// Where to report errors of a repository.
struct RemoteUse {
  std::string name; ///< name of the package
  SourceRange range;
  DiagnosticEngine& diagnostics;
};

/// A tag that names a version, with its commit.
struct VersionTag {
  Version version;
  std::string tag, commit;
};
std::optional<std::vector<VersionTag>> versionsAt(const std::string& address, const RemoteUse& use);
/// The tags of a repository that are versions, lowest version first. Errors are reported, and nullopt is returned.
/// Reads a tag into memory. Nothing is checked out, no hook or filter runs, and no submodule is fetched. Errors are
/// reported, and nullopt is returned: git is missing or fails, the tag does not exist, or its tree is not a package.
std::optional<Tagged> fetchTag(const std::string& address, const std::string& tag, const RemoteUse& use);

} // namespace planc::packages
