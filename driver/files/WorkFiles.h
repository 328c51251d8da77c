// The files that a command works on: named files, files below named folders, or those that planc.toml lists.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/files/Project.h"
#include "driver/words/Command.h"

#include <optional>
#include <string>
#include <vector>

namespace planc::driver {

struct WorkFile {
  std::string path;
  bool named = true; ///< named itself, and not found in a folder
  std::string as{};  ///< for `-`: the path that stdin stands for; empty: none

  /// The path as messages show it.
  std::string shown() const { return path != "-" ? path : as.empty() ? "<stdin>" : as; }
};

struct WorkFiles {
  Project project; ///< project of the files that lie below a planc.toml
  std::vector<WorkFile> files;
  std::vector<std::string> folders; ///< named or listed folders
};

/// Finds the files that words of the command line name; a folder stands for the `.plan` files below it, sorted. Hidden
/// folders, `vendor`, and paths that planc.toml excludes are skipped in folders, and each file is taken once. Without
/// words, uses the list `plans` of planc.toml. Words below different planc.toml files are refused. `stdinPath`: the
/// path that `-` stands for. Returns kClean with at least one file, or the exit code after a report.
int filesOf(Console& console, const std::vector<std::string>& words, WorkFiles& out, const std::string& stdinPath = "");

/// `--stdin-filename`, for commands that editors call with unsaved text.
inline const Option kStdinOption{
    "--stdin-filename", "PATH", {}, "with -: the file whose text it is, for messages, imports and planc.toml"};
/// Returns the path that `-` stands for; empty if it is not given, nothing after a usage error.
std::optional<std::string> stdinPathOf(Console& console, const Arguments& arguments);

/// Returns the files below a folder whose names end in `suffix`, sorted, without skipped ones.
std::vector<std::string> filesBelow(const Project& project, const std::string& folder, std::string_view suffix);
/// Finds the policy files that planc.toml lists, directly or by a folder. Returns an exit code after errors, which are
/// written.
int policiesOf(Console& console, const Project& project, std::vector<std::string>& out);

/// Returns whether a file is skipped when this folder is searched, by the names of its folders or by planc.toml.
bool passesOver(const Project& project, const std::string& folder, const std::string& file);

/// Returns the folder of a file, or the folder itself, from which planc.toml is searched upwards.
std::string projectFolder(const std::string& path);

/// Prepares a command that works on one file: refuses folders, and applies planc.toml's rules about warnings. Returns
/// kClean, or the exit code after a report.
int oneFileOf(Console& console, const std::string& path, const std::string& stdinPath = "");

} // namespace planc::driver
