// The files that a command works on: those named, those below named folders, or those of planc.toml.
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
  bool named = true; ///< by itself, not by a folder in which it lies
  std::string as{};  ///< of `-`: where its text is taken to stand; empty: nowhere

  /// As it stands in messages.
  std::string shown() const { return path != "-" ? path : as.empty() ? "<stdin>" : as; }
};

struct WorkFiles {
  Project project; ///< of all of them that lie below a planc.toml
  std::vector<WorkFile> files;
  std::vector<std::string> folders; ///< those that are named or listed
};

/// The files that words of the command line name, with each folder replaced by the `.plan` files below it, sorted. Of
/// these, hidden folders, `vendor` and what planc.toml excludes are passed over, and each is taken once. Without a word
/// it is what planc.toml lists as `plans`. Words below different planc.toml files are refused. `stdinPath`: where `-`
/// is taken to stand. kClean with at least one file, or the exit code after a report.
int filesOf(Console& console, const std::vector<std::string>& words, WorkFiles& out, const std::string& stdinPath = "");

/// `--stdin-filename`, of commands that editors call with texts that are not saved.
inline const Option kStdinOption{
    "--stdin-filename", "PATH", {}, "with -: the file whose text it is, for messages, imports and planc.toml"};
/// Where `-` is taken to stand; empty if that is not said, nothing after a usage error.
std::optional<std::string> stdinPathOf(Console& console, const Arguments& arguments);

/// The files below a folder whose names end so, sorted, without what is passed over there.
std::vector<std::string> filesBelow(const Project& project, const std::string& folder, std::string_view suffix);
/// Files of policies that planc.toml lists, itself or by a folder. An exit code after errors, which are written.
int policiesOf(Console& console, const Project& project, std::vector<std::string>& out);

/// Is a file passed over where this folder is expanded? By its folders' names, and by planc.toml.
bool passesOver(const Project& project, const std::string& folder, const std::string& file);

/// The folder from which planc.toml is looked for upwards, of a file or folder.
std::string projectFolder(const std::string& path);

/// Of a command that works on one file: a folder is refused, and what planc.toml says of warnings holds. kClean, or the
/// exit code after a report.
int oneFileOf(Console& console, const std::string& path, const std::string& stdinPath = "");

} // namespace planc::driver
