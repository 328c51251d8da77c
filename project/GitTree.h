// The plans of a revision of a repository, read from its blobs: nothing is checked out. Its submodules are read at the
// commits that it names.
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

/// Paths are those of the disk, as a command line or an import of a file there has them.
class GitTree final : public FileTree {
public:
  /// The tree of a revision, of the repository that the path `near` lies in; `REV...` is the last commit that the one
  /// that is checked out and REV have in common. Null after errors, which are reported at
  /// `asked`, the place of the revision's name: there is no git, no repository, no such revision.
  static std::shared_ptr<const GitTree> open(const std::string& revision, const std::string& near, SourceRange asked,
                                             DiagnosticEngine& diagnostics);

  std::optional<std::string> plan(const std::string& path, std::string& error) const override;
  bool exists(const std::string& path) const override;
  std::optional<std::string> real(const std::string& path, std::string& error) const override;
  std::optional<std::string> imported(const std::string& real, std::string& error) const override;
  std::vector<std::string> plansOf(const std::string& folder) const override;
  /// Of plans, and of what `isPackageText` names: no other texts were asked of git.
  std::optional<std::string> text(const std::string& path, std::string& error) const override;
  std::vector<FileEntry> below(const std::string& folder, size_t most, std::string& error) const override;

  /// The `.plan` files below a folder, or the file itself, as paths that begin as `path` does; sorted.
  std::vector<std::string> plansBelow(const std::string& path) const;
  /// Does the path lie in the repository, be it there or not?
  bool holds(const std::string& path) const { return inside(path).has_value(); }
  /// What is not here of submodules and texts, each with a way out, as far as it was asked for.
  std::vector<std::string> missing() const;

private:
  /// What a path of the tree is.
  struct Entry {
    enum class Kind : uint8_t { File, Link, Submodule } kind = Kind::File;
    std::string object;
  };
  /// A repository at a commit.
  struct Repository {
    GitPlace place;
    std::string commit;
    std::string problem; ///< why nothing of it can be read; else empty
    std::map<std::string, Entry, std::less<>> entries;
    std::map<std::string, std::string, std::less<>> blobs; ///< of plans and links, by object
    std::map<std::string, std::unique_ptr<Repository>, std::less<>> submodules;
  };
  /// A path inside of a repository; without one it lies outside of all.
  struct Place {
    Repository* repository = nullptr;
    std::string path;  ///< in it; empty: its root
    std::string whole; ///< from the root of the outermost one
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
  mutable size_t opened_ = 0; ///< submodules
};

/// Does git know this word as a revision, in the current folder?
bool isRevision(const std::string& word);

} // namespace planc::project
