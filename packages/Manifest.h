// The package part of a planc.toml, checked: names, versions, and sources of dependencies.
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
  std::string path;     ///< as written; empty for a repository
  std::string git, tag; ///< empty for a folder
  bool isFolder() const { return git.empty(); }
  bool operator==(const Origin&) const = default;
  /// The origin for messages: `../lab`, `https://… v2.1.0`.
  std::string text() const { return isFolder() ? path : git + " " + tag; }
};

/// A line of `[dependencies]`.
struct Dependency {
  std::string name;
  Origin origin;
  Version least; ///< version of the tag; a folder's version is in its planc.toml
  SourceRange range;
};

/// A checked planc.toml. Without `[package]` it describes a project without a name, which others cannot depend on.
struct Manifest {
  std::string path; ///< display path of the file
  SourceRange range;
  std::string name;
  Version version;
  std::string description;
  std::vector<std::string> exports;     ///< paths below the file's folder, without suffix: `clusters`, `models/moe`
  std::vector<Dependency> dependencies; ///< sorted by name

  bool isPackage() const { return !name.empty(); }
  const Dependency* dependency(std::string_view name) const;
};

/// Checks the package part. Errors are reported, and nullopt is returned: an invalid name, version, path or address, an
/// unknown edition, or a manifest that requires a newer planc.
std::optional<Manifest> manifestOf(const project::Config& config, DiagnosticEngine& diagnostics);
/// The origin with a folder relative to the project. A written folder is relative to `within`.
Origin fromProject(const Origin& origin, const std::string& within);
/// The URL schemes by which packages may be fetched.
inline constexpr std::string_view kProtocols[] = {"https", "ssh", "file", "http"};
/// Whether a text is an address that may be passed to git. `Secret`: it contains a user name or password and must not
/// be printed.
enum class Address : uint8_t { Good, None, Secret };
Address addressOf(std::string_view text);
/// Why a text is not a valid package name; empty if it is valid.
std::string problemOfName(std::string_view name);

} // namespace planc::packages
