// The pictures of the human renderer, the short form and JSON.
// SPDX-License-Identifier: Apache-2.0
#include "support/DiagnosticRender.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace planc;
using testing::HasSubstr;
using testing::Not;

namespace {

// Not registered beside an emitter: these exist for the tests only.
const DiagnosticKind kIndivisible(9612, Severity::Error, "TestIndivisible",
                                  "dimension `{dim}` ({extent}) is not divisible by mesh axis `{axis}` ({size})");
const DiagnosticKind kWarned(9613, Severity::Warning, "TestWarned", "something is odd");

struct RenderTest : testing::Test {
  SourceManager sources;
  DiagnosticEngine engine;

  FileId add(std::string path, std::string text) { return sources.add(std::move(path), std::move(text)); }
  /// The `nth` occurrence of `needle`.
  SourceRange find(FileId file, std::string_view needle, int nth = 0) {
    size_t at = sources.text(file).find(needle);
    while (nth-- > 0) at = sources.text(file).find(needle, at + 1);
    EXPECT_NE(at, std::string_view::npos) << needle;
    return {file, static_cast<uint32_t>(at), static_cast<uint32_t>(at + needle.size())};
  }
  std::string human(bool color = false) { return renderHuman(*engine.sorted().at(0), sources, color); }
  /// The picture below the header and the place, without the last note.
  std::string body() {
    std::string text = human();
    for (int i = 0; i < 3; ++i) text.erase(0, text.find('\n') + 1);
    text.erase(text.rfind("  = note: run"));
    return text;
  }
};

TEST_F(RenderTest, DrawsTheTwoPlacesOfAConflictInTwoFiles) {
  std::string text(16, '\n');
  text += "    tp = 16  within node\n" + std::string(19, '\n') + "    kv_heads -> tp\n";
  FileId plan = add("plans/llama3_405b.plan", text);
  FileId model = add("std/models/llama.plan", std::string(11, '\n') + "  kv_heads: int = heads,\n");
  engine.report(kIndivisible, find(plan, "tp", 1), {{"dim", "kv_heads"}, {"extent", 8}, {"axis", "tp"}, {"size", 16}})
      .label(find(plan, "tp"), "`tp` is 16 here")
      .label(find(model, "kv_heads"), "`kv_heads` is 8 here")
      .help("set `tp` to 1, 2, 4 or 8, or write `kv_heads -> replicate`");
  EXPECT_EQ(human(), R"(error[PLAN9612]: dimension `kv_heads` (8) is not divisible by mesh axis `tp` (16)
  --> plans/llama3_405b.plan:37:17
   |
17 |     tp = 16  within node
   |     -- `tp` is 16 here
   |
37 |     kv_heads -> tp
   |                 ^^
  ::: std/models/llama.plan:12:3
   |
12 |   kv_heads: int = heads,
   |   -------- `kv_heads` is 8 here
   = help: set `tp` to 1, 2, 4 or 8, or write `kv_heads -> replicate`
   = note: run `planc explain PLAN9612`
)");
}

TEST_F(RenderTest, PacksTheTextsOfOneLine) {
  FileId f = add("a.plan", "  assert step_time < 7s\n");
  engine.report(kWarned, find(f, "step_time < 7s"))
      .primary("over by 1.14 s (16 %)")
      .label(find(f, "step_time"), "8.14 s")
      .label(find(f, "7s"), "7 s");
  EXPECT_EQ(body(), R"(1 |   assert step_time < 7s
  |          ---------^^^-- over by 1.14 s (16 %)
  |          |           |
  |          8.14 s      7 s
)");
}

TEST_F(RenderTest, StacksTextsThatDoNotFitBesideEachOther) {
  FileId f = add("a.plan", "a + b + c\n");
  engine.report(kWarned, find(f, "c"))
      .primary("the last")
      .label(find(f, "a"), "the first of them")
      .label(find(f, "b"), "the second");
  EXPECT_EQ(body(), R"(1 | a + b + c
  | -   -   ^ the last
  | |   |
  | |   the second
  | the first of them
)");
}

TEST_F(RenderTest, ShowsBothEndsOfARangeOverSeveralLines) {
  FileId f = add("a.plan", "mesh {\n  tp = 8\n  dp = 4\n}\nend\n");
  engine.report(kWarned, {f, 5, find(f, "}").end}).primary("this block");
  EXPECT_EQ(body(), R"(1 | mesh {
  |      ^
...
4 | }
  | ^ this block
)");
}

TEST_F(RenderTest, PointsAtAnEmptyRangeAndAtTheEndOfALine) {
  FileId f = add("a.plan", "let a =\n");
  engine.report(kWarned, {f, 7, 7}).primary("here");
  EXPECT_EQ(body(), "1 | let a =\n  |        ^ here\n");
}

TEST_F(RenderTest, PointsBehindTheLastLineBreak) {
  FileId f = add("a.plan", "x\n");
  engine.report(kWarned, {f, 2, 2});
  EXPECT_EQ(body(), "2 |\n  | ^\n");
}

TEST_F(RenderTest, EmptyFile) {
  FileId f = add("a.plan", "");
  engine.report(kWarned, {f, 0, 0});
  EXPECT_EQ(body(), "1 |\n  | ^\n");
}

TEST_F(RenderTest, ExpandsTabsAndKeepsWideCharactersAligned) {
  FileId f = add("a.plan", "\tx = \"模型\" : y\r\n");
  engine.report(kWarned, find(f, "y")).label(find(f, "模型"), "wide");
  EXPECT_EQ(body(), "1 |     x = \"模型\" : y\n"
                    "  |          ----    ^\n"
                    "  |          |\n"
                    "  |          wide\n");
}

TEST_F(RenderTest, ColumnsCountCodePoints) {
  FileId f = add("a.plan", "// éé\nlet é = x\n");
  engine.report(kWarned, find(f, "x"));
  EXPECT_THAT(human(), HasSubstr("a.plan:2:9\n"));
}

TEST_F(RenderTest, NeverPrintsControlCharacters) {
  FileId f = add("a.plan", std::string("a \x1b[31m \0 \xff b", 13));
  engine.report(kWarned, find(f, "b"));
  EXPECT_THAT(human(), Not(HasSubstr("\x1b")));
  EXPECT_THAT(human(), Not(HasSubstr("\xff")));
  EXPECT_THAT(human(), HasSubstr("\n  |             ^\n"));
}

TEST_F(RenderTest, CutsAVeryLongLineAroundTheMark) {
  FileId f = add("a.plan", std::string(1'000'000, 'a') + " HERE " + std::string(1'000'000, 'b'));
  engine.report(kWarned, find(f, "HERE")).primary("found");
  std::string text = human();
  EXPECT_LT(text.size(), 700u);
  EXPECT_THAT(text, HasSubstr("a HERE b"));
  size_t source = text.find("HERE"), mark = text.find("^^^^ found");
  size_t sourceLine = text.rfind('\n', source), markLine = text.rfind('\n', mark);
  EXPECT_EQ(source - sourceLine - 2, mark - markLine); // the ellipsis is three bytes wide
}

TEST_F(RenderTest, SeparateLinesOfOneFileAreSorted) {
  FileId f = add("a.plan", "one\ntwo\nthree\n");
  engine.report(kWarned, find(f, "three")).label(find(f, "one"), "1").label(find(f, "two"), "2");
  EXPECT_EQ(body(), "1 | one\n  | --- 1\n2 | two\n  | --- 2\n3 | three\n  | ^^^^^\n");
}

TEST_F(RenderTest, OverlappingMarksStayVisible) {
  FileId f = add("a.plan", "aaa bbb ccc\n");
  engine.report(kWarned, find(f, "bbb")).label(find(f, "aaa bbb ccc"), "all").label(find(f, "bbb"), "same");
  EXPECT_EQ(body(), R"(1 | aaa bbb ccc
  | ----^^^---- all
  |     |
  |     same
)");
}

TEST_F(RenderTest, WithoutAPlace) {
  engine.report(kWarned, {}).help("two\nlines");
  EXPECT_EQ(human(), "warning[PLAN9613]: something is odd\n"
                     "  = help: two\n"
                     "          lines\n"
                     "  = note: run `planc explain PLAN9613`\n");
  EXPECT_EQ(renderShort(*engine.sorted()[0], sources), "warning[PLAN9613]: something is odd");
  EXPECT_TRUE(toJson(*engine.sorted()[0], sources)["line"].is_null());
}

TEST_F(RenderTest, ColorsOnlyWhenAsked) {
  FileId f = add("a.plan", "x\n");
  engine.report(kWarned, find(f, "x"));
  EXPECT_THAT(human(true), HasSubstr("\x1b[0;1;33mwarning[PLAN9613]"));
  EXPECT_THAT(human(false), Not(HasSubstr("\x1b")));
}

TEST_F(RenderTest, ShortAndJson) {
  FileId f = add("dir/a.plan", "let é = x\n");
  engine.report(kIndivisible, find(f, "x"), {{"dim", "d"}, {"extent", 3}, {"axis", "tp"}, {"size", 2}})
      .primary("p")
      .label(find(f, "let"), "l")
      .help("h")
      .note("n");
  const Diagnostic& d = *engine.sorted()[0];
  EXPECT_EQ(renderShort(d, sources),
            "dir/a.plan:1:9: error[PLAN9612]: dimension `d` (3) is not divisible by mesh axis `tp` (2)");
  nlohmann::ordered_json place = {{"file", "dir/a.plan"}, {"line", 1},       {"column", 1},
                                  {"end_line", 1},        {"end_column", 4}, {"text", "l"}};
  nlohmann::ordered_json expected = {{"code", "PLAN9612"},
                                     {"severity", "error"},
                                     {"message", "dimension `d` (3) is not divisible by mesh axis `tp` (2)"},
                                     {"args", {{"dim", "d"}, {"extent", "3"}, {"axis", "tp"}, {"size", "2"}}},
                                     {"file", "dir/a.plan"},
                                     {"line", 1},
                                     {"column", 9},
                                     {"end_line", 1},
                                     {"end_column", 10},
                                     {"label", "p"},
                                     {"labels", nlohmann::ordered_json::array({place})},
                                     {"help", {"h"}},
                                     {"notes", {"n"}},
                                     {"fixes", nlohmann::ordered_json::array()}};
  EXPECT_EQ(toJson(d, sources).dump(), expected.dump());
}

} // namespace
