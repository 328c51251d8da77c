// Sources of module texts: the library, and the user's files.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/files/FileTree.h"
#include "support/files/Packages.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace planc::frontend {

/// Supplies the texts of modules. The default reads the embedded library for `std.…` and the disk for other files.
class ModuleSource {
public:
  virtual ~ModuleSource() = default;
  /// The text of a library file such as `std/models/gpt.plan`; nullopt if there is none.
  virtual std::optional<std::string_view> library(std::string_view path) const = 0;
  /// The archived trees of a library file for `syntax::Archive`; nullopt: its text must be parsed.
  virtual std::optional<std::string_view> trees(std::string_view) const { return std::nullopt; }
  /// The `.plan` files of a library folder (`std/ops`), sorted.
  virtual std::vector<std::string> libraryFolder(std::string_view folder) const = 0;
  /// The files outside of the library.
  virtual const FileTree& files() const;
  /// The packages that names other than `std` refer to; null: none.
  virtual PackageSource* packages() const { return nullptr; }
};
/// The embedded library in combination with a file tree and packages; owns neither.
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
