// Revisions as trees of files: blobs, links, submodules with and without their objects, and what is no revision.
// SPDX-License-Identifier: Apache-2.0
#include "project/GitTree.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace fs = std::filesystem;

namespace planc {
namespace {

/// A folder of repositories that goes with the test.
class Repositories : public testing::Test {
protected:
  fs::path root;

  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "planc-repositories-XXXXXX").string();
    root = fs::canonical(::mkdtemp(name.data()));
  }
  void TearDown() override { fs::remove_all(root); }

  void write(const fs::path& path, const std::string& text) {
    fs::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text;
  }
  void git(const fs::path& folder, std::vector<std::string> words) {
    words.insert(words.begin(), {"-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false",
                                 "-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main"});
    const project::GitAnswer answer = project::runGit({(root / folder).string(), "", true}, words);
    ASSERT_TRUE(answer.ok()) << words[10] << ": " << answer.err;
  }
  void repository(const fs::path& folder) {
    fs::create_directories(root / folder);
    git(folder, {"init", "-q"});
  }
  void commit(const fs::path& folder) {
    git(folder, {"add", "-A"});
    git(folder, {"commit", "-q", "-m", "change"});
  }
  std::string head(const fs::path& folder) {
    return project::runGit({(root / folder).string(), "", true}, {"rev-parse", "HEAD"}).line();
  }
  std::shared_ptr<const project::GitTree> tree(const std::string& revision, const fs::path& near) {
    return project::GitTree::open(revision, (root / near).string(), {}, found);
  }
  std::string text(const FileTree& tree, const fs::path& path) {
    std::string error;
    return tree.plan((root / path).string(), error).value_or("!" + error);
  }
  std::vector<std::string> below(const project::GitTree& tree, const fs::path& path) {
    std::vector<std::string> out;
    for (const std::string& file : tree.plansBelow((root / path).string()))
      out.push_back(fs::path(file).lexically_relative(root).string());
    return out;
  }
  std::vector<int> codes() {
    std::vector<int> out;
    for (const Diagnostic* d : found.sorted()) out.push_back(d->kind->code);
    return out;
  }
  DiagnosticEngine found;
};

using testing::Test;

TEST_F(Repositories, AFileIsReadAsItWasAndTheDiskStaysAsItIs) {
  repository("a");
  write("a/plans/run.plan", "one\n");
  write("a/plans/notes.txt", "no plan\n");
  commit("a");
  write("a/plans/run.plan", "two\n");
  write("a/plans/new.plan", "new\n");
  const auto before = tree("HEAD", "a/plans");
  ASSERT_TRUE(before);
  EXPECT_EQ(text(*before, "a/plans/run.plan"), "one\n");
  EXPECT_EQ(text(*before, "a/plans/new.plan"), "!it does not exist at " + head("a").substr(0, 12));
  EXPECT_EQ(text(*before, "a/plans/notes.txt"), "!its name does not end in `.plan`");
  EXPECT_TRUE(before->exists((root / "a/plans").string()));
  EXPECT_FALSE(before->exists((root / "a/plans/new.plan").string()));
  EXPECT_EQ(below(*before, "a"), std::vector<std::string>{"a/plans/run.plan"});
  EXPECT_EQ(before->plansOf((root / "a/plans").string()), std::vector<std::string>{"run.plan"});
  EXPECT_EQ(below(*before, "a/plans/run.plan"), std::vector<std::string>{"a/plans/run.plan"});
}

TEST_F(Repositories, LinksAreFollowedInsideAndRefusedOutside) {
  repository("a");
  write("a/lib/x.plan", "x\n");
  fs::create_directory_symlink("lib", root / "a/link");
  fs::create_symlink("lib/x.plan", root / "a/y.plan");
  fs::create_symlink("../outside.plan", root / "a/out.plan");
  fs::create_symlink("round.plan", root / "a/round.plan");
  commit("a");
  const auto before = tree("HEAD", "a");
  ASSERT_TRUE(before);
  EXPECT_EQ(text(*before, "a/link/x.plan"), "x\n");
  EXPECT_EQ(text(*before, "a/y.plan"), "x\n");
  std::string error;
  EXPECT_EQ(before->real((root / "a/y.plan").string(), error), "lib/x.plan");
  EXPECT_EQ(text(*before, "a/out.plan"), "!the target of the link `out.plan` is outside of the repository");
  EXPECT_EQ(text(*before, "a/round.plan"), "!the target of the link `round.plan` does not exist");
  EXPECT_EQ(text(*before, "elsewhere.plan"), "!it is outside of the repository, so no revision has it");
}

TEST_F(Repositories, ASubmoduleIsReadAtTheCommitThatTheRevisionNames) {
  repository("lib");
  write("lib/x.plan", "old\n");
  commit("lib");
  repository("a");
  git("a", {"submodule", "--quiet", "add", "--name", "ours", (root / "lib").string(), "vendor/lib"});
  commit("a");
  write("a/vendor/lib/x.plan", "new\n");
  commit("a/vendor/lib");
  commit("a");
  EXPECT_EQ(text(*tree("HEAD~1", "a"), "a/vendor/lib/x.plan"), "old\n");
  EXPECT_EQ(text(*tree("HEAD", "a"), "a/vendor/lib/x.plan"), "new\n");
  EXPECT_EQ(below(*tree("HEAD", "a"), "a"), std::vector<std::string>{"a/vendor/lib/x.plan"});
  // Not checked out: its data is still there, by its name.
  git("a", {"submodule", "--quiet", "deinit", "-f", "vendor/lib"});
  EXPECT_EQ(text(*tree("HEAD~1", "a"), "a/vendor/lib/x.plan"), "old\n");
}

TEST_F(Repositories, ASubmoduleWithoutObjectsIsToldWhereItIsAskedFor) {
  repository("lib");
  write("lib/x.plan", "old\n");
  commit("lib");
  repository("a");
  git("a", {"submodule", "--quiet", "add", (root / "lib").string(), "lib"});
  commit("a");
  git("", {"clone", "-q", (root / "a").string(), "b"});
  const auto before = tree("HEAD", "b");
  ASSERT_TRUE(before);
  EXPECT_TRUE(before->missing().empty());
  EXPECT_TRUE(before->exists((root / "b/lib/x.plan").string()));
  EXPECT_TRUE(text(*before, "b/lib/x.plan").starts_with("!the submodule `lib` does not have its commit"));
  EXPECT_EQ(before->missing().size(), 1u);
  EXPECT_TRUE(below(*before, "b").empty());
}

TEST_F(Repositories, WhatIsNoRevisionIsADiagnostic) {
  repository("a");
  write("a/x.plan", "x\n");
  commit("a");
  EXPECT_FALSE(tree("v9", "a"));
  EXPECT_FALSE(tree("--all", "a"));
  EXPECT_EQ(codes(), (std::vector<int>{1122, 1122}));
  found = DiagnosticEngine();
  write("b/x.plan", "x\n");
  EXPECT_FALSE(tree("HEAD", "b/x.plan"));
  EXPECT_EQ(codes(), std::vector<int>{1121});
}

TEST_F(Repositories, AShallowCloneSaysHowToGetItsHistory) {
  repository("a");
  write("a/x.plan", "x\n");
  commit("a");
  write("a/x.plan", "y\n");
  commit("a");
  git("", {"clone", "-q", "--depth", "1", "file://" + (root / "a").string(), "b"});
  EXPECT_FALSE(tree("HEAD~1", "b"));
  ASSERT_EQ(codes(), std::vector<int>{1122});
  EXPECT_NE(found.sorted()[0]->help.at(0).find("git fetch --unshallow"), std::string::npos);
}

} // namespace
} // namespace planc
