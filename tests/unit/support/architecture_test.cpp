// The arrows between the rooms: no file includes what its room must not know, and no file knows an operator or a
// dimension of the library by its name. Every pass has its tests.
// SPDX-License-Identifier: Apache-2.0
#include "passes/Passes.h"
#include "tests/unit/support/PlanFiles.h"

#include <algorithm>
#include <cctype>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace fs = std::filesystem;

namespace {

/// support <- ir <- { frontend, { passes, backends } <- search, backends <- calibrate } <- report <- api <- driver;
/// frontend, passes and backends do not include each other, and report does not include frontend. The driver reaches
/// frontend and passes through api only. project, packages and import stand beside ir, for api and
/// the driver.
const std::map<std::string, std::set<std::string>> kMayInclude = {
    {"support", {"support"}},
    {"project", {"support", "project"}},
    {"packages", {"support", "project", "packages"}},
    {"import", {"support", "project", "import"}},
    {"ir", {"support", "ir"}},
    {"frontend", {"support", "ir", "frontend"}},
    {"passes", {"support", "ir", "passes"}},
    {"backends", {"support", "ir", "backends"}},
    {"calibrate", {"support", "ir", "backends", "calibrate"}},
    {"search", {"support", "ir", "passes", "backends", "search"}},
    {"report", {"support", "ir", "backends", "calibrate", "search", "report"}},
    {"api", {"support", "packages", "ir", "frontend", "passes", "backends", "calibrate", "search", "report", "api"}},
    {"driver",
     {"support", "project", "packages", "import", "ir", "backends", "calibrate", "search", "report", "api", "driver"}},
};

/// Inside some of them: the rooms of a hall, from the bottom up; each includes itself and those before it. What stands
/// in the hall itself, beside the rooms, is its door and may include all of them.
const std::map<std::string, std::vector<std::string>> kHalls = {
    {"frontend/",
     {"syntax", "parse", "embed", "format", "values", "modules", "catalogue", "eval", "facts", "machine", "model",
      "plan", "search", "derived"}},
    {"backends/", {"cost", "timeline", "export", "lint", "verdict", "diff"}},
    {"backends/cost/", {"facts", "price", "memory", "simulate", "bounds", "result"}},
    {"calibrate/", {"samples", "kineto", "compare", "read", "fit", "write"}},
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

TEST(Architecture, HallsHaveOneDirection) {
  for (const auto& [hall, rooms] : kHalls) {
    auto at = [&rooms = rooms, &hall = hall](const std::string& path) {
      if (!path.starts_with(hall)) return rooms.end();
      const std::string rest = path.substr(hall.size());
      return std::find(rooms.begin(), rooms.end(), rest.substr(0, rest.find('/')));
    };
    for (const std::string& room : rooms)
      for (const Include& include : includesOf(hall + room)) {
        const auto target = at(include.target);
        const bool door =
            include.target.starts_with(hall) && include.target.find('/', hall.size()) == std::string::npos;
        EXPECT_FALSE(door) << include.file << " includes " << include.target << ", the door of its own hall";
        EXPECT_TRUE(!include.target.starts_with(hall) || door || target != rooms.end())
            << include.file << " includes " << include.target << ", whose room kHalls does not list";
        EXPECT_TRUE(target == rooms.end() || target <= at(include.file))
            << include.file << " includes " << include.target;
      }
  }
}

bool hasSources(const fs::path& folder) {
  const fs::recursive_directory_iterator all(folder);
  return std::any_of(begin(all), end(all), [](const fs::directory_entry& entry) {
    return entry.path().extension() == ".h" || entry.path().extension() == ".cpp";
  });
}

/// Else files of a new room are not looked at, and all may include them. A folder of data is no room.
TEST(Architecture, EveryRoomOfAHallIsListed) {
  for (const auto& [hall, rooms] : kHalls)
    for (const auto& entry : fs::directory_iterator(fs::path(PLANC_SOURCE_DIR) / hall)) {
      const std::string room = entry.path().filename().string();
      const bool listed = std::find(rooms.begin(), rooms.end(), room) != rooms.end();
      EXPECT_TRUE(!entry.is_directory() || listed || !hasSources(entry.path())) << hall << room << " is not listed";
    }
}

/// A reader finds a file at one glance at its folder, and a function without scrolling for minutes.
TEST(Architecture, FoldersAndFilesAreSmall) {
  constexpr size_t kFiles = 30;
  constexpr std::ptrdiff_t kLines = 400;
  const fs::path root = PLANC_SOURCE_DIR;
  for (const auto& [room, allowed] : kMayInclude) {
    std::map<std::string, size_t> files;
    for (const auto& entry : fs::recursive_directory_iterator(root / room)) {
      if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
      const std::string text = planc::test::readFile(entry.path());
      EXPECT_LE(std::count(text.begin(), text.end(), '\n'), kLines) << fs::relative(entry.path(), root);
      ++files[fs::relative(entry.path().parent_path(), root).string()];
    }
    for (const auto& [folder, count] : files) EXPECT_LE(count, kFiles) << folder;
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

TEST(Architecture, OneFileKnowsToml) {
  for (const auto& [room, allowed] : kMayInclude)
    for (const Include& include : includesOf(room))
      EXPECT_TRUE(include.file == "project/Toml.cpp" || !include.target.starts_with("toml++"))
          << include.file << " includes " << include.target;
}

TEST(Architecture, OneFileKnowsYaml) {
  for (const auto& [room, allowed] : kMayInclude)
    for (const Include& include : includesOf(room))
      EXPECT_TRUE(include.file == "import/Yaml.cpp" || !include.target.starts_with("yaml-cpp"))
          << include.file << " includes " << include.target;
}

TEST(Architecture, OnlyTheDatabaseKnowsSqlite) {
  for (const auto& [room, allowed] : kMayInclude)
    for (const Include& include : includesOf(room))
      EXPECT_TRUE(include.file == "search/store/Database.cpp" || include.target != "sqlite3.h")
          << include.file << " includes " << include.target;
}

/// Headers of the parser that include the runtime stay inside it: the door is Parse.h. What runs in the build to write
/// its tables belongs to it.
TEST(Architecture, TheParserHasOneDoor) {
  for (const auto& [room, allowed] : kMayInclude) {
    if (!fs::is_directory(fs::path(PLANC_SOURCE_DIR) / room)) continue;
    for (const Include& include : includesOf(room)) {
      const bool own = include.file.starts_with("frontend/parse/") || include.file.starts_with("frontend/embed/");
      bool outside = !own && include.target.starts_with("frontend/parse/");
      EXPECT_TRUE(!outside || include.target == "frontend/parse/Parse.h")
          << include.file << " includes " << include.target;
    }
  }
}

// ---- names of the library ----------------------------------------------------

bool isWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// The text without `//` comments.
std::string withoutComments(const std::string& text) {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) out += line.substr(0, line.find("//")) + "\n";
  return out;
}

/// Words between `begin` and the next `end`.
void addWords(const std::string& text, size_t begin, char end, std::set<std::string>& out) {
  for (size_t i = begin; i < text.size() && text[i] != end;) {
    size_t to = i;
    while (to < text.size() && isWord(text[to])) ++to;
    if (to > i && !std::isdigit(static_cast<unsigned char>(text[i]))) out.insert(text.substr(i, to - i));
    i = to + (to == i);
  }
}

/// What `export op NAME` and the shapes `: [a, b = c]`, `-> [a]` of the library call operators and dimensions.
std::set<std::string> namesOfTheLibrary() {
  std::set<std::string> names;
  const fs::path library = fs::path(PLANC_SOURCE_DIR) / "stdlib";
  for (const char* folder : {"ops", "blocks", "models"})
    for (const auto& entry : fs::directory_iterator(library / folder)) {
      const std::string text = withoutComments(planc::test::readFile(entry.path()));
      constexpr std::string_view kOp = "export op ";
      for (size_t at = text.find(kOp); at != std::string::npos; at = text.find(kOp, at + 1))
        addWords(text, at + kOp.size(), '(', names);
      for (const std::string_view before : {": [", ":  [", "-> ["})
        for (size_t at = text.find(before); at != std::string::npos; at = text.find(before, at + 1))
          addWords(text, at + before.size(), ']', names);
    }
  return names;
}

struct Literal {
  std::string text;
  bool compared = false; ///< made a symbol, or beside `==` or `!=`
};

/// The string literals of a file.
std::vector<Literal> literalsOf(const std::string& text) {
  std::vector<Literal> out;
  auto before = [&](size_t at, std::string_view what) {
    while (at > 0 && text[at - 1] == ' ') --at;
    return at >= what.size() && text.compare(at - what.size(), what.size(), what) == 0;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\'') {
      for (++i; i < text.size() && text[i] != '\'' && text[i] != '\n'; ++i) i += text[i] == '\\';
    } else if (text[i] == '"') {
      const size_t begin = i;
      for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i) i += text[i] == '\\';
      const bool compared = before(begin, "==") || before(begin, "!=") || before(begin, "Symbol(") ||
                            text.compare(i + 1, 3, " ==") == 0 || text.compare(i + 1, 3, " !=") == 0;
      out.push_back({text.substr(begin + 1, i - begin - 1), compared});
    }
  }
  return out;
}

/// Words that are also something of the compiler's own: kinds, roles and statements of operators, facts of records,
/// functions of formulas, and keys of messages and of JSON.
const std::set<std::string> kAlsoOurs = {"attention", "batch", "scores", "context", "lookup", "bias",  "linear",
                                         "detach",    "head",  "chunk",  "extent",  "from",   "group", "groups",
                                         "inner",     "k",     "mean",   "rank",    "rows",   "slice", "predicted",
                                         "source",    "state", "value",  "width"};

/// Roles, not names: what an operator or a dimension is, the plan text says (docs/language.md, section 7).
TEST(Architecture, NoNameOfTheLibraryDecidesAnything) {
  const std::set<std::string> names = namesOfTheLibrary();
  for (const char* known : {"matmul", "add", "seq", "kv_seq", "heads", "head", "hidden", "qk", "source"})
    EXPECT_TRUE(names.count(known)) << known << " is not found in the library";
  for (const std::string& word : kAlsoOurs) EXPECT_TRUE(names.count(word)) << word << " is no name of the library";
  for (const std::string room :
       {"ir", "passes", "backends", "frontend/facts", "frontend/machine", "frontend/model", "frontend/plan"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(PLANC_SOURCE_DIR) / room)) {
      if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
      for (const Literal& literal : literalsOf(withoutComments(planc::test::readFile(entry.path())))) {
        const bool decides = literal.compared && !room.starts_with("frontend/"); // facts are read by name there
        EXPECT_FALSE(names.count(literal.text) && (decides || !kAlsoOurs.count(literal.text)))
            << entry.path() << " names `" << literal.text << "` of the library";
      }
    }
}

// ---- tests of the passes -----------------------------------------------------

/// The tests in a folder: GoogleTest cases and lit files.
size_t testsIn(const fs::path& folder) {
  size_t count = 0;
  if (!fs::is_directory(folder)) return 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".plan" || entry.path().extension() == ".test") ++count;
    if (entry.path().extension() != ".cpp") continue;
    const std::string text = planc::test::readFile(entry.path());
    for (size_t at = text.find("\nTEST("); at != std::string::npos; at = text.find("\nTEST(", at + 1)) ++count;
  }
  return count;
}

/// What a pass does, what it refuses, and what it leaves alone is tested of each by itself.
TEST(Architecture, EveryPassHasAFolderOfTests) {
  const fs::path tests = fs::path(PLANC_SOURCE_DIR) / "tests";
  std::set<std::string> names;
  for (const planc::passes::Pass& pass : planc::passes::pipeline()) {
    const std::string name(pass.name);
    names.insert(name);
    EXPECT_GE(testsIn(tests / "unit" / "passes" / name) + testsIn(tests / "lit" / "passes" / name), 3u) << name;
  }
  for (const fs::path& room : {tests / "unit" / "passes", tests / "lit" / "passes"})
    for (const auto& entry : fs::directory_iterator(room))
      EXPECT_TRUE(!entry.is_directory() || entry.path().filename() == "Inputs" ||
                  names.count(entry.path().filename().string()))
          << entry.path() << " is no pass";
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
