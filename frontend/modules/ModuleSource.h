// Where the texts of modules come from: those of the library, and those of the user.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/files/FileTree.h"
#include "support/files/Packages.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace planc::frontend {

/// Where modules come from. The default reads the embedded library for `std.…` and the disk for the rest.
class ModuleSource {
public:
  virtual ~ModuleSource() = default;
  /// The text of `std/models/gpt.plan`-like library paths; nothing if there is none.
  virtual std::optional<std::string_view> library(std::string_view path) const = 0;
  /// The trees of such a file as bytes for `syntax::Archive`; nothing: its text is parsed.
  virtual std::optional<std::string_view> trees(std::string_view) const { return std::nullopt; }
  /// The `.plan` files of a library folder (`std/ops`), sorted.
  virtual std::vector<std::string> libraryFolder(std::string_view folder) const = 0;
  /// What is no library.
  virtual const FileTree& files() const;
  /// What names other than `std` stand for; null: nothing.
  virtual PackageSource* packages() const { return nullptr; }
};
/// The library embedded in the binary beside the files of a tree and packages, neither of which it owns.
class LibraryBeside final : public ModuleSource {
public:
  LibraryBeside(const FileTree& files, PackageSource& packages) : files_(files), packages_(packages) {}
  PackageSource* packages() const override { return &packages_; }
  std::optional<std::string_view> library(std::string_view path) const override;
  std::optional<std::string_view> trees(std::string_view path) const override;
  std::vector<std::string> libraryFolder(std::string_view folder) const override;
  const FileTree& files() const override { return files_; }

private:
  const FileTree& files_;
  PackageSource& packages_;
};
/// The library embedded in the binary.
const ModuleSource& embeddedLibrary();

} // namespace planc::frontend
