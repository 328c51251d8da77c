// The `.plan` files of the repository, for tests that hold for each of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace planc::test {

struct PlanFile {
  std::string path;
  std::string text;
};

inline std::string readFile(const std::filesystem::path& path) {
  std::stringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

/// `stands -> should stand` of the first line in which two texts differ; empty if none does.
inline std::string firstLineThatDiffers(const std::string& stands, const std::string& should) {
  std::istringstream one(stands), other(should);
  std::string a, b;
  while (true) {
    const bool more = static_cast<bool>(std::getline(one, a)), others = static_cast<bool>(std::getline(other, b));
    if (!more && !others) return {};
    if (more != others || a != b) return (more ? a : "(end)") + " -> " + (others ? b : "(end)");
  }
}

/// Those under stdlib/, examples/ and tests/, and the samples of the design where they are checked out beside it;
/// sorted.
inline std::vector<PlanFile> planFiles() {
  namespace fs = std::filesystem;
  std::vector<PlanFile> out;
  const fs::path root = PLANC_SOURCE_DIR;
  for (const char* folder : {"stdlib", "examples", "tests"}) {
    if (!fs::is_directory(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder))
      if (entry.path().extension() == ".plan")
        out.push_back({fs::relative(entry.path(), root).string(), readFile(entry.path())});
  }
  std::sort(out.begin(), out.end(), [](const PlanFile& a, const PlanFile& b) { return a.path < b.path; });
  return out;
}

} // namespace planc::test
