// What git keeps of a commit: the names of its files, and their texts, each asked for once for all of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "project/Git.h"
#include "support/files/FileTree.h"

#include <map>
#include <optional>

namespace planc::project {

/// A file of a commit and the object that holds its text; of a submodule the commit that it is at.
struct GitEntry {
  FileEntry file;
  bool submodule = false;
  std::string object;
};

/// All files of a commit. Nothing, with the reason, where it cannot be read. `mostBytes`: of a stranger's commit, whose
/// trees may hold each other so often that no disk holds their names; the files then have their sizes, too.
std::optional<std::vector<GitEntry>> gitEntries(const GitPlace& place, const std::string& commit, std::string& error,
                                                size_t mostBytes = 0);

using GitTexts = std::map<std::string, std::string, std::less<>>;
/// The texts of objects, by their names; those that are not in this clone are left out. False, with git's reason, after
/// a failure.
bool gitTexts(const GitPlace& place, const std::vector<std::string>& objects, GitTexts& out, std::string& error);

} // namespace planc::project
