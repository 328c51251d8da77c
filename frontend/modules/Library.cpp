// The embedded library as a source of modules.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/modules/ModuleSource.h"
#include "support/files/DiskFiles.h"
#include "support/files/Embedded.h"

#include <algorithm>

namespace planc::frontend {

namespace {

/// Files are sorted by path, so a file is found by binary search and a folder is a range.
class Embedded final : public ModuleSource {
public:
  std::optional<std::string_view> library(std::string_view path) const override {
    return textOf(embeddedStdlib(), path);
  }
  std::optional<std::string_view> trees(std::string_view path) const override {
    return textOf(embeddedStdlibTrees(), path);
  }
  std::vector<std::string> libraryFolder(std::string_view folder) const override {
    const std::string prefix = std::string(folder) + "/";
    std::vector<std::string> files;
    for (auto at = lowerBound(embeddedStdlib(), prefix); at != embeddedStdlib().end() && at->path.starts_with(prefix);
         ++at)
      if (at->path.find('/', prefix.size()) == std::string_view::npos) files.emplace_back(at->path);
    return files;
  }

private:
  using Files = std::vector<EmbeddedFile>;
  static Files::const_iterator lowerBound(const Files& files, std::string_view path) {
    return std::lower_bound(files.begin(), files.end(), path,
                            [](const EmbeddedFile& f, std::string_view p) { return f.path < p; });
  }
  static std::optional<std::string_view> textOf(const Files& files, std::string_view path) {
    auto found = lowerBound(files, path);
    return found != files.end() && found->path == path ? std::optional(found->text) : std::nullopt;
  }
};

} // namespace

const FileTree& ModuleSource::files() const {
  return diskFiles();
}

std::optional<std::string_view> LibraryBeside::library(std::string_view path) const {
  return embeddedLibrary().library(path);
}

std::optional<std::string_view> LibraryBeside::trees(std::string_view path) const {
  return embeddedLibrary().trees(path);
}

std::vector<std::string> LibraryBeside::libraryFolder(std::string_view folder) const {
  return embeddedLibrary().libraryFolder(folder);
}

const ModuleSource& embeddedLibrary() {
  static const Embedded library;
  return library;
}

} // namespace planc::frontend
