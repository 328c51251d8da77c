// Packages in repositories of others: their tags, and the texts of one. Only `planc lib` asks for them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "packages/Contents.h"

namespace planc::packages {

/// What a tag is.
struct Tagged {
  std::string commit;
  Texts texts;
};

/// Where an error of a repository is told.
struct RemoteUse {
  std::string name; ///< of the package
  SourceRange range;
  DiagnosticEngine& diagnostics;
};

/// The tags of a repository that are versions, the least first, each with the commit that it names. Nothing after
/// errors, which are reported.
struct VersionTag {
  Version version;
  std::string tag, commit;
};
std::optional<std::vector<VersionTag>> versionsAt(const std::string& address, const RemoteUse& use);
/// Reads a tag into memory: nothing is checked out, no hook, filter or submodule of it runs or is fetched. Nothing
/// after errors, which are reported: no git, no answer, no such tag, what is no package.
std::optional<Tagged> fetchTag(const std::string& address, const std::string& tag, const RemoteUse& use);

} // namespace planc::packages
