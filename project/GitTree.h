// The plans of a revision of a repository, read from git objects without a checkout. Submodules are read at the commits
// that the revision names.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "project/Git.h"
#include "support/Diagnostics.h"
#include "support/files/FileTree.h"

#include <map>
#include <memory>
#include <mutex>
#include <set>

namespace planc::project {

/// Paths are paths on disk, as on a command line or in the import of a file there.
class GitTree final : public FileTree {
public:
  /// Opens the tree of a revision, in the repository that contains the path `near`. `REV...` means the merge base of
  /// HEAD and REV. Errors are reported at `asked`, the place of the revision's name, and null is returned: git is
  /// missing, there is no repository, or no such revision.
  static std::shared_ptr<const GitTree> open(const std::string& revision, const std::string& near, SourceRange asked,
                                             DiagnosticEngine& diagnostics);

  std::optional<std::string> plan(const std::string& path, std::string& error) const override;
  bool exists(const std::string& path) const override;
  std::optional<std::string> real(const std::string& path, std::string& error) const override;
  std::optional<std::string> imported(const std::string& real, std::string& error) const override;
  std::vector<std::string> plansOf(const std::string& folder) const override;
  /// Only for plans and for files that `isPackageText` names; other texts were not read.
  std::optional<std::string> text(const std::string& path, std::string& error) const override;
  std::vector<FileEntry> below(const std::string& folder, size_t most, std::string& error) const override;

  /// The `.plan` files below a folder, or the file itself, sorted. The paths begin with `path`.
  std::vector<std::string> plansBelow(const std::string& path) const;
  /// Whether the path is inside the repository, even if nothing exists there.
  bool holds(const std::string& path) const { return inside(path).has_value(); }
  /// Submodules and texts that were needed but are not available in this clone, each with a way to get them.
  std::vector<std::string> missing() const;

private:
  /// An entry of the tree.
  struct Entry {
    enum class Kind : uint8_t { File, Link, Submodule } kind = Kind::File;
    std::string object;
  };
  /// A repository at a commit.
  struct Repository {
    GitPlace place;
    std::string commit;
    std::string problem; ///< why it cannot be read; empty if it can
    std::map<std::string, Entry, std::less<>> entries;
    std::map<std::string, std::string, std::less<>> blobs; ///< texts of plans and links, by object
    std::map<std::string, std::unique_ptr<Repository>, std::less<>> submodules;
  };
  /// A path inside a repository. `repository` is null if the path is outside of all repositories.
  struct Place {
    Repository* repository = nullptr;
    std::string path;  ///< path in the repository; empty: its root
    std::string whole; ///< path from the root of the outermost repository
  };

  GitTree(GitPlace place, std::string top, std::string commit);
  static bool read(Repository& repository);
  std::optional<std::string> inside(const std::string& path) const;
  Place resolve(const std::string& inside, std::string& error) const;
  Repository& submodule(Repository& within, const std::string& path, const std::string& commit,
                        const std::string& whole) const;
  static std::string nameOf(const Repository& within, const std::string& path);
  bool isHere(const std::string& whole) const;
  void addBelow(const Place& folder, const std::string& shown, std::vector<std::string>& out) const;

  std::string top_, commit_;
  mutable std::mutex lock_;
  std::unique_ptr<Repository> root_;
  mutable std::set<std::string> missing_;
  mutable size_t opened_ = 0; ///< number of open submodules
};

/// Whether git resolves this word to a revision in the current folder.
bool isRevision(const std::string& word);

} // namespace planc::project
