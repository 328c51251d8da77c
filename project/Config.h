// planc.toml: what a project says once for all its commands, each value with its place. What the values mean is the
// driver's affair.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Diagnostics.h"

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

struct Config {
  std::string path; ///< of the file, as it is shown; empty: there is none
  FileId file;
  std::vector<ConfigText> plans, exclude, policies; ///< paths
  std::vector<ConfigText> deny, allow;              ///< codes of warnings, and `warnings`
  std::vector<ConfigGate> gates;

  /// A path of the file, which counts from the folder of the file, as it is shown.
  std::string shown(const ConfigText& written) const;
};

/// A key that takes a list of texts.
struct ConfigKey {
  std::string_view table, name;
  std::vector<ConfigText> Config::*list;
};
inline constexpr std::string_view kGatesTable = "gates";
const std::vector<ConfigKey>& configKeys();

/// The nearest planc.toml in a folder (empty: the current one) or above it. Where the folder is relative, so is what is
/// found.
std::optional<std::string> findConfig(const std::string& folder);
/// Reads it; nothing after errors, which are reported.
std::optional<Config> readConfig(const std::string& path, SourceManager& sources, DiagnosticEngine& diagnostics);
/// The same of a text that stands, or stood, at `path`.
std::optional<Config> configOf(const std::string& path, std::string text, SourceManager& sources,
                               DiagnosticEngine& diagnostics);
/// What `after` says otherwise than `before`, key by key: `gates.step_time +3% → none`.
std::vector<std::string> changes(const Config& before, const Config& after);
inline constexpr std::string_view kConfigName = "planc.toml";

} // namespace planc::project
