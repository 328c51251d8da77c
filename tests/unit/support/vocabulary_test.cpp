// The words that plans may write are complete: each word of each vocabulary, and each pass, says what it is, stands on
// the page of its users, and is used by a test. That each has its row is asserted where the rows stand.
// SPDX-License-Identifier: Apache-2.0
#include "ir/vocabulary/Vocabulary.h"
#include "passes/Passes.h"
#include "tests/unit/support/PlanFiles.h"

#include <cctype>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace planc {
namespace {

namespace fs = std::filesystem;

struct Words {
  std::string_view what, page; ///< the page that has to name each of them
  std::vector<std::string_view> names;
};

std::vector<Words> vocabulary() {
  Words passes{"pass", "passes/README.md", {}};
  for (const passes::Pass& pass : passes::pipeline()) passes.names.push_back(pass.name);
  std::vector<Words> all{passes};
  for (const ir::Vocabulary* words : ir::vocabularies()) {
    all.push_back({words->kind, "docs/language.md", {}});
    for (const ir::Word* word : words->words()) all.back().names.push_back(word->name);
  }
  return all;
}

/// The word, not a part of a longer one.
bool stands(std::string_view word, const std::string& text) {
  const auto joins = [&](size_t at) {
    return at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_' || text[at] == '-');
  };
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    if ((at == 0 || word.front() == '.' || !joins(at - 1)) && !joins(at + word.size())) return true;
  return false;
}

/// Itself, or as one of a family: `.high`.
bool isNamed(std::string_view word, const std::string& page) {
  const size_t dot = word.rfind('.');
  return stands(word, page) || (dot != std::string_view::npos && stands(word.substr(dot), page));
}

/// All tests but this one, one after the other.
std::string tests() {
  std::string all;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(PLANC_SOURCE_DIR) / "tests")) {
    const std::string extension = entry.path().extension().string();
    if (!std::set<std::string>{".cpp", ".h", ".plan", ".test", ".py"}.count(extension)) continue;
    if (entry.path().filename() != "vocabulary_test.cpp") all += test::readFile(entry.path()) + "\n";
  }
  return all;
}

/// `dims = […]`, `oversubscription from 1 on, default 1`.
std::string argumentText(const ir::Parameter& p) {
  const std::string unit = p.unit.plain() ? "" : " (" + p.unit.name() + ")";
  const std::string otherwise = p.list                ? ", required"
                                : p.takes(p.standard) ? fmt::format(", default {:.4g}", p.standard)
                                                      : "";
  return fmt::format("`{}`{}: {}, {}{}", p.name, unit, p.doc, p.expected(p.least - 1), otherwise);
}

std::string wordsPage() {
  std::string text = "# Words\n\n"
                     "The names of schedules, topologies, collective algorithms and metrics in plans: every word with "
                     "its meaning, arguments and source.\n"
                     "The [language](language.md) shows how to use them, the [cost model](cost-model.md) how they are "
                     "priced.\n\n"
                     "This page is made from the vocabularies of `ir/vocabulary`, and tested against them;\n"
                     "`PLANC_RENEW=1 build/bin/planc_unit --gtest_filter='Vocabulary.*'` writes it.\n";
  for (const ir::Vocabulary* words : ir::vocabularies()) {
    text += fmt::format("\n## {}\n\n| word | is | arguments | source |\n|---|---|---|---|\n", words->title);
    for (const ir::Word* word : words->words()) {
      std::string arguments;
      for (const ir::Parameter& p : word->parameters) arguments += (arguments.empty() ? "" : "; ") + argumentText(p);
      text += fmt::format("| `{}` | {} | {} | {} |\n", word->name, word->doc, arguments, word->source);
    }
  }
  return text;
}

TEST(Vocabulary, ThePageOfAllWordsSaysWhatTheySay) {
  const fs::path path = fs::path(PLANC_SOURCE_DIR) / "docs/words.md";
  if (std::getenv("PLANC_RENEW")) std::ofstream(path, std::ios::binary) << wordsPage();
  EXPECT_EQ(test::firstLineThatDiffers(test::readFile(path), wordsPage()), "")
      << "PLANC_RENEW=1 build/bin/planc_unit --gtest_filter='Vocabulary.*' writes it";
}

TEST(Vocabulary, EveryWordStandsOnThePageOfItsUsers) {
  for (const Words& words : vocabulary()) {
    const std::string page = test::readFile(fs::path(PLANC_SOURCE_DIR) / words.page);
    EXPECT_FALSE(words.names.empty()) << words.what;
    for (std::string_view name : words.names)
      EXPECT_TRUE(isNamed(name, page)) << words.what << " `" << name << "` is missing from " << words.page;
  }
}

TEST(Vocabulary, EveryWordIsUsedByATest) {
  const std::string all = tests();
  for (const Words& words : vocabulary()) {
    if (words.what == "pass") continue; // those have folders of tests of their own
    for (std::string_view name : words.names)
      EXPECT_TRUE(isNamed(name, all)) << "no test names the " << words.what << " `" << name << "`";
  }
}

TEST(Vocabulary, NoTableHasAWordTwice) {
  for (const Words& words : vocabulary())
    EXPECT_EQ(std::set<std::string_view>(words.names.begin(), words.names.end()).size(), words.names.size())
        << words.what;
}

TEST(Vocabulary, EveryWordSaysWhatItIsAndWhereItIsFrom) {
  for (const ir::Vocabulary* words : ir::vocabularies())
    for (const ir::Word* word : words->words()) {
      EXPECT_FALSE(word->doc.empty()) << word->name;
      EXPECT_EQ(word->source.empty(), !words->sourced) << word->name;
      for (const ir::Parameter& p : word->parameters) EXPECT_FALSE(p.doc.empty()) << word->name << " " << p.name;
    }
  for (const passes::Pass& pass : passes::pipeline()) EXPECT_FALSE(pass.doc.empty()) << pass.name;
}

} // namespace
} // namespace planc
