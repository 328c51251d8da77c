// The project and its packages as `planc lib` handles them: selects versions, fetches, vendors, and verifies against
// the lock. This class, through Remote, is the only part of planc that uses a network.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "packages/Remote.h"
#include "packages/Select.h"
#include "packages/Store.h"

#include <memory>

namespace planc::packages {

/// A locked package after a fetch.
struct Fetched {
  const Locked* locked = nullptr;
  Texts texts;      ///< empty for a local folder
  bool now = false; ///< it was downloaded by this call
};

class Workspace {
public:
  /// Opens the project of this planc.toml, with its lock if it has one. Errors are reported, and null is returned.
  static std::unique_ptr<Workspace> open(const std::string& config, SourceManager& sources,
                                         DiagnosticEngine& diagnostics);
  /// As above, with `text` in place of the contents of planc.toml.
  static std::unique_ptr<Workspace> open(const std::string& config, std::string text, SourceManager& sources,
                                         DiagnosticEngine& diagnostics);

  const project::Config& config() const { return config_; }
  const Manifest& manifest() const { return manifest_; }
  const std::optional<Lock>& lock() const { return lock_; }
  const std::string& folder() const { return folder_; }
  std::string lockPath() const { return joined(folder_, project::kLockName); }

  /// Whether the lock has exactly the packages that planc.toml and the packages require. Fetches packages that are not
  /// stored here. If false, `why` holds the reason. Errors are reported, and nullopt is returned.
  std::optional<bool> fits(std::string& why);
  /// Selects all versions anew. Errors are reported, and nullopt is returned.
  std::optional<std::vector<Locked>> choose();
  /// Makes these packages the lock.
  void take(std::vector<Locked> packages);
  /// Reads every locked package. With `cache`, adds them to the cache unless they are vendored. Errors are reported,
  /// and nullopt is returned.
  std::optional<std::vector<Fetched>> fetch(bool cache);
  /// The place of a package in the lock. For a newly selected package, its place in planc.toml, or the top of that
  /// file.
  SourceRange placeOf(const Locked& locked) const;
  /// The texts that the lock recorded, from the cache or the repository. Returns nullopt without a report if they are
  /// no longer available.
  std::optional<Texts> original(const Locked& locked);
  /// The manifest of a locked package; null if it cannot be read.
  const Manifest* manifestOf(const Locked& locked);
  /// The manifest of a requested package, locked or not. A folder in `origin` is relative to the project.
  const Manifest* manifestOf(const Dependency& asked, const Origin& origin);

private:
  class Manifests;
  Workspace(SourceManager& sources, DiagnosticEngine& diagnostics);
  bool read(std::optional<project::Config> config);

  SourceManager& sources_;
  DiagnosticEngine& diagnostics_;
  project::Config config_;
  Manifest manifest_;
  std::string folder_;
  std::optional<Lock> lock_;
  std::unique_ptr<Manifests> manifests_;

public:
  ~Workspace();
};

/// The differences of two locks: `base 2.1.0 → 2.2.0`, `lab 1.0.0 new`, `old 1.0.0 gone`.
std::vector<std::string> changes(const std::vector<Locked>& before, const std::vector<Locked>& after);
/// The offset of the first byte in which a changed file differs from the locked file.
size_t firstDifference(std::string_view locked, std::string_view found);

} // namespace planc::packages
