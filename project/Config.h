// planc.toml: the settings that all commands of a project share, each with its place in the file. The driver interprets
// the values.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Diagnostics.h"
#include "support/files/DiskFiles.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace planc::project {

/// A string of the file.
struct ConfigText {
  std::string value;
  SourceRange range;
};

/// A line of `[gates]`: `step_time = "+3%"`.
struct ConfigGate {
  ConfigText metric, bound;
};

/// A line of `[dependencies]`: `base = { git = "https://…", tag = "v2.1.0" }`.
struct ConfigDependency {
  ConfigText name;
  std::optional<ConfigText> path, git, tag;
  SourceRange range; ///< range of the value
};

struct Config {
  std::string path; ///< display path of the file; empty if there is none
  FileId file;
  std::vector<ConfigText> plans, exclude, policies; ///< paths
  std::vector<ConfigText> deny, allow;              ///< codes of warnings, and `warnings`
  std::vector<ConfigGate> gates;
  SourceRange package; ///< of the name in `[package]`; invalid if there is none
  std::optional<ConfigText> name, version, edition, planc, description; ///< of the package
  std::vector<ConfigText> exports;                                      ///< paths
  std::vector<ConfigDependency> dependencies;

  /// The display path of a path in the file, which is relative to the file's folder.
  std::string shown(const ConfigText& written) const;
};

/// A key whose value is a list of strings or one string.
struct ConfigKey {
  std::string_view table, name;
  std::vector<ConfigText> Config::*list = nullptr;
  std::optional<ConfigText> Config::*text = nullptr;
  std::vector<ConfigText> valuesOf(const Config& config) const;
};
inline constexpr std::string_view kGatesTable = "gates", kPackageTable = "package", kDependenciesTable = "dependencies";
const std::vector<ConfigKey>& configKeys();
/// The dependency in one text: `https://… v2.1.0`.
std::string dependencyText(const ConfigDependency& dependency);

/// The nearest planc.toml in a folder (empty: the current folder) or above it. If `folder` is relative, the result is
/// relative. With `files` the search uses these files instead of the disk.
std::optional<std::string> findConfig(const std::string& folder, const FileTree* files = nullptr);
/// Reads a planc.toml. Errors are reported, and nullopt is returned.
std::optional<Config> readConfig(const std::string& path, SourceManager& sources, DiagnosticEngine& diagnostics,
                                 const FileTree& files = diskFiles());
/// As `readConfig`, for a text that is or was at `path`.
std::optional<Config> configOf(const std::string& path, std::string text, SourceManager& sources,
                               DiagnosticEngine& diagnostics);
/// The text with user names, passwords and query strings of its URLs replaced by stars of the same length, so that
/// secrets are never stored, shown or written. A user name without a password, as in `ssh://git@…`, stays.
std::string withoutSecrets(std::string text);
/// The changes from `before` to `after`, key by key: `gates.step_time +3% → none`.
std::vector<std::string> changes(const Config& before, const Config& after);
inline constexpr std::string_view kConfigName = "planc.toml", kLockName = "planc.lock";
/// Whether a file of this name belongs to a package in addition to its plans: planc.toml, its lock, the package's page,
/// its licence.
bool isPackageText(std::string_view name);

} // namespace planc::project
