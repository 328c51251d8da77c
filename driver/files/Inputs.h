// The inputs of a result: the files that were read, and the embedded library, each with its digest.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Source.h"

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace planc::driver {

/// Returns whether a source belongs to the embedded library.
bool isLibrary(const SourceManager& sources, FileId id);

/// Returns whether a source was read from a file or stdin; otherwise it is the embedded library or words of the command
/// line. `main`: the requested path, as reports show it.
bool isInput(const SourceManager& sources, FileId id, const std::string& main);

/// Returns the digest of all files of the embedded library with their paths.
std::string libraryDigest();

/// A set of files by path, each with the digest of its content.
class Inputs {
public:
  void add(const SourceManager& sources, const std::string& main);
  void add(const Inputs& others) { digests_.insert(others.digests_.begin(), others.digests_.end()); }
  /// Returns `[{"path": …, "sha256": …}]`.
  nlohmann::ordered_json json() const;

private:
  std::map<std::string, std::string> digests_;
};

} // namespace planc::driver
