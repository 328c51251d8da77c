// Files on disk: reading, paths, and replacing a file without ever losing it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver/words/Console.h"
#include "support/Source.h"

#include <optional>
#include <string>
#include <vector>

namespace planc::driver {

/// How the name of every snapshot ends.
inline constexpr std::string_view kSnapshotSuffix = ".snap";

/// Far above what the parser takes; keeps a device or an endless pipe from filling the memory.
inline constexpr size_t kMostFileBytes = size_t(64) << 20;
/// The text of a file (`-` is stdin), or nothing and what went wrong.
std::optional<std::string> readFile(const std::string& path, std::string& error, size_t mostBytes = kMostFileBytes);
/// Replaces a file in one step and keeps its permissions; a link stays a link. Empty, or what went wrong: then the file
/// is as it was.
std::string replaceFile(const std::string& path, std::string_view text);
/// Writes a file, new or in place of another. Empty, or what went wrong.
std::string writeFile(const std::string& path, std::string_view text);
/// The path from the root, without `.`, `..` and a `/` at its end. Links stay what they are.
std::string wholePath(const std::string& path);
/// What a path means, be it there or not: two spellings of one file have one.
std::string meantPath(const std::string& path);
bool isFolder(const std::string& path);
/// Why an output may not be written there, before anything is done for it; empty if it may. Not over a folder, a file
/// that was read, or a database: a store of a search holds hours of work.
std::string refusedOutput(const std::string& path, const SourceManager& read);

} // namespace planc::driver
