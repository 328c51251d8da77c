// The files of a commit and their texts, each read with one run of git.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "project/Git.h"
#include "support/files/FileTree.h"

#include <map>
#include <optional>

namespace planc::project {

/// A file of a commit and the object with its text. For a submodule, the object is its commit.
struct GitEntry {
  FileEntry file;
  bool submodule = false;
  std::string object;
};

/// All files of a commit. Returns nullopt, with the reason in `error`, if it cannot be read. Set `mostBytes` for an
/// untrusted commit: it limits the listing, because trees that contain each other can name more files than a disk
/// holds. With `mostBytes` the files also have sizes.
std::optional<std::vector<GitEntry>> gitEntries(const GitPlace& place, const std::string& commit, std::string& error,
                                                size_t mostBytes = 0);

using GitTexts = std::map<std::string, std::string, std::less<>>;
/// Adds the texts of objects to `out`, by object name. Objects that this clone lacks are left out. Returns false, with
/// git's message in `error`, on failure.
bool gitTexts(const GitPlace& place, const std::vector<std::string>& objects, GitTexts& out, std::string& error);

} // namespace planc::project
