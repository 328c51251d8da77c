// Symbols, sources and the diagnostic engine.
// SPDX-License-Identifier: Apache-2.0
#include "support/Diagnostics.h"
#include "support/Symbol.h"
#include "support/text/Spelling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

using namespace planc;
using testing::ElementsAre;

namespace {

const DiagnosticKind kFirst(9701, Severity::Error, "TestFirst", "first {x} of {y} and {unknown} {");
const DiagnosticKind kSecond(9702, Severity::Warning, "TestSecond", "second");

TEST(Symbol, ComparesByTextAndByAddress) {
  EXPECT_EQ(Symbol("tp"), Symbol(std::string_view("tpx", 2)));
  EXPECT_NE(Symbol("tp"), Symbol("dp"));
  EXPECT_LT(Symbol("dp"), Symbol("tp"));
  EXPECT_EQ(Symbol(), Symbol(""));
  EXPECT_TRUE(Symbol().empty());
}

TEST(Symbol, InternsFromSeveralThreads) {
  std::vector<std::thread> threads;
  std::vector<std::vector<Symbol>> seen(4);
  for (auto& mine : seen)
    threads.emplace_back([&mine] {
      for (int i = 0; i < 1000; ++i) mine.emplace_back("thread_name_" + std::to_string(i));
    });
  for (std::thread& t : threads) t.join();
  for (auto& mine : seen) EXPECT_EQ(mine, seen[0]);
}

TEST(Source, LinesAndColumns) {
  SourceManager sources;
  FileId f = sources.add("a.plan", "one\r\nzwei é x\n\nlast");
  EXPECT_EQ(sources.line(f, 1), "one");
  EXPECT_EQ(sources.line(f, 2), "zwei é x");
  EXPECT_EQ(sources.line(f, 3), "");
  EXPECT_EQ(sources.line(f, 4), "last");
  EXPECT_EQ(sources.line(f, 5), "");
  uint32_t x = static_cast<uint32_t>(sources.text(f).find('x'));
  EXPECT_EQ(sources.begin({f, x, x + 1}).line, 2u);
  EXPECT_EQ(sources.begin({f, x, x + 1}).column, 8u);
  EXPECT_EQ(sources.end({f, x, x + 1}).column, 9u);
  EXPECT_EQ(sources.where({f, x, x + 1}), "a.plan:2");
  EXPECT_EQ(sources.begin({f, 1000, 1000}).line, 4u);
  EXPECT_EQ(sources.text({f, 0, 3}), "one");
}

TEST(Source, RangesCover) {
  FileId a(0), b(1);
  EXPECT_EQ(SourceRange::cover({a, 4, 6}, {a, 1, 5}), (SourceRange{a, 1, 6}));
  EXPECT_EQ(SourceRange::cover({a, 4, 6}, {b, 1, 5}), (SourceRange{a, 4, 6}));
  EXPECT_EQ(SourceRange::cover({}, {b, 1, 5}), (SourceRange{b, 1, 5}));
}

TEST(Diagnostics, FillsFieldsAndKeepsUnknownOnes) {
  DiagnosticEngine engine;
  engine.report(kFirst, {FileId(0), 1, 2}, {{"x", "{y}"}, {"y", 3}});
  EXPECT_EQ(engine.sorted()[0]->message, "first {y} of 3 and {unknown} {");
}

const DiagnosticKind kBraces(9703, Severity::Error, "TestBraces", "`{what} {{ … }}` {{{what}}} }");

TEST(Diagnostics, DoubledBracesAreBraces) {
  DiagnosticEngine engine;
  engine.report(kBraces, {}, {{"what", "mesh"}});
  EXPECT_EQ(engine.sorted()[0]->message, "`mesh { … }` {mesh} }");
}

TEST(Diagnostics, KeepsOneReportPerPlaceAndCode) {
  DiagnosticEngine engine;
  engine.report(kFirst, {FileId(0), 1, 2}).help("kept");
  engine.report(kFirst, {FileId(0), 1, 2}).help("dropped");
  engine.report(kSecond, {FileId(0), 1, 2});
  EXPECT_EQ(engine.errorCount(), 1u);
  ASSERT_EQ(engine.sorted().size(), 2u);
  EXPECT_THAT(engine.sorted()[0]->help, ElementsAre("kept"));
}

TEST(Diagnostics, SortsByFileAndPlace) {
  DiagnosticEngine engine;
  engine.report(kFirst, {});
  engine.report(kFirst, {FileId(1), 0, 2});
  engine.report(kSecond, {FileId(0), 7, 8});
  engine.report(kFirst, {FileId(0), 7, 8});
  std::vector<std::pair<uint32_t, int>> order;
  for (const Diagnostic* d : engine.sorted()) order.emplace_back(d->range.file.index, d->kind->code);
  EXPECT_THAT(order, ElementsAre(std::pair(0u, 9701), std::pair(0u, 9702), std::pair(1u, 9701),
                                 std::pair(FileId::kNone, 9701)));
}

TEST(Diagnostics, CountsWhatIsBeyondTheLimit) {
  DiagnosticEngine engine;
  engine.setLimit(2);
  for (uint32_t i = 0; i < 5; ++i) engine.report(kFirst, {FileId(0), i, i});
  engine.report(kSecond, {FileId(0), 9, 9});
  EXPECT_EQ(engine.errorCount(), 5u);
  EXPECT_EQ(engine.suppressed(), 3u);
  EXPECT_EQ(engine.sorted().size(), 3u);
}

TEST(Diagnostics, EveryCodeIsDeclaredOnce) {
  EXPECT_THAT(DiagnosticKind::duplicates(), testing::IsEmpty());
  EXPECT_EQ(DiagnosticKind::all().at(9701)->id(), "PLAN9701");
}

TEST(Nearest, FindsWhatWasMeant) {
  std::vector<std::string> names = {"decoder", "embed", "head", "norm", "tp", "GB", "llama3_70b", "llama3_8b"};
  EXPECT_EQ(nearest("decodr", names), "decoder");
  EXPECT_EQ(nearest("haed", names), "head");
  EXPECT_EQ(nearest("gb", names), "GB");
  EXPECT_EQ(nearest("tq", names), "tp");
  EXPECT_EQ(nearest("llama3", names), "llama3_8b");
  EXPECT_EQ(nearest("zzz", names), "");
  EXPECT_EQ(nearest("x", names), "");
  EXPECT_EQ(nearest("head", names), "");
  EXPECT_EQ(didYouMean("emded", names), "did you mean `embed`?");
  EXPECT_EQ(didYouMean("qqqqq", names), "");
}

TEST(Nearest, NamesAllThatAreEquallyNear) {
  EXPECT_EQ(didYouMean("fpr", {"fp8", "bf16", "fp4"}), "did you mean `fp4` or `fp8`?");
  EXPECT_EQ(didYouMean("w", {"wk", "wq", "wv", "x", "norm"}), "did you mean `wk`, `wq` or `wv`?");
  EXPECT_EQ(didYouMean("pf32", {"fp32", "tf32"}), "did you mean `fp32`?"); // has no letter that `pf32` has not
  EXPECT_EQ(didYouMean("llama3_7b", {"llama3_70b", "llama3_8b"}), "did you mean `llama3_70b` or `llama3_8b`?");
  EXPECT_EQ(didYouMean("True", {"tree", "true"}), "did you mean `true`?");
}

TEST(Nearest, ShortensWhatIsSpeltOut) {
  const std::vector<std::string> types{"fp32", "fp16", "bf16", "fp8", "fp4"};
  EXPECT_EQ(nearest("bfloat16", types), "bf16");
  EXPECT_EQ(nearest("fp8_e4m3", types), "fp8");
  EXPECT_EQ(nearest("float", types), "");
}

// One for each letter to insert, delete, replace or swap with its neighbour; case does not count.
TEST(Nearest, CountsSlips) {
  EXPECT_EQ(spellingDistance("recompte", "recompute", 3), 1u);
  EXPECT_EQ(spellingDistance("recopmute", "recompute", 3), 1u);
  EXPECT_EQ(spellingDistance("Recompute", "recompute", 3), 0u);
  EXPECT_EQ(spellingDistance("kitten", "sitting", 3), 3u);
  EXPECT_EQ(spellingDistance("kitten", "sitting", 2), 3u); // more than the limit
  EXPECT_EQ(spellingDistance("", "ab", 3), 2u);
}

} // namespace
