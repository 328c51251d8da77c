// Finds packages for the imports of one compilation: by the planc.toml of the importing file and its planc.lock, read
// from `vendor/`, the cache and local folders. Never runs git, and never writes.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "packages/Store.h"
#include "support/files/Packages.h"

#include <memory>

namespace planc::packages {

class Resolver final : public PackageSource {
public:
  /// `files`: the source of projects, `vendor/` and local folders; it must outlive this object. The cache is always on
  /// disk.
  explicit Resolver(const FileTree& files);
  ~Resolver() override;
  const Package* named(std::string_view name, const Asking& asking, bool& reported) override;
  std::vector<std::string> names(const Asking& asking, std::string& config) override;
  std::string vendored(const std::string& real, const Asking& asking) override;
  std::string folderOf(const Asking& asking) override;
  /// The project of the file, if it is a package, and all its locked packages, by name. Packages that cannot be read
  /// are reported and left out.
  std::vector<const Package*> all(const Asking& asking);

private:
  /// A planc.toml with its lock and packages.
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
