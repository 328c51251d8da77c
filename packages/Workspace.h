// A project with its packages as `planc lib` works on it: chosen anew, fetched, copied, held against the lock. By way
// of Remote it is the only part of planc that reaches a network.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "packages/Remote.h"
#include "packages/Select.h"
#include "packages/Store.h"

#include <memory>

namespace planc::packages {

/// Where a package of the lock lies after a fetch.
struct Fetched {
  const Locked* locked = nullptr;
  Texts texts;      ///< of one from a repository
  bool now = false; ///< it was brought by this call
};

class Workspace {
public:
  /// Of the planc.toml of this folder, with the lock beside it if there is one. Nothing after errors, which are
  /// reported.
  static std::unique_ptr<Workspace> open(const std::string& config, SourceManager& sources,
                                         DiagnosticEngine& diagnostics);
  /// The same with another text in the place of planc.toml.
  static std::unique_ptr<Workspace> open(const std::string& config, std::string text, SourceManager& sources,
                                         DiagnosticEngine& diagnostics);

  const project::Config& config() const { return config_; }
  const Manifest& manifest() const { return manifest_; }
  const std::optional<Lock>& lock() const { return lock_; }
  const std::string& folder() const { return folder_; }
  std::string lockPath() const { return joined(folder_, project::kLockName); }

  /// Does the lock have what planc.toml and the packages themselves ask for, and nothing else? Packages that are not
  /// here are fetched. False where it does not, with the reason in `why`; nothing after errors, which are reported.
  std::optional<bool> fits(std::string& why);
  /// Chooses versions anew. Nothing after errors, which are reported.
  std::optional<std::vector<Locked>> choose();
  /// Takes what was chosen for the lock.
  void take(std::vector<Locked> packages);
  /// Reads every package of the lock; with `cache` they come into it, unless they lie in `vendor/`. Nothing after
  /// errors, which are reported.
  std::optional<std::vector<Fetched>> fetch(bool cache);
  /// Where a package is locked; of one that was chosen just now where planc.toml asks for it, or the top of that.
  SourceRange placeOf(const Locked& locked) const;
  /// The texts that the lock means, from the cache or its repository; nothing where there are none any more, without a
  /// report.
  std::optional<Texts> original(const Locked& locked);
  /// The manifest of a package of the lock; null if it cannot be read.
  const Manifest* manifestOf(const Locked& locked);
  /// The same of a package that somebody asks for, locked or not; a folder counts from the project's.
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

/// What became of the packages of a lock: `base 2.1.0 → 2.2.0`, `lab 1.0.0 new`, `old 1.0.0 gone`.
std::vector<std::string> changes(const std::vector<Locked>& before, const std::vector<Locked>& after);
/// Where the bytes of a changed file begin to differ from those that were locked.
size_t firstDifference(std::string_view locked, std::string_view found);

} // namespace planc::packages
