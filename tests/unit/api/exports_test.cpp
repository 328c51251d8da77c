// What modules export, by name and by word, and the pages about it.
// SPDX-License-Identifier: Apache-2.0
#include "api/ExportPages.h"
#include "support/files/DiskFiles.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <set>

namespace planc::api {
namespace {

Catalogue catalogueOf(const std::string& text) {
  Catalogue out;
  out.add("acme.parts", "parts.plan", text);
  return out;
}

std::vector<Export> exportsOf(const std::string& text) {
  return catalogueOf(text).exports();
}

TEST(Exports, AModelHasTheParametersOfWhatItStandsFor) {
  const auto all = exportsOf("model base(a: int, b: int = 2, c: int) { out a }\n"
                             "export model one = base(1, c = 3)\n"
                             "export model two = one(b = 5)\n"
                             "export model loop = loop()\n");
  ASSERT_EQ(all.size(), 3u);
  const auto values = [](const Export& of) {
    std::string out;
    for (const ExportParameter& p : of.parameters) out += p.name + p.value.text;
    return out;
  };
  EXPECT_EQ(values(all[0]), "a1b2c3");
  EXPECT_EQ(values(all[1]), "a1b5c3");
  EXPECT_EQ(all[1].signature, "model two = one(b = 5)");
  EXPECT_EQ(all[1].call(), "two");
}

TEST(Exports, ACommentBelongsToWhatStandsBelowIt) {
  const auto all =
      exportsOf("/// Of the file.\n\nexport let a = 1\n// Of both. See there.\nexport let b = 1\nexport let c "
                "= 1\n\n/// Of one,\n/// section 2. it goes on. Then more.\nexport let d = 1\nexport let e = 1\n");
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(all[0].doc, "");
  EXPECT_EQ(all[1].sentence, "Of both.");
  EXPECT_EQ(all[2].doc, "Of both. See there.");
  EXPECT_EQ(all[3].sentence, "Of one, section 2. it goes on.");
  EXPECT_EQ(all[3].doc, "Of one,\nsection 2. it goes on. Then more.");
  EXPECT_EQ(all[4].doc, "");
}

TEST(Exports, FactsHaveUnitsAndSourcesAndAreInherited) {
  const auto cards =
      exportsOf("let big = 2TB\n"
                "device base {\n  memory = big\n  peak { bf16 = 1.5e3TFLOP/s : \"sheet\" }\n  gemm = {a = 1us, "
                "b = 40%} : \"fit\"\n}\n"
                "export device card extends base {\n  override memory = 1000GB : \"mine\"\n}\n");
  ASSERT_EQ(cards.size(), 1u);
  std::map<std::string, ExportFact> facts;
  for (const ExportFact& f : cards[0].facts) facts[f.path] = f;
  ASSERT_EQ(facts.size(), 4u);
  EXPECT_EQ(facts["memory"].source, "mine");
  EXPECT_EQ(facts["memory"].from, "");
  EXPECT_EQ(facts["peak.bf16"].number, "1.5e3");
  EXPECT_EQ(facts["peak.bf16"].unit, "TFLOP/s");
  EXPECT_EQ(facts["peak.bf16"].from, "base");
  EXPECT_EQ(facts["gemm.b"].number + facts["gemm.b"].unit, "40%");
  EXPECT_EQ(facts["gemm.b"].source, "fit");
}

TEST(Exports, HostileConstantsEnd) {
  std::string text = "let a0 = 1\n";
  for (int i = 1; i < 200; ++i)
    text += "let a" + std::to_string(i) + " = a" + std::to_string(i - 1) + " * a" + std::to_string(i - 1) + "\n";
  const auto all = exportsOf(text + "let x = y\nlet y = x\nexport let out = a199 + x\n");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_LT(all[0].value.meaning.size(), 5000u);
}

TEST(Exports, HostileTextsTakeNoStackAndNoMinutes) {
  std::string chain = "1", names = "let a0 = 1\n", records = "device d0 {\n  memory = 1GB\n}\n", lines;
  for (int i = 0; i < 50'000; ++i) chain += " + 1";
  for (int i = 1; i < 5'000; ++i) names += "let a" + std::to_string(i) + " = a" + std::to_string(i - 1) + "\n";
  for (int i = 1; i < 30; ++i) {
    const std::string below = "d" + std::to_string(i - 1);
    records += "device d" + std::to_string(i) + " {\n  l = " + below + "\n  r = " + below + "\n}\n";
  }
  for (int i = 0; i < 20'000; ++i) lines += "export let z" + std::to_string(i) + " = 1\n";
  const auto all = exportsOf(names + records + "export let x = a4999 + " + chain +
                             "\nexport device top {\n  d = d29\n}\n// Of all.\n" + lines);
  ASSERT_EQ(all.size(), 20'002u);
  EXPECT_LT(all[1].facts.size(), 20'000u);
  EXPECT_EQ(all.back().doc, "Of all.");
}

TEST(Exports, TheDiskListsThePlansBelowAFolder) {
  const std::string root = PLANC_SOURCE_DIR "/stdlib/models";
  std::vector<std::string> files, found;
  for (const auto& entry : std::filesystem::directory_iterator(root)) files.push_back(entry.path().filename().string());
  std::sort(files.begin(), files.end());
  std::string error;
  for (const FileEntry& entry : diskFiles().below(root, 1000, error)) found.push_back(entry.path);
  EXPECT_EQ(found, files);
  EXPECT_EQ(diskFiles().below(root, 2, error).size(), 3u) << "one more than is asked for says that there are more";
  EXPECT_EQ(error, "");
  EXPECT_TRUE(diskFiles().below(root + "/nothing", 1000, error).empty());
  EXPECT_NE(error, "");
}

TEST(Exports, BrokenModulesKeepWhatCanBeRead) {
  Catalogue broken = catalogueOf("export let a = 1\nexport let b = = 2\nexport let c = 3\n");
  EXPECT_EQ(broken.exports().size(), 2u);
  EXPECT_TRUE(broken.diagnostics().hasErrors());
}

TEST(Exports, WordsFindTheBestFirst) {
  const auto all =
      exportsOf("/// Has rail in it.\nexport let other = 1\n\nexport let rail_pod = 1\nexport let rail = 1\n"
                "export let monorail = 1\nexport let my_rail = 1\nexport let trailing_words = 1\n");
  std::string names;
  for (const Export& one : found(all, {"RAIL"})) names += one.name + " ";
  EXPECT_EQ(names, "rail rail_pod my_rail monorail trailing_words other ");
  EXPECT_EQ(found(all, {"rail", "pod"}).size(), 1u);
  EXPECT_TRUE(found(all, {"rail", "nothing"}).empty());
}

/// Anchors of a page, as GitHub makes them of its headings.
std::set<std::string> anchorsOf(const std::string& page) {
  std::set<std::string> out;
  std::map<std::string, int> count;
  static const std::regex kHeading("(^|\n)#+ ([^\n]*)");
  for (std::sregex_iterator at(page.begin(), page.end(), kHeading), end; at != end; ++at) {
    std::string slug;
    for (const char c : (*at)[2].str())
      if (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-')
        slug += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      else if (c == ' ')
        slug += '-';
    const int n = count[slug]++;
    out.insert(n == 0 ? slug : slug + "-" + std::to_string(n));
  }
  return out;
}

void expectLinksResolve(const std::vector<LibraryPage>& pages) {
  std::map<std::string, std::set<std::string>> anchors;
  for (const LibraryPage& page : pages)
    EXPECT_TRUE(anchors.emplace(page.path, anchorsOf(page.text)).second) << page.path;
  static const std::regex kLink("\\]\\(([^)#]*)(#([^)]*))?\\)");
  size_t links = 0;
  for (const LibraryPage& page : pages)
    for (std::sregex_iterator at(page.text.begin(), page.text.end(), kLink), end; at != end; ++at, ++links) {
      const auto& link = *at;
      const std::string path = link[1].length() > 0 ? link[1].str() : page.path;
      ASSERT_TRUE(anchors.contains(path)) << page.path << ": " << link[0];
      EXPECT_TRUE(link[3].length() == 0 || anchors[path].contains(link[3].str())) << page.path << ": " << link[0];
    }
  EXPECT_GT(links, pages.size());
}

TEST(ExportPages, OfTheLibraryHaveAnAnchorForEveryLink) {
  Catalogue library;
  library.addLibrary();
  const auto exports = library.exports();
  const auto pages = docsOf(exports, library.modules(), {"std", "", ""});
  EXPECT_EQ(pages.size(), 1 + library.modules().size());
  expectLinksResolve(pages);
  std::string all;
  for (const LibraryPage& page : pages) all += page.text;
  EXPECT_NE(all.find("| `bandwidth` | 3.35 | TB/s | NVIDIA H100 datasheet, SXM |"), std::string::npos);
  EXPECT_NE(all.find("more facts are the same as in [`h100_sxm5_80gb`](#h100_sxm5_80gb)."), std::string::npos);
  EXPECT_EQ(docsOf(exports, library.modules(), {"std", "", ""}).back().text, pages.back().text);
}

TEST(ExportPages, NamesThatDifferInCaseHaveAnchorsOfTheirOwn) {
  Catalogue two = catalogueOf("export let Pod = 1\nexport let pod = 1\nexport let acmeparts = 1\n");
  const auto pages = docsOf(two.exports(), two.modules(), {"acme", "1.0.0", "Parts."});
  expectLinksResolve(pages);
  EXPECT_NE(pages[0].text.find("(acme.parts.md#pod-1)"), std::string::npos) << pages[0].text;
  EXPECT_NE(pages[0].text.find("(acme.parts.md#acmeparts-1)"), std::string::npos);
}

TEST(ExportPages, TextsOfTheLibraryBecomeNoMarkup) {
  Catalogue hostile = catalogueOf("/// <script>alert(1)</script> [x](javascript:y) *b* a_b ![i](z)\n"
                                  "/// # no heading\n/// - no list\n/// 1. no list\n/// ===\n/// ``` no fence\n"
                                  "/// `code <b>` and `an open | <i>\n"
                                  "export device d {\n  memory = 1GB : \"a | b `c|d` <img src=x> \\\\| `e\"\n"
                                  "  names = [\"```\", \"<b>\", \"a|b\"]\n}\n"
                                  "export let s = \"``` <b>\"\n");
  ASSERT_FALSE(hostile.exports().empty());
  const auto pages = docsOf(hostile.exports(), hostile.modules(), {"<b>", "1|0", "a\n# b <i>"});
  for (const LibraryPage& page : pages) {
    std::string text = page.text;
    text = std::regex_replace(text, std::regex("(`{3,})plan\n[^\n]*\n\\1\n"), "\n"); // blocks of code
    EXPECT_EQ(text.find("```"), std::string::npos) << text;
    text = std::regex_replace(text, std::regex("`[^`\n|]*`"), ""); // spans of code
    EXPECT_EQ(text.find('<'), std::string::npos) << text;
    EXPECT_EQ(text.find('`'), std::string::npos) << text;
    EXPECT_EQ(text.find("x](javascript"), std::string::npos) << text;
    EXPECT_EQ(text.find("*b*"), std::string::npos) << text;
    for (const char* line : {"\n# no", "\n- no", "\n1. no", "\n===", "\n# b"})
      EXPECT_EQ(text.find(line), std::string::npos) << text;
  }
  static const std::regex kRow("\n\\| [^\n]*");
  for (std::sregex_iterator at(pages[1].text.begin(), pages[1].text.end(), kRow), end; at != end; ++at)
    EXPECT_EQ(std::count((*at)[0].first, (*at)[0].second, '|'), 5) << (*at)[0]; // of four cells
}

} // namespace
} // namespace planc::api
