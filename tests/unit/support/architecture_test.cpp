// The arrows between the rooms: no file includes what its room must not know.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/support/PlanFiles.h"

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string_view>

namespace fs = std::filesystem;

namespace {

/// support <- ir <- { frontend, passes, backends <- calibrate } <- driver; the three in the middle do not see each other.
const std::map<std::string, std::set<std::string>> kMayInclude = {
    {"support", {"support"}},
    {"ir", {"support", "ir"}},
    {"frontend", {"support", "ir", "frontend"}},
    {"passes", {"support", "ir", "passes"}},
    {"backends", {"support", "ir", "backends"}},
    {"calibrate", {"support", "ir", "backends", "calibrate"}},
    {"driver", {"support", "ir", "frontend", "passes", "backends", "calibrate", "driver"}},
};

struct Include {
  std::string file;   // relative to the root
  std::string target; // as written
};

/// What an `#include` line names; empty for other lines.
std::string includeOf(std::string line) {
  std::erase_if(line, [](char c) { return c == ' ' || c == '\t'; });
  constexpr std::string_view directive = "#include";
  if (!line.starts_with(directive) || line.size() <= directive.size()) return "";
  size_t end = line.find_first_of("\">", directive.size() + 1);
  return line.substr(directive.size() + 1, end - directive.size() - 1);
}

std::vector<Include> includesOf(const std::string& room) {
  const fs::path root = PLANC_SOURCE_DIR;
  std::vector<Include> out;
  for (const auto& entry : fs::recursive_directory_iterator(root / room)) {
    fs::path extension = entry.path().extension();
    if (extension != ".h" && extension != ".cpp") continue;
    std::istringstream lines(planc::test::readFile(entry.path()));
    for (std::string line; std::getline(lines, line);)
      if (std::string target = includeOf(line); !target.empty())
        out.push_back({fs::relative(entry.path(), root).string(), target});
  }
  EXPECT_FALSE(out.empty()) << room;
  return out;
}

std::string roomOf(const std::string& path) {
  return path.substr(0, path.find('/'));
}

TEST(Architecture, IncludesFollowTheArrows) {
  for (const auto& [room, allowed] : kMayInclude) {
    if (!fs::is_directory(fs::path(PLANC_SOURCE_DIR) / room)) continue;
    for (const Include& include : includesOf(room)) {
      std::string target = roomOf(include.target);
      bool ours = kMayInclude.count(target) && include.target.find('/') != std::string::npos;
      EXPECT_TRUE(!ours || allowed.count(target)) << include.file << " includes " << include.target;
    }
  }
}

TEST(Architecture, OnlyTheParserKnowsAntlr) {
  for (const auto& [room, allowed] : kMayInclude) {
    if (!fs::is_directory(fs::path(PLANC_SOURCE_DIR) / room)) continue;
    for (const Include& include : includesOf(room)) {
      if (include.file.starts_with("frontend/parse/")) continue;
      for (const char* generated : {"antlr4", "PlanLexer", "PlanParser"})
        EXPECT_EQ(include.target.find(generated), std::string::npos) << include.file << " includes " << include.target;
    }
  }
}

/// Headers of the parser that include the runtime stay inside it: the door is Parse.h.
TEST(Architecture, TheParserHasOneDoor) {
  for (const auto& [room, allowed] : kMayInclude) {
    if (!fs::is_directory(fs::path(PLANC_SOURCE_DIR) / room)) continue;
    for (const Include& include : includesOf(room)) {
      bool outside = !include.file.starts_with("frontend/parse/") && include.target.starts_with("frontend/parse/");
      EXPECT_TRUE(!outside || include.target == "frontend/parse/Parse.h")
          << include.file << " includes " << include.target;
    }
  }
}

TEST(Architecture, EveryFileSaysWhatItIsFor) {
  for (const auto& [room, allowed] : kMayInclude) {
    if (!fs::is_directory(fs::path(PLANC_SOURCE_DIR) / room)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(PLANC_SOURCE_DIR) / room)) {
      if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
      std::string text = planc::test::readFile(entry.path());
      EXPECT_TRUE(text.starts_with("// ")) << entry.path();
      EXPECT_NE(text.find("SPDX-License-Identifier: Apache-2.0"), std::string::npos) << entry.path();
    }
  }
}

} // namespace
