// Fixes as changes of a text: where they stand, what they make of it, and how that is shown.
// SPDX-License-Identifier: Apache-2.0
#include "support/DiagnosticRender.h"
#include "support/text/Spelling.h"
#include "support/text/TextFixes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace planc;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

namespace {

// Not registered beside an emitter: it exists for the tests only.
const DiagnosticKind kUnknown(9641, Severity::Error, "TestUnknownWord", "`{word}` is unknown");

struct TextFixesTest : testing::Test {
  SourceManager sources;
  DiagnosticEngine engine;

  SourceRange all(std::string_view text) {
    const FileId file = sources.add("a.plan", std::string(text));
    return {file, 0, static_cast<uint32_t>(text.size())};
  }
  std::vector<TextFix> fixes() { return placedFixes(*engine.sorted().at(0), sources); }
  /// The text with the only fix of the only diagnostic.
  std::string fixed() { return edited(sources.text(FileId(0)), fixes().at(0).edits); }
};

TEST_F(TextFixesTest, FindTheWordInsideOfWhatIsReported) {
  engine.report(kUnknown, all("decoder.atn[0:2] and atn_2")).meant("atn", {"attn", "mlp"});
  ASSERT_THAT(fixes(), SizeIs(1));
  EXPECT_EQ(fixes()[0].title, "write `attn`");
  EXPECT_TRUE(fixes()[0].safe);
  EXPECT_EQ(fixed(), "decoder.attn[0:2] and atn_2");
}

TEST_F(TextFixesTest, AreNoneWhereTheWordIsMissingOrStandsTwice) {
  engine.report(kUnknown, all("atn + atn")).meant("atn", {"attn"}).meantElse("x1", {"x2"}, "");
  EXPECT_THAT(fixes(), IsEmpty());
  EXPECT_THAT(engine.sorted()[0]->help, SizeIs(2)); // what is said does not hang on it
}

TEST_F(TextFixesTest, AreUnsafeWhereSeveralAreEquallyNear) {
  engine.report(kUnknown, all("fpr")).meant("fpr", {"fp8", "bf16", "fp4"});
  ASSERT_THAT(fixes(), SizeIs(2));
  EXPECT_FALSE(fixes()[0].safe || fixes()[1].safe);
}

TEST_F(TextFixesTest, StandInJsonWithTheirPlaces) {
  engine.report(kUnknown, all("a\n  atn")).meant("atn", {"attn"});
  const nlohmann::ordered_json fix = toJson(*engine.sorted()[0], sources)["fixes"].at(0);
  EXPECT_EQ(fix.dump(), R"({"title":"write `attn`","safe":true,"edits":[{"file":"a.plan","line":2,"column":3,)"
                        R"("end_line":2,"end_column":6,"text":"attn"}]})");
}

TEST(OnlyNearest, CountsSlipsAlone) {
  EXPECT_EQ(onlyNearest("atn", {"attn", "attn", "mlp"}), "attn");
  EXPECT_EQ(onlyNearest("llama2_30b", {"llama2_70b"}), ""); // another size
  EXPECT_EQ(onlyNearest("h20", {"h200"}), "");
  EXPECT_EQ(onlyNearest("tp", {"dp"}), "");             // half of the word
  EXPECT_EQ(onlyNearest("f1p6", {"fp16"}), "fp16");     // the digits are the same
  EXPECT_EQ(onlyNearest("pf32", {"fp32", "tf32"}), ""); // one slip from both, whichever letters they have
  EXPECT_EQ(onlyNearest("heads", {"heads"}), "");
  EXPECT_EQ(onlyNearest("bfloat16", {"bf16"}), ""); // an abbreviation is a guess
}

TEST(Edits, OverlapWhereTheyShareBytesOrBegin) {
  const auto edit = [](uint32_t begin, uint32_t end) { return TextEdit{{FileId(0), begin, end}, "x"}; };
  EXPECT_TRUE(overlap(edit(0, 3), edit(2, 4)));
  EXPECT_TRUE(overlap(edit(2, 2), edit(2, 2)));
  EXPECT_FALSE(overlap(edit(0, 2), edit(2, 4)));
  EXPECT_EQ(edited("abcdef", {edit(4, 6), edit(0, 1), edit(2, 2)}), "xbxcdx");
}

} // namespace
