// What a planc.toml says of its package and of those it depends on, checked: names, versions, sources.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "packages/Version.h"
#include "project/Config.h"

#include <optional>
#include <string>
#include <vector>

namespace planc::packages {

/// Where a package comes from: a folder, or a tag of a repository.
struct Origin {
  std::string path;     ///< as it is written; empty: of a repository
  std::string git, tag; ///< empty: a folder
  bool isFolder() const { return git.empty(); }
  bool operator==(const Origin&) const = default;
  /// `../lab`, `https://… v2.1.0`.
  std::string text() const { return isFolder() ? path : git + " " + tag; }
};

/// A line of `[dependencies]`.
struct Dependency {
  std::string name;
  Origin origin;
  Version least; ///< of a tag; a folder has the version that its planc.toml says
  SourceRange range;
};

/// A checked planc.toml. Without `[package]` it is a project that others cannot depend on, and has no name.
struct Manifest {
  std::string path; ///< of the file, as it is shown
  SourceRange range;
  std::string name;
  Version version;
  std::string description;
  std::vector<std::string> exports; ///< paths below the folder of the file, without an end: `clusters`, `models/moe`
  std::vector<Dependency> dependencies; ///< sorted by name

  bool isPackage() const { return !name.empty(); }
  const Dependency* dependency(std::string_view name) const;
};

/// Nothing after errors, which are reported: a name, version, path or address that is none, an edition that this planc
/// does not know, a planc that is newer than this.
std::optional<Manifest> manifestOf(const project::Config& config, DiagnosticEngine& diagnostics);
/// The folder of a dependency as it counts from the project's, where it counts from `within` as it is written.
Origin fromProject(const Origin& origin, const std::string& within);
/// How packages are fetched: the first words of addresses.
inline constexpr std::string_view kProtocols[] = {"https", "ssh", "file", "http"};
/// Is it an address that git may be told? One that holds a name or a password is not to be printed.
enum class Address : uint8_t { Good, None, Secret };
Address addressOf(std::string_view text);
/// What is wrong with the name of a package; empty if nothing is.
std::string problemOfName(std::string_view name);

} // namespace planc::packages
