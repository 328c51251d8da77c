// Collects input files and their digests.
// SPDX-License-Identifier: Apache-2.0
#include "driver/files/Inputs.h"

#include "support/files/Digest.h"
#include "support/files/Embedded.h"
#include "support/files/FileTree.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace planc::driver {

bool isLibrary(const SourceManager& sources, FileId id) {
  const auto& library = embeddedStdlib();
  const char* text = sources.text(id).data();
  return std::any_of(library.begin(), library.end(),
                     [&](const EmbeddedFile& file) { return file.text.data() == text; });
}

bool isInput(const SourceManager& sources, FileId id, const std::string& main) {
  if (isLibrary(sources, id)) return false;
  std::error_code ignored; // paths of cached packages do not exist on disk
  const std::string& path = sources.path(id);
  return path == main || path.ends_with(kPlanSuffix) || std::filesystem::is_regular_file(path, ignored);
}

std::string libraryDigest() {
  std::string all;
  for (const EmbeddedFile& file : embeddedStdlib()) all += fmt::format("{} {}\n", file.path, digestOf(file.text));
  return digestOf(all);
}

void Inputs::add(const SourceManager& sources, const std::string& main) {
  for (uint32_t i = 0; i < sources.fileCount(); ++i)
    if (const FileId id(i); isInput(sources, id, main))
      digests_.try_emplace(std::string(sources.path(id)), digestOf(sources.text(id)));
}

nlohmann::ordered_json Inputs::json() const {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const auto& [path, digest] : digests_) out.push_back({{"path", path}, {"sha256", digest}});
  return out;
}

} // namespace planc::driver
