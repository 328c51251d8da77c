// Names of records: library records by their module, records of other files by a relative path.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/format/RecordName.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace planc::format {

namespace {

namespace fs = std::filesystem;

/// `std.devices.nvidia` for `std/devices/nvidia.plan`; empty for files outside of the library.
std::string libraryModule(std::string_view path) {
  if (!path.starts_with("std/")) return {};
  std::string module(path.substr(0, path.rfind('.')));
  std::replace(module.begin(), module.end(), '/', '.');
  return module;
}

} // namespace

std::optional<RecordName> recordName(const SourceManager& sources, SourceRange declared, Symbol name, FileId into,
                                     std::string_view alias) {
  if (!declared.valid()) return std::nullopt;
  if (declared.file == into) return RecordName{{}, name.str()};
  if (!sources.line(declared.file, sources.begin(declared).line).starts_with("export ")) return std::nullopt;
  std::string from = libraryModule(sources.path(declared.file));
  if (from.empty()) {
    const fs::path way =
        fs::absolute(sources.path(declared.file)).lexically_relative(fs::absolute(sources.path(into)).parent_path());
    if (way.empty()) return std::nullopt;
    from = fmt::format("\"{}\"", way.string());
  }
  return RecordName{fmt::format("import {} as {}\n", from, alias), fmt::format("{}.{}", alias, name.view())};
}

} // namespace planc::format
