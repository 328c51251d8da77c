// The project of a command line: its planc.toml, and the settings that follow from it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/words/Console.h"
#include "project/Config.h"

#include <string>
#include <vector>

namespace planc::driver {

class Project {
public:
  /// Reads the planc.toml of a folder (empty: the current one) or of the nearest folder above it, if there is one. Adds
  /// its rules about warnings to those of the console; options take precedence. Returns the exit code after errors,
  /// which are written, else kClean.
  int open(Console& console, const std::string& folder);

  /// Returns an earlier version of a planc.toml, for its lists. Nothing if `text` cannot be parsed.
  static std::optional<Project> earlier(const std::string& path, std::string text);

  const project::Config& config() const { return config_; }
  const SourceManager& sources() const { return sources_; }
  /// Returns whether planc.toml excludes `path` when the folder `root` is searched. An exclusion that covers all of
  /// `root` does not apply, because the user named the folder. Both paths must come from `wholePath`.
  bool excludes(const std::string& path, const std::string& root) const;
  /// Stores the paths of a list (`plans`, `policies`) as messages show them. Returns the exit code, after a report, if
  /// one does not exist.
  int listed(Console& console, const std::vector<project::ConfigText>& list, std::string_view key,
             std::vector<std::string>& out) const;

private:
  void addRules(WarningRules& rules, DiagnosticEngine& diagnostics) const;
  void exclude(DiagnosticEngine& diagnostics);

  project::Config config_;
  SourceManager sources_;
  std::vector<std::string> excluded_; ///< absolute paths
};

} // namespace planc::driver
