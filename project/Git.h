// Runs git. No other file starts git.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace planc::project {

/// The result of a run of git.
struct GitAnswer {
  bool found = true; ///< false: git is not installed, nothing was run
  int code = 0;
  std::string out, err;
  bool ok() const { return found && code == 0; }
  /// The first line of its error output, without `fatal:`.
  std::string complaint() const;
  /// The first line of its output.
  std::string line() const;
};

/// Where git runs: a folder, or the git data of a submodule that is not checked out.
struct GitPlace {
  std::string folder = ".";
  std::string data = {}; ///< value for `--git-dir`; empty: git finds it from the folder
  bool own = false;      ///< ignore repository variables such as `GIT_DIR` (set in hooks)
};

/// The place for git commands about the repository of a folder. If `GIT_DIR` or `GIT_WORK_TREE` is set, it takes
/// precedence, as in git itself; a relative value is relative to the current folder. It is ignored if it names no
/// repository.
GitPlace gitPlaceOf(const std::string& folder);

/// Limits of a run of git. It is killed beyond them; zero means no limit.
struct GitBounds {
  size_t bytes = 0; ///< of output or error output
  unsigned seconds = 0;
};

/// Runs git with these arguments, and `input` as standard input. It contacts no other repository unless the arguments
/// allow a protocol.
GitAnswer runGit(const GitPlace& place, const std::vector<std::string>& words, std::string_view input = {},
                 const GitBounds& bounds = {});

} // namespace planc::project
