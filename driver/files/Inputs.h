// What a result was made of: the files that were read, and the library in the program, each with its digest.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/Source.h"

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace planc::driver {

/// Is it of the library, which is in the program?
bool isLibrary(const SourceManager& sources, FileId id);

/// Was it read from a file or from stdin? Else it is of the library, which is in the program, or words of the command
/// line. `main`: the path that was asked for, as reports show it.
bool isInput(const SourceManager& sources, FileId id, const std::string& main);

/// Of all texts of the library in the program, with their paths.
std::string libraryDigest();

/// Files by their paths, each with the digest of what was read.
class Inputs {
public:
  void add(const SourceManager& sources, const std::string& main);
  void add(const Inputs& others) { digests_.insert(others.digests_.begin(), others.digests_.end()); }
  /// `[{"path": …, "sha256": …}]`
  nlohmann::ordered_json json() const;

private:
  std::map<std::string, std::string> digests_;
};

} // namespace planc::driver
