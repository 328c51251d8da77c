// Expressions: precedence, kinds, ranges.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/parse/ParseHelper.h"

using namespace planc;
using namespace planc::syntax;
using planc::test::Parsed;

namespace {

/// The value of `let a = TEXT` with every operator in parentheses.
std::string grouped(const Expr& e) {
  switch (e.kind) {
  case ExprKind::Binary:
    return "(" + grouped(*e.kids[0]) + " " + std::string(e.text) + " " + grouped(*e.kids[1]) + ")";
  case ExprKind::Unary:
    return "(" + std::string(e.text) + " " + grouped(*e.kids[0]) + ")";
  default:
    return str(e);
  }
}
std::string grouped(const std::string& text) {
  Parsed p("let a = " + text);
  EXPECT_EQ(p.errors(), "") << text;
  return p.file ? grouped(*p.decl<LetDecl>().value) : "";
}

TEST(ParseExpr, Precedence) {
  EXPECT_EQ(grouped("1 + 2 * 3 - 4"), "((1 + (2 * 3)) - 4)");
  EXPECT_EQ(grouped("2 ** 3 ** 2"), "(2 ** (3 ** 2))");
  EXPECT_EQ(grouped("a < b and c or d"), "(((a < b) and c) or d)");
  EXPECT_EQ(grouped("-a * b"), "((- a) * b)");
  EXPECT_EQ(grouped("not a and b"), "((not a) and b)");
  EXPECT_EQ(grouped("(1 + 2) * 3"), "((1 + 2) * 3)");
  EXPECT_EQ(grouped("a % 2 == 0"), "((a % 2) == 0)");
  EXPECT_EQ(grouped("x in [1, 2]"), "(x in [1, 2])");
  EXPECT_EQ(grouped("a - -b"), "(a - (- b))");
}

TEST(ParseExpr, WrittenForm) {
  for (const char* text : {"if a then 1 else 2",
                           "f(1, x = 2)",
                           "a.b.c",
                           "x[1]",
                           "x[1:2]",
                           "x[1:2:3]",
                           "[]",
                           "[n for n in divisors(16)]",
                           "{a = 1, b = [2, 3]}",
                           "layer(\"decoder.attn\").forward",
                           "\"a\\\"b\\\\c\\n\"",
                           "true",
                           "none",
                           "40%",
                           "131_072",
                           "1.5e3",
                           "300GB/s",
                           "-(a + b)",
                           "(a + b).c",
                           "a + b + c",
                           "a - (b - c)"})
    EXPECT_EQ(str(*Parsed(std::string("let a = ") + text).decl<LetDecl>().value), text);
}

TEST(ParseExpr, KindsOfLiterals) {
  Parsed p("let a = [1, 1.5, 1e9, 2GB, 3%, \"x\\ty\", true, false, none, tp]");
  std::vector<ExprKind> kinds;
  for (const Expr* e : p.decl<LetDecl>().value->kids) kinds.push_back(e->kind);
  using enum ExprKind;
  EXPECT_THAT(kinds, testing::ElementsAre(Int, Float, Float, ExprKind::Quantity, Quantity, String, True, False, None,
                                          ExprKind::Name));
  EXPECT_EQ(p.decl<LetDecl>().value->kids[5]->string, "x\ty");
}

TEST(ParseExpr, Ranges) {
  Parsed p("let a = (b + c) * f(d)[1].e");
  const Expr& product = *p.decl<LetDecl>().value;
  EXPECT_EQ(p.text(product.range), "(b + c) * f(d)[1].e");
  EXPECT_EQ(p.text(product.opRange), "*");
  EXPECT_EQ(p.text(product.kids[0]->range), "b + c");
  EXPECT_EQ(p.text(product.kids[1]->range), "f(d)[1].e");
  EXPECT_EQ(p.text(product.kids[1]->kids[0]->range), "f(d)[1]");
  EXPECT_EQ(p.text(product.kids[1]->kids[0]->kids[0]->range), "f(d)");
}

TEST(ParseExpr, RangesCountBytesAlsoBehindOtherScripts) {
  Parsed p("// éé模\nlet a = \"é\" + b");
  EXPECT_EQ(p.text(p.decl<LetDecl>().value->kids[1]->range), "b");
  EXPECT_EQ(p.decl<LetDecl>().value->kids[0]->string, "é");
}

TEST(ParseExpr, LongChainsNeedNoStack) {
  std::string text = "let a = 1";
  for (int i = 0; i < 100'000; ++i) text += " + 1";
  Parsed p(text);
  ASSERT_TRUE(p.file) << p.errors();
  EXPECT_EQ(str(*p.decl<LetDecl>().value).size(), text.size() - 8);
}

} // namespace
