// Files on disk: reading, paths, and replacing a file without losing its content.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/words/Console.h"
#include "support/Source.h"

#include <optional>
#include <string>
#include <vector>

namespace planc::driver {

/// Suffix of snapshot files.
inline constexpr std::string_view kSnapshotSuffix = ".snap";

/// The default size limit of a file, far above what the parser accepts. It keeps devices and endless pipes from filling
/// the memory.
inline constexpr size_t kMostFileBytes = size_t(64) << 20;
/// Returns the text of a file (`-` is stdin). Returns nothing and sets `error` if it cannot be read.
std::optional<std::string> readFile(const std::string& path, std::string& error, size_t mostBytes = kMostFileBytes);
/// Replaces a file atomically and keeps its permissions; a symbolic link stays a link. Returns an empty text, or the
/// error, in which case the file is unchanged.
std::string replaceFile(const std::string& path, std::string_view text);
/// Writes a file, and replaces an existing one. Returns an empty text or the error.
std::string writeFile(const std::string& path, std::string_view text);
/// Returns the absolute path without `.`, `..` and a trailing `/`. Symbolic links are not resolved.
std::string wholePath(const std::string& path);
/// Returns the path with symbolic links resolved, whether or not the file exists. Equal files give equal paths.
std::string meantPath(const std::string& path);
bool isFolder(const std::string& path);
/// Returns why a new plan file cannot be created at this path; empty if it can.
std::string takenPlanPath(const std::string& path);
/// Returns why an output may not be written to `path`, before any work is done; empty if it may. Refused are folders,
/// files that were read, and databases, because the store of a search may hold hours of work.
std::string refusedOutput(const std::string& path, const SourceManager& read);

} // namespace planc::driver
