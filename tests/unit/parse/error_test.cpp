// What is stated about broken files: one error per broken line, at its place, with the hint that helps.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/parse/ParseHelper.h"

using planc::test::Parsed;
using testing::HasSubstr;
using testing::Not;

namespace {

std::string errors(std::string text) {
  return Parsed(std::move(text)).errors();
}
/// Of a statement inside `plan p { … }`, at line 2.
std::string inPlan(const std::string& statement) {
  return errors("plan p {\n" + statement + "\n  x = 1\n}\n");
}

TEST(ParseErrors, Lexical) {
  EXPECT_EQ(errors("let a = \"\xff\""), "1:10 PLAN0002 malformed UTF-8 at byte 9\n");
  EXPECT_EQ(errors(std::string("let a = \0 1", 11)), "1:9 PLAN0003 unexpected character U+0000\n");
  EXPECT_EQ(errors("let a = é1"), "1:9 PLAN0003 unexpected character `é`\n");
  EXPECT_EQ(errors("let a = 'x'"), "1:9 PLAN0003 unexpected character `'` | strings need double quotes\n");
  EXPECT_EQ(errors("let a = 1 # x"), "1:11 PLAN0003 unexpected character `#` | comments begin with `//`\n");
  EXPECT_EQ(errors("let a = \"abc\nlet b = 2"), "1:9 PLAN0004 the string has no closing quote on its line\n");
  EXPECT_EQ(errors("let a = \"abc\\\nlet b = 2"), "1:9 PLAN0004 the string has no closing quote on its line\n");
  EXPECT_EQ(errors("let a = 1 /* x * /\n"), "1:11 PLAN0005 the comment has no closing `*/`\n");
  EXPECT_EQ(errors("let a = \"x\\qy\""),
            "1:11 PLAN0006 unknown escape `\\q` in a string | the escapes are `\\\"`, `\\\\`, `\\n` and `\\t`\n");
  EXPECT_EQ(errors("let a = \"x\\é\"").substr(0, 34), "1:11 PLAN0006 unknown escape `\\é`");
  EXPECT_EQ(errors("let a = /**/ 1 /***/ + /* * */ 2"), "");
}

TEST(ParseErrors, TheRestOfAFileWithLexicalErrorsIsChecked) {
  EXPECT_EQ(errors("let a = \"abc\nlet b = \nlet c = 'x'\nlet d = 1\nlet e ="),
            "1:9 PLAN0004 the string has no closing quote on its line\n"
            "2:8 PLAN0010 expected an expression, found end of line | a value begins on the line of its `=`\n"
            "3:9 PLAN0003 unexpected character `'` | strings need double quotes\n"
            "5:8 PLAN0010 expected an expression, found end of file | a value begins on the line of its `=`\n");
}

TEST(ParseErrors, OneErrorPerBrokenLine) {
  EXPECT_EQ(errors("plan p {\n  a = = 1\n  b = 2 c = 3\n  mesh {\n    tp 8\n    dp = 4\n    pp = \n  }\n}\nlet x "
                   "3\nlet y = 2\n"),
            "2:7 PLAN0012 unexpected `=`, expected an expression\n"
            "3:9 PLAN0010 expected end of line, found `c` | put `;` between two facts on one line\n"
            "5:7 PLAN0011 expected `=` before `8`\n"
            "7:9 PLAN0010 expected an expression, found end of line | a value begins on the line of its `=`\n"
            "10:6 PLAN0011 expected `=` or `:` before `3`\n");
}

TEST(ParseErrors, HintAfterAPlacement) {
  EXPECT_THAT(inPlan("  place { seq -> cp, tp }"), HasSubstr("| several axes are a list: `-> [cp, …]`\n"));
  EXPECT_THAT(inPlan("  place { seq -> cp, heads -> tp }"),
              HasSubstr("| write one placement per line, or put `;` between two\n"));
}

TEST(ParseErrors, HintForTwoFactsOnALine) {
  EXPECT_EQ(errors("let a = 900GB let b = 3"),
            "1:15 PLAN0010 expected end of line, found `let` | put `;` between two facts on one line\n");
}

TEST(ParseErrors, HintForACarryWithoutWith) {
  EXPECT_EQ(errors("model m(layers: int) {\n  decoder * layers (x = embed) {\n    out x\n  }\n}"),
            "2:21 PLAN0015 `x` is an argument of `layers` here, not a value carried through the repeat"
            " | write `decoder * layers with x = embed {`\n");
  EXPECT_EQ(errors("model m() {\n  decoder * depth(x = 3) {\n    out y\n  }\n}"), "");
}

TEST(ParseErrors, HintForALineThatBeginsWithStar) {
  EXPECT_THAT(inPlan("  a = b\n    * c"),
              HasSubstr("3:5 PLAN0012 unexpected `*`, expected a name | a line may not begin with `*`"));
}

TEST(ParseErrors, HintForALineThatEndsWithAnOperator) {
  EXPECT_THAT(errors("let a = 1 +\nlet b = 2"),
              HasSubstr("| the line above ends with `+`, so this line goes on with it\n"));
}

TEST(ParseErrors, OtherHints) {
  EXPECT_THAT(inPlan("  model =\n"), HasSubstr("2:10 PLAN0010 expected an expression, found end of line"));
  EXPECT_THAT(inPlan("  assert a = 3"), HasSubstr("| `==` compares\n"));
  EXPECT_THAT(inPlan("  seq: 2048"), HasSubstr("| a name and its value are joined by `=`\n"));
  EXPECT_THAT(inPlan("  place { a > b }"), HasSubstr("| a dimension is placed with `->`\n"));
  EXPECT_THAT(inPlan("  x = 10%3"), HasSubstr("| `10%` is a number: put spaces around `%` for the remainder\n"));
  EXPECT_THAT(inPlan("  assert a \"why\""), HasSubstr("| a reason follows `:`: `: \"why\"`\n"));
  EXPECT_THAT(inPlan("  in = 3"), HasSubstr("| `in` is a reserved word, not a name\n"));
  EXPECT_THAT(errors("modle m() { }"), HasSubstr("| did you mean `model`?\n"));
  EXPECT_EQ(errors("model m()\n{\n  out x\n}\n"), "1:10 PLAN0010 expected `=` or `{`, found end of line"
                                                  " | write `{` at the end of the line before\n");
}

TEST(ParseErrors, AMisspeltKeywordIsTheErrorAndTheRestIsRead) {
  EXPECT_EQ(inPlan("  recompte decoder"), "2:3 PLAN0016 `recompte` is not a keyword | did you mean `recompute`?\n");
  EXPECT_EQ(inPlan("  plcae { batch -> dp }"), "2:3 PLAN0016 `plcae` is not a keyword | did you mean `place`?\n");
  EXPECT_EQ(errors("let f(n: int) = fi n > 1 then 2 else 3"),
            "1:17 PLAN0016 `fi` is not a keyword | did you mean `if`?\n");
  const Parsed p("plan p {\n  recompte decoder\n}\nlet a = = 1\nlet b = 2\n");
  ASSERT_TRUE(p.file);
  EXPECT_TRUE(p.file->broken);
  EXPECT_EQ(p.file->decls.size(), 2u); // the plan, repaired, and `b`
  EXPECT_TRUE(p.file->lostNames.contains(planc::Symbol("a")));
  EXPECT_FALSE(p.file->lostNames.contains(planc::Symbol("b")));
}

TEST(ParseErrors, NumbersOfOtherLanguages) {
  EXPECT_EQ(errors("let a = 300 GB/s"),
            "1:9 PLAN0017 a number and its unit must be written without a space | write `300GB/s`\n");
  EXPECT_EQ(errors("let a = [20 %, 3]"),
            "1:10 PLAN0017 a number and its unit must be written without a space | write `20%`\n");
  EXPECT_EQ(errors("let a = 8x7b"),
            "1:9 PLAN0018 `8x7b` is not a name: it begins with a digit | did you mean `eight_x_seven_b`? Spell out "
            "digits at the beginning of a name\n");
}

TEST(ParseErrors, NamesClassesOfTokens) {
  EXPECT_EQ(errors("let = 3"), "1:5 PLAN0010 expected a name, found `=`\n");
  EXPECT_EQ(errors("model 3() { }"), "1:7 PLAN0010 expected a name, found `3`\n");
  EXPECT_EQ(errors("foo"), "1:1 PLAN0010 expected a declaration, found `foo`\n");
  EXPECT_EQ(errors("let a = )"), "1:9 PLAN0014 `)` has no opening bracket\n");
  EXPECT_EQ(errors("import"), "1:7 PLAN0010 expected a name or a string, found end of file\n");
  EXPECT_EQ(errors("let f = if a then b"), "1:20 PLAN0010 expected `else`, found end of file\n");
  EXPECT_EQ(errors("let z = [1 2]"), "1:12 PLAN0010 expected `,`, `]` or `for`, found `2`\n");
}

TEST(ParseErrors, MissingTokensStandBehindThePreviousOne) {
  EXPECT_EQ(errors("let a = if b then 1   // why\nlet c = 2"), "1:20 PLAN0010 expected `else`, found end of line\n");
}

TEST(ParseErrors, BracketsAreBlamedOnce) {
  EXPECT_EQ(errors("plan a {\n  x = f(1, 2\n  y = 3\n}\nlet b ="),
            "2:8 PLAN0013 `(` is not closed\n"
            "5:8 PLAN0010 expected an expression, found end of file | a value begins on the line of its `=`\n");
  EXPECT_EQ(errors("plan a {\n  mesh {\n    tp = 8\n  place {\n    a -> b\n  }\n}\nplan c {\n}\n"),
            "2:8 PLAN0013 `{` is not closed\n");
  EXPECT_EQ(errors("plan a {\n  mesh\n    tp = 8\n  }\n  place { a -> b }\n}\nlet x ="),
            "2:7 PLAN0010 expected `=` or `{`, found end of line\n"
            "7:8 PLAN0010 expected an expression, found end of file | a value begins on the line of its `=`\n");
  EXPECT_EQ(errors("plan a {\n  x = 1 }\n}\n"), "3:1 PLAN0014 `}` has no opening bracket\n");
  EXPECT_EQ(errors("plan a {\n  x = f 1)\n}\n"), "2:9 PLAN0010 expected end of line, found `1`\n");
  EXPECT_EQ(errors("plan a {"), "1:8 PLAN0013 `{` is not closed\n");
}

TEST(ParseErrors, UnindentedFilesParse) {
  EXPECT_EQ(errors("plan a {\nlet b = 3\nmodel = c\nmesh {\ntp = 8\n}\n}\n"), "");
}

TEST(ParseErrors, AtMostTwenty) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "let a =\n";
  EXPECT_EQ(Parsed(text).engine.errorCount(), 20u);
}

TEST(ParseErrors, NeverListKeywords) {
  for (const char* text :
       {"let 3", "plan { }", "plan p { 3 }", "plan p { mesh { 3 } }", "model m() { 3 }", "op f", "let a = f(",
        "cluster c { level }", "plan p { place { 3 } }", "plan p { search { vary } }"}) {
    std::string found = errors(text);
    EXPECT_NE(found, "") << text;
    EXPECT_THAT(found, Not(HasSubstr("recompute")));
    EXPECT_LT(found.size(), 130u) << found;
  }
}

} // namespace
