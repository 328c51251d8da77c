// The project of a command line: what planc.toml says, and what follows from it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/words/Console.h"
#include "project/Config.h"

#include <string>
#include <vector>

namespace planc::driver {

class Project {
public:
  /// Reads the planc.toml of a folder (empty: the current one) or the nearest above it, if there is one, and adds to
  /// the rules of the console what it says of warnings: options go before it. The exit code after errors, which are
  /// written; else kClean.
  int open(Console& console, const std::string& folder);

  /// Takes a planc.toml as it stood in the same place at another time, for its lists; `text` that cannot be read is
  /// none.
  static std::optional<Project> earlier(const std::string& path, std::string text);

  const project::Config& config() const { return config_; }
  const SourceManager& sources() const { return sources_; }
  /// Is it to be passed over where the folder `root` is expanded? Not for what holds all of that folder: who names it
  /// wants it. Both as `wholePath` has them.
  bool excludes(const std::string& path, const std::string& root) const;
  /// Paths of one of its lists (`plans`, `policies`) as they are shown. An exit code where one of them does not exist,
  /// which is written.
  int listed(Console& console, const std::vector<project::ConfigText>& list, std::string_view key,
             std::vector<std::string>& out) const;

private:
  void addRules(WarningRules& rules, DiagnosticEngine& diagnostics) const;
  void exclude(DiagnosticEngine& diagnostics);

  project::Config config_;
  SourceManager sources_;
  std::vector<std::string> excluded_; ///< whole paths
};

} // namespace planc::driver
