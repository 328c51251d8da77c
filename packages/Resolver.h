// Packages for the imports of one compilation: by the planc.toml of the importing file and the planc.lock beside it,
// read from `vendor/`, the cache and folders. It neither runs git nor writes.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "packages/Store.h"
#include "support/files/Packages.h"

#include <memory>

namespace planc::packages {

class Resolver final : public PackageSource {
public:
  /// `files`: where projects, `vendor/` and folders are read from; the cache is on the disk. It must outlive this.
  explicit Resolver(const FileTree& files);
  ~Resolver() override;
  const Package* named(std::string_view name, const Asking& asking, bool& reported) override;
  std::vector<std::string> names(const Asking& asking, std::string& config) override;
  std::string vendored(const std::string& real, const Asking& asking) override;
  std::string folderOf(const Asking& asking) override;
  /// The project of a file itself, if it is a package, and all that it locks, by name. Those that cannot be read are
  /// left out, and reported.
  std::vector<const Package*> all(const Asking& asking);

private:
  /// A planc.toml with what was read for it.
  struct Project;
  /// A package that was read.
  struct Read;
  Project* projectOf(const std::string& file, const Asking& asking);
  void readLock(Project& project, const Asking& asking);
  const Package* own(Project& project);
  Read* readPackage(Project& project, const Locked& locked, SourceRange use, const Asking& asking);
  bool fill(Project& project, const Locked& locked, Read& read, SourceRange use, const Asking& asking);
  bool fits(const Project& project, const Manifest& manifest, const std::string& within, DiagnosticEngine& diagnostics);

  const FileTree& files_;
  std::map<std::string, std::unique_ptr<Project>> projects_; ///< by the path of planc.toml
  std::map<const Package*, Read*> reads_;
};

} // namespace planc::packages
