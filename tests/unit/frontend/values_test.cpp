// Expressions: exact ints, units, functions, lists, enums; each wrong one is one report.
// SPDX-License-Identifier: Apache-2.0
#include "Compile.h"

namespace planc::frontend {
namespace {

using Reports = std::vector<std::string>;

/// A file whose asserts hold reports nothing: the expressions are checked by the language itself.
void holds(const std::string& condition, const std::string& before = "") {
  EXPECT_EQ(check(before + "\nassert " + condition), Reports{}) << condition;
}

TEST(Values, IntsAreExact) {
  holds("7 / 7 == 1");
  holds("-9 / 3 == -3");
  holds("7 % 4 == 3");
  holds("2 ** 62 == 4611686018427387904");
  holds("1_000_000 == 10 ** 6");
  EXPECT_EQ(check("let a = 7 / 2"), Reports{"1 PLAN0303 7 / 2 is not a whole number"});
  EXPECT_EQ(check("let a = 9223372036854775807 + 1"), Reports{"1 PLAN0305 9223372036854775807 + 1 is out of range"});
  EXPECT_EQ(check("let a = (-9223372036854775807 - 1) / -1").size(), 1u);
  EXPECT_EQ(check("let a = (-9223372036854775807 - 1) % -1"), Reports{});
  EXPECT_EQ(check("let a = 1 / 0"), Reports{"1 PLAN0304 1 is divided by zero"});
  EXPECT_EQ(check("let a = 1 % 0"), Reports{"1 PLAN0304 1 is divided by zero"});
  EXPECT_EQ(check("let a = 2 ** 63").size(), 1u);
  EXPECT_EQ(check("let a = 1e308 * 10").size(), 1u);
}

TEST(Values, QuantitiesKeepTheirUnits) {
  holds("450GB/s * 2s == 900GB");
  holds("80GiB > 80GB");
  holds("100TFLOP/s / 50TFLOP/s == 2");
  holds("40% == 0.4");
  holds("400W * 2s == 800J");
  holds("60min == 1h");
  EXPECT_EQ(check("let a = 1s + 1GB"),
            Reports{"1 PLAN0302 `+` cannot combine a quantity of time and a quantity of bytes"});
  EXPECT_EQ(check("let a = 1s < 1"), Reports{"1 PLAN0302 `<` cannot combine a quantity of time and an int"});
  EXPECT_EQ(check("let a = 2s ** 2").size(), 1u);
  EXPECT_EQ(check("let a = 6MB/seq"), Reports{"1 PLAN0308 `seq` is not a unit"});
  EXPECT_EQ(check("let a = 3parsec"), Reports{"1 PLAN0308 `parsec` is not a unit"});
}

TEST(Values, FunctionsOfTheLanguage) {
  holds("floor(7.9) == 7 and ceil(7.1) == 8 and round(7.5) == 8 and int(-7.9) == -7");
  holds("min(3, 1, 2) == 1 and max([3, 1, 2]) == 3 and abs(-3s) == 3s");
  holds("log2(8) == 3 and sqrt(16) == 4 and float(3) / 2 == 1.5");
  holds("divisors(12) == [1, 2, 3, 4, 6, 12]");
  holds("len([n for n in divisors(16)]) == 5 and sum([1, 2, 3]) == 6");
  holds("[2 * n for n in [1, 2]] + [6] == [2, 4, 6]");
  holds("[1, 2, 3][1] == 2 and [1, 2, 3, 4][1:3] == [2, 3] and [1, 2, 3, 4][0:4:2] == [1, 3]");
  EXPECT_EQ(check("let a = log2(0)").size(), 1u);
  EXPECT_EQ(check("let a = sqrt(-1)").size(), 1u);
  EXPECT_EQ(check("let a = floor(1s)").size(), 1u);
  EXPECT_EQ(check("let a = min(1s, 2B)"),
            Reports{"1 PLAN0302 `min` cannot combine a quantity of time and a quantity of bytes"});
  EXPECT_EQ(check("let a = [1, 2][2]"), Reports{"1 PLAN0316 index 2 is outside of a list of 2"});
  EXPECT_EQ(check("let a = divisors(0)").size(), 1u);
}

TEST(Values, LogicStopsEarly) {
  holds("true or 1 / 0 == 1");
  holds("not (false and 1 / 0 == 1)");
  holds("(if 1 < 2 then 3 else 1 / 0) == 3");
  EXPECT_EQ(check("let a = 3 and true"), Reports{"1 PLAN0323 `and` needs true or false; this is an int"});
}

TEST(Values, EnumMembersAreBareWhereAnEnumIsExpected) {
  const std::string kinds = "enum kind { flash, unfused }\nlet f(k: kind = flash) = if k == flash then 1 else 2\n";
  holds("f() == 1 and f(unfused) == 2 and f(k = flash) == 1", kinds);
  holds("f(if 1 > 2 then flash else unfused) == 2", kinds);
  holds("kind.flash != kind.unfused", kinds);
  holds("g(flash) and not g(unfused)", kinds + "let g(k: kind) = k in [flash]\n");
  EXPECT_EQ(check(kinds + "let a = f(flsh)"), Reports{"3 PLAN0206 `flsh` is not a member of `kind`"});
  EXPECT_EQ(check(kinds + "let a = f(1)"),
            Reports{"3 PLAN0301 parameter `k` of `f` needs a member of `kind`; this is an int"});
  EXPECT_EQ(check("enum e { a, b, a }"), Reports{"1 PLAN0214 `a` is listed twice"});
}

TEST(Values, ParametersHaveTypesDefaultsAndConditions) {
  const std::string f = "let f(n: int, m: int = 2 * n where m in [2, 4, 8]) = m\n";
  holds("f(1) == 2 and f(1, 8) == 8 and f(m = 4, n = 7) == 4", f);
  EXPECT_EQ(check(f + "let a = f(3)"), Reports{"2 PLAN0310 function `f` needs m in [2, 4, 8], but `m` is 6"});
  EXPECT_EQ(check(f + "let a = f()"), Reports{"2 PLAN0313 function `f` needs `n`"});
  EXPECT_EQ(check(f + "let a = f(1, 2, 3)"), Reports{"2 PLAN0314 too many arguments: function `f` takes 2 arguments"});
  EXPECT_EQ(check(f + "let a = f(1, n = 2)"), Reports{"2 PLAN0315 `n` is given twice"});
  EXPECT_EQ(check(f + "let a = f(k = 2)"), Reports{"2 PLAN0204 function `f` has no parameter `k`"});
  EXPECT_EQ(check(f + "let a = f(1.5)"), Reports{"2 PLAN0301 parameter `n` of `f` needs an int; this is a float"});
  EXPECT_EQ(check("let f(x: float) = x\nassert f(3) == 3.0"), Reports{});
  EXPECT_EQ(check("let f(x: list<int>) = x\nlet a = f([1, 2.5])").size(), 1u);
  EXPECT_EQ(check("let f(x: tme) = x"), Reports{"1 PLAN0205 `tme` is not a type"});
}

TEST(Values, ConstantsMayStandInAnyOrderButNotInACircle) {
  EXPECT_EQ(check("let a = b + 1\nlet b = 2\nassert a == 3"), Reports{});
  EXPECT_EQ(check("let a = b\nlet b = c\nlet c = a"),
            Reports{"1 PLAN0207 the value of `a` depends on itself: a -> b -> c -> a"});
}

TEST(Values, AnErroneousValueIsSilentAfterwards) {
  EXPECT_EQ(check("let a = 1 / 0\nlet b = a + 1s\nlet c = [b, a]\nlet d = c[7]").size(), 1u);
}

} // namespace
} // namespace planc::frontend
