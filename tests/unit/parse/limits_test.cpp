// Hostile input ends with a message: no crash, no overflow, no quadratic time.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/parse/ParseHelper.h"

#include <chrono>

using planc::test::Parsed;
using testing::HasSubstr;

namespace {

std::string repeat(std::string_view what, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += what;
  return out;
}

TEST(ParseLimits, FilesAreBounded) {
  planc::parse::ParseLimits limits;
  limits.maxBytes = 10;
  EXPECT_EQ(Parsed("let abc = 3", limits).errors(), "1:1 PLAN0001 the file has 11 bytes; at most 10 are read\n");
  EXPECT_EQ(Parsed("let ab = 3", limits).errors(), "");
}

TEST(ParseLimits, NestingIsBounded) {
  EXPECT_THAT(Parsed("let a = " + repeat("(", 100'000) + "1" + repeat(")", 100'000)).errors(),
              HasSubstr("PLAN0007 nested more than 256 deep"));
  EXPECT_THAT(Parsed("let a: " + repeat("l<", 100'000)).errors(), HasSubstr("PLAN0007"));
  EXPECT_THAT(Parsed("plan a " + repeat("{ s ", 100'000)).errors(), HasSubstr("PLAN0007"));
  EXPECT_THAT(Parsed("let a = " + repeat("f(", 100'000)).errors(), HasSubstr("PLAN0007"));
  EXPECT_EQ(Parsed("let a = " + repeat("(", 200) + "1" + repeat(")", 200)).errors(), "");
  EXPECT_EQ(Parsed("let a: " + repeat("list<", 200) + "int" + repeat(">", 200) + " = 1").errors(), "");
}

TEST(ParseLimits, ChainsAreBounded) {
  EXPECT_EQ(Parsed("let a = " + repeat("-", 100'000) + "1").errors(),
            "1:265 PLAN0008 more than 256 prefix operators in one expression\n");
  EXPECT_THAT(Parsed("let a = 1" + repeat(" ** 1", 100'000)).errors(),
              HasSubstr("PLAN0008 more than 256 `if` or `**` in one expression"));
  EXPECT_THAT(Parsed("let a = " + repeat("if x then 1 else ", 100'000) + "2").errors(), HasSubstr("PLAN0008"));
  EXPECT_EQ(Parsed("let a = " + repeat("if x then 1 else ", 250) + "2").errors(), "");
  EXPECT_EQ(Parsed("let a = 1" + repeat(" ** 1", 250)).errors(), "");
  EXPECT_EQ(Parsed("let a = [" + repeat("if x then 1 else 2, ", 5000) + "]").errors(), "");
}

TEST(ParseLimits, NestingOfEveryKindAddsUp) {
  // 200 brackets with 50 open `if` each would be 10,000 levels of recursion.
  EXPECT_THAT(Parsed("let a = " + repeat(repeat("if x then 1 else ", 50) + "(", 200)).errors(), HasSubstr("PLAN000"));
  EXPECT_THAT(Parsed("let a = " + repeat(repeat("if x then 1 else ", 50) + "{b = ", 200)).errors(),
              HasSubstr("PLAN000"));
}

TEST(ParseLimits, LongListsAreNot) {
  EXPECT_EQ(Parsed("let a = [" + repeat("1, ", 50'000) + "]").errors(), "");
  EXPECT_EQ(Parsed("let a = b" + repeat(".c", 50'000)).errors(), "");
  EXPECT_EQ(Parsed("let a = f" + repeat("()", 20'000)).errors(), "");
  EXPECT_EQ(Parsed("let a = 1" + repeat(" + 1 * 2 - 3", 20'000)).errors(), "");
  EXPECT_EQ(Parsed(repeat("\n", 200'000)).errors(), "");
  EXPECT_EQ(Parsed("let a = x" + repeat("\n", 200'000) + "+ 1").errors(), "");
}

TEST(ParseLimits, BrokenFilesTakeLinearTime) {
  auto begin = std::chrono::steady_clock::now();
  Parsed(repeat("/*/", 300'000));
  Parsed(repeat("\"a\\", 300'000));
  Parsed(repeat("plan a {\n", 50'000));
  Parsed(repeat("}\n", 200'000));
  Parsed(repeat("é", 300'000));
  Parsed(repeat("a = = 1\n", 50'000));
  Parsed("plan p {\n" + repeat("a = = 1\n", 50'000) + "}");
  Parsed("plan p {\n" + repeat("a = 1\n", 50'000) + "b = = 1\n}");
  Parsed(repeat("(", 100) + repeat("\n", 100'000));
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(seconds.count(), 60) << "quadratic time would be minutes";
}

} // namespace
