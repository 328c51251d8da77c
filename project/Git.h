// Runs git: the only file that starts it. What it answers is bytes; what it complains of is kept.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace planc::project {

/// What a run of git came to.
struct GitAnswer {
  bool found = true; ///< there is a git; else nothing was run
  int code = 0;
  std::string out, err;
  bool ok() const { return found && code == 0; }
  /// The first line of what it complained of, without `fatal:`.
  std::string complaint() const;
  /// The first line of what it printed.
  std::string line() const;
};

/// A repository as git is told of it: the folder to run in or, for a submodule that is not checked out, its own data.
struct GitPlace {
  std::string folder = ".";
  std::string data = {}; ///< for `--git-dir`; empty: found from the folder
  bool own = false;      ///< what the environment says of a repository (`GIT_DIR` in hooks) is not of this one
};

/// The place where git is asked about the repository of a folder. What the environment says goes before it, as git has
/// it, and counts from the folder of this program; it does not if there is no repository from here.
GitPlace gitPlaceOf(const std::string& folder);

/// At which git is ended; zero: none.
struct GitBounds {
  size_t bytes = 0; ///< of what it prints, or complains of
  unsigned seconds = 0;
};

/// Runs git with these words, nothing to read but `input`. It reaches no other repository unless the words allow a
/// protocol.
GitAnswer runGit(const GitPlace& place, const std::vector<std::string>& words, std::string_view input = {},
                 const GitBounds& bounds = {});

} // namespace planc::project
