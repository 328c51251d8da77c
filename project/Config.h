// planc.toml: what a project says once for all its commands, each value with its place. What the values mean is the
// driver's affair.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Diagnostics.h"
#include "support/files/DiskFiles.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace planc::project {

/// A text of the file.
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
  SourceRange range; ///< of the value
};

struct Config {
  std::string path; ///< of the file, as it is shown; empty: there is none
  FileId file;
  std::vector<ConfigText> plans, exclude, policies; ///< paths
  std::vector<ConfigText> deny, allow;              ///< codes of warnings, and `warnings`
  std::vector<ConfigGate> gates;
  SourceRange package; ///< of the name of `[package]`; invalid: there is none
  std::optional<ConfigText> name, version, edition, planc, description; ///< of the package
  std::vector<ConfigText> exports;                                      ///< paths
  std::vector<ConfigDependency> dependencies;

  /// A path of the file, which counts from the folder of the file, as it is shown.
  std::string shown(const ConfigText& written) const;
};

/// A key that takes a list of texts, or one text.
struct ConfigKey {
  std::string_view table, name;
  std::vector<ConfigText> Config::*list = nullptr;
  std::optional<ConfigText> Config::*text = nullptr;
  std::vector<ConfigText> valuesOf(const Config& config) const;
};
inline constexpr std::string_view kGatesTable = "gates", kPackageTable = "package", kDependenciesTable = "dependencies";
const std::vector<ConfigKey>& configKeys();
/// What a dependency says, as one text: `https://… v2.1.0`.
std::string dependencyText(const ConfigDependency& dependency);

/// The nearest planc.toml in a folder (empty: the current one) or above it. Where the folder is relative, so is what is
/// found. With `files` it is looked for among these, not on the disk.
std::optional<std::string> findConfig(const std::string& folder, const FileTree* files = nullptr);
/// Reads it; nothing after errors, which are reported.
std::optional<Config> readConfig(const std::string& path, SourceManager& sources, DiagnosticEngine& diagnostics,
                                 const FileTree& files = diskFiles());
/// The same of a text that stands, or stood, at `path`.
std::optional<Config> configOf(const std::string& path, std::string text, SourceManager& sources,
                               DiagnosticEngine& diagnostics);
/// The text with the names and passwords of its URLs starred out, as long as before: nothing of them is read, shown or
/// written. Names alone, as of `ssh://git@…`, stay.
std::string withoutSecrets(std::string text);
/// What `after` says otherwise than `before`, key by key: `gates.step_time +3% → none`.
std::vector<std::string> changes(const Config& before, const Config& after);
inline constexpr std::string_view kConfigName = "planc.toml", kLockName = "planc.lock";
/// A file that goes with the plans of a package, by its name: planc.toml and its lock, the page about it, its licence.
bool isPackageText(std::string_view name);

} // namespace planc::project
